/*
 * timer.c -- see the header.
 */
#include "runtime/os/timer.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/os/os.h"
#include "runtime/os/raw_syscall.h"

enum { SIGNAL_SET_BYTES = 8 };

#ifndef SIGEV_THREAD_ID
#define SIGEV_THREAD_ID 4
#endif

/* The kernel's own structures, which libc's headers hide or pad otherwise. */
struct kernel_sigevent {
    const void *value;
    int signal_number;
    int notify;
    int tid;
    int padding[11];
};

struct kernel_sigaction {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* The number of a thread's CPU clock: its complement, and in the low bits "of a thread, scheduled
 * time". */
static int clock_number(enum os_timer_clock clock, uint32_t tid)
{
    return clock == OS_TIMER_WALL ? CLOCK_MONOTONIC : (int)(~tid << 3 | 6);
}

uint64_t os_timer_clock_ns(enum os_timer_clock clock, uint32_t tid)
{
    struct timespec now = {0, 0};
    if (clock == OS_TIMER_WALL) {
        return os_clock_monotonic_ns();
    }
    if (!os_is_frozen()) {
        RAW2(SYS_clock_gettime, clock_number(clock, tid), &now);
    }
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int os_timer_create(enum os_timer_clock clock, uint32_t tid, int signal_number, const void *value)
{
    struct kernel_sigevent event = {
        .value = value, .signal_number = signal_number, .notify = SIGEV_THREAD_ID, .tid = (int)tid};
    int timer = -1;
    if (os_is_frozen()) {
        return -EPERM;
    }
    long result = RAW3(SYS_timer_create, clock_number(clock, tid), &event, &timer);
    return result < 0 ? (int)result : timer;
}

int os_timer_start(int timer, uint64_t first_ns, uint64_t every_ns)
{
    const struct itimerspec when = {
        .it_interval = {(time_t)(every_ns / 1000000000u), (long)(every_ns % 1000000000u)},
        .it_value = {(time_t)(first_ns / 1000000000u), (long)(first_ns % 1000000000u)},
    };
    if (os_is_frozen()) {
        return -EPERM;
    }
    return (int)RAW4(SYS_timer_settime, timer, TIMER_ABSTIME, &when, NULL);
}

void os_timer_delete(int timer)
{
    if (!os_is_frozen()) {
        RAW1(SYS_timer_delete, timer);
    }
}

enum os_disposition os_signal_disposition(int number)
{
    struct kernel_sigaction now = {.handler = SIG_DFL};
    if (os_is_frozen() || RAW4(SYS_rt_sigaction, number, NULL, &now, SIGNAL_SET_BYTES) < 0 ||
        now.handler == SIG_DFL) {
        return OS_SIGNAL_DEFAULT;
    }
    return now.handler == SIG_IGN ? OS_SIGNAL_IGNORED : OS_SIGNAL_HANDLED;
}

void os_signal_reset(int number, enum os_disposition disposition)
{
    const struct kernel_sigaction action = {.handler = disposition == OS_SIGNAL_IGNORED ? SIG_IGN
                                                                                        : SIG_DFL};
    if (!os_is_frozen()) {
        RAW4(SYS_rt_sigaction, number, &action, NULL, SIGNAL_SET_BYTES);
    }
}

void os_signal_block_in_handler(int number)
{
    struct kernel_sigaction action;
    if (!os_is_frozen() && RAW4(SYS_rt_sigaction, number, NULL, &action, SIGNAL_SET_BYTES) == 0) {
        action.mask = ~UINT64_C(0);
        RAW4(SYS_rt_sigaction, number, &action, NULL, SIGNAL_SET_BYTES);
    }
}

static bool mask_change(int how, int number)
{
    uint64_t one = UINT64_C(1) << (number - 1), before = 0;
    if (!os_is_frozen()) {
        RAW4(SYS_rt_sigprocmask, how, &one, &before, SIGNAL_SET_BYTES);
    }
    return (before & one) != 0;
}

bool os_signal_block(int number)
{
    return mask_change(SIG_BLOCK, number);
}

bool os_signal_unblock(int number)
{
    return mask_change(SIG_UNBLOCK, number);
}

void os_signal_raise(int number)
{
    if (!os_is_frozen()) {
        RAW3(SYS_tgkill, RAW0(SYS_getpid), RAW0(SYS_gettid), number);
    }
}
