/*
 * timer.h -- timers of single threads, and signals as the kernel sees them. By system call, like
 * all of runtime/os; results are as os.h says.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_OS_TIMER_H
#define THAG_OS_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/* What a thread's time is measured with: its own CPU time, or CLOCK_MONOTONIC. */
enum os_timer_clock { OS_TIMER_CPU, OS_TIMER_WALL };

/* That clock of thread TID of this process, in ns; 0 if there is no such thread. */
uint64_t os_timer_clock_ns(enum os_timer_clock clock, uint32_t tid);

/*
 * A timer on that clock, not started, that sends SIGNAL_NUMBER to thread TID of this process, with
 * VALUE in it. Forked children do not have it, a new image neither.
 * Result:   its number, or -errno: -EAGAIN if the user may not have more (RLIMIT_SIGPENDING).
 */
int os_timer_create(enum os_timer_clock clock, uint32_t tid, int signal_number, const void *value);

/* Expire at FIRST_NS of its clock, and every EVERY_NS after that. */
int os_timer_start(int timer, uint64_t first_ns, uint64_t every_ns);
void os_timer_delete(int timer);

/* What the kernel does on a signal. */
enum os_disposition { OS_SIGNAL_DEFAULT, OS_SIGNAL_IGNORED, OS_SIGNAL_HANDLED };
enum os_disposition os_signal_disposition(int number);

/* Set it to one of the first two. OS_SIGNAL_IGNORED throws away what is pending, in all threads. */
void os_signal_reset(int number, enum os_disposition disposition);

/* Have every signal blocked while the handler of this one runs, libc's own two as well: its
 * sigaction() leaves them out, and a thread may be cancelled by one of them. */
void os_signal_block_in_handler(int number);

/* Block or unblock one signal for the calling thread. True: it was blocked before. */
bool os_signal_block(int number);
bool os_signal_unblock(int number);

/* Send a signal to the calling thread alone. */
void os_signal_raise(int number);

#endif
