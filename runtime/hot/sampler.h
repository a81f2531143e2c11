/*
 * sampler.h -- where the time goes: a timer per thread, and the signal that it sends.
 *
 * Each thread has a timer on its own CPU time, or on CLOCK_MONOTONIC; the kernel sends the signal
 * to that thread alone. The handler walks what it interrupted and books it. A signal stands for 1 +
 * overruns intervals: CPU-time timers are looked at by the scheduler's tick alone, and a signal
 * that cannot be delivered waits. So the samples of a thread add up to its clock.
 *
 * A sampler's memory is its own: the walk of the interrupted hook is left as it is, and no lock is
 * waited for (lock.h). All signals are blocked in the handler,
 * which therefore is never entered twice and never left by a jump.
 *
 * Calls that no signal may disturb (waits.h, in preload/) block the signal while they wait. It is
 * delivered when they unblock it, and stands for the time of the wait; its stack is then that of
 * the waiting call.
 *
 * Words used here:
 *   interval  what one expiry stands for. It is drawn anew now and then, so that it does not beat
 *             with a period of the program's; so is the first one.
 *   wait      a call that blocks the signal.
 *
 * Context of all functions: hot, unless said otherwise.
 */
#ifndef THAG_RT_SAMPLER_H
#define THAG_RT_SAMPLER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/hot/clock.h"
#include "runtime/hot/sample_table.h"
#include "runtime/hot/unwind.h"
#include "runtime/os/timer.h"

struct rt_thread;

/* What holds for all threads. */
struct rt_sampling {
    bool on; /* samples are being taken: threads that begin get a timer */
    enum os_timer_clock clock;
    uint64_t interval_ns; /* the mean one */
    int signal_number;    /* 0: there is none */
    bool since_fork;      /* the next thread to begin is that of a forked child, all new */
};

extern struct rt_sampling rt_sampling RT_HIDDEN;

/* One thread's. It stays with the slot, for the next thread. */
struct rt_sampler {
    bool running;
    bool waiting;    /* inside a wait */
    bool deaf;       /* what comes now is of time in which the program had the signal blocked */
    bool unblocking; /* so it is if it is more than one interval */
    int timer;
    uint32_t map_epoch;
    uint32_t until_jitter; /* samples */
    uint64_t random;
    uint64_t interval_ns;
    uint64_t next_ns;                /* when the timer expires next, by its clock */
    uintptr_t function;              /* that the thread began with; 0: not known */
    struct rt_registers wait_caller; /* of the wait */
    uintptr_t wait_function;         /* the function of libc that it calls */
    struct rt_walk walk;
    struct rt_sample_table table;
};

/* Begin anew, nothing is sampled: for the start and for a forked child. CLOCK and HZ are what the
 * threads' timers will be set to. */
void rt_sampler_reset(enum os_timer_clock clock, uint32_t hz);

/* From now on, by signal NUMBER, whose handler is rt_sampler_handle(): all threads that have a
 * state get a timer, and those that begin later. Also to change the number. */
void rt_sampler_start(int number);

/* No more samples: no thread has a timer. Those that are on their way are not booked. */
void rt_sampler_stop(void);

/* THREAD, the calling one, has got its state; and is about to give it back. The rest of its time,
 * too little for a sample, is booked. All signals are blocked, or the guard is taken. */
void rt_sampler_thread_begins(struct rt_thread *thread);
void rt_sampler_thread_ends(struct rt_thread *thread);

/*
 * The process ends: what the calling thread has not been sampled for yet is booked; what other
 * threads have not been because they blocked the signal is counted as lost. Then as
 * rt_sampler_stop().
 */
void rt_sampler_process_ends(void);

/* The handler. Installed with SA_SIGINFO, SA_RESTART, SA_ONSTACK and all signals masked. */
void rt_sampler_handle(int number, siginfo_t *info, void *context);

/* The signal was not the timer's: somebody has sent it. Set by setup/. */
extern void (*rt_sampler_stranger)(int number);

/* The timer of a process that has not begun its own recording: a forked child. Set by setup/. */
extern void (*rt_sampler_forked)(void);

#endif
