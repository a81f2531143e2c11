/*
 * pause.h -- when the recording stands still: stopped by the program, or outside of its roots.
 *
 * While it stands no allocation and no call is booked; frees of recorded blocks are, or they would
 * look like leaks. Stops nest. In a program with roots (THAG_ENABLE_PROFILING) it runs only from
 * the first entry of one to the last exit.
 *
 * A call that is open meanwhile does not count that time: each thread moves the starts of its open
 * calls on when it next comes to a hook, see rt_calls_catch_up(). Its span reaches over the pause.
 *
 * Context of all functions: hot, also in signal handlers.
 */
#ifndef THAG_RT_PAUSE_H
#define THAG_RT_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

/* Begin anew: STOPPED says whether the program has to start the recording itself, ROOTS whether it
 * records inside its roots alone. */
void rt_pause_reset(bool stopped, bool roots);

/* A forked child goes on as its parent was, with the INSIDE roots that the thread which forked has
 * open. */
void rt_pause_inherit(uint32_t inside);
void rt_pause_stop(void);

/* Take back one stop; nothing if there is none. */
void rt_pause_start(void);

/* A stop if there is none, else take back one. */
void rt_pause_toggle(void);

/* COUNT roots are entered (or left, below 0). */
void rt_pause_roots(int count);
bool rt_pause_is_on(void);

/* The gate of the function hooks has just been opened: shut it again if the recording stands. */
void rt_pause_settle(void);

/* Ticks that the recording has stood still, up to the last time that it went on. */
uint64_t rt_pause_ticks(void);

/*
 * Ticks of the pauses that were over when a call began. RAN is its start in ticks of the clock less
 * those of all pauses before it. Only the last RT_PAUSES_KNOWN pauses are told apart; those before
 * count as older than any call.
 */
enum { RT_PAUSES_KNOWN = 64 };
uint64_t rt_pause_ticks_before(uint64_t ran);

/* The clock; while the recording stands, when that began. */
uint64_t rt_pause_now(void);

/* The recording ends: note in it how long it has stood. */
void rt_pause_end(void);

#endif
