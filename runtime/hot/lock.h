/*
 * lock.h -- a lock that gives up.
 *
 * Taken only where a table grows or a stack is seen for the first time, never per event. Its holder
 * may be interrupted by a signal handler that never returns (longjmp), so waiting for ever would
 * hang the program: after a bounded wait the caller goes without, and counts what it loses. The
 * bound is long, about a second, for a holder may be alive and just not be given a processor; and
 * it is waited out once for a holder: whoever comes after that waits for moments.
 * A thread that takes over a dead guard sets free what that guard held (rt_lock_recover()).
 * Function hooks also run in handlers that interrupted the holder: waiting for oneself is in vain.
 * Two handlers that wait for what the hooks that they have interrupted hold, each for the other's,
 * would both wait in vain: the sampler's does not wait, and says so in the thread id.
 *
 * Context: hot. System calls: sched_yield and nanosleep, and only when contended.
 */
#ifndef THAG_RT_LOCK_H
#define THAG_RT_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct rt_lock {
    uint32_t holder; /* thread id, 0: free */
    uint32_t absent; /* a holder that was waited for in vain, 0: none */
};

/* In a thread id: take the lock if it is free or just being given back, else go without. Ids of
 * threads have 22 bits, of a frozen process's 31. */
#define RT_LOCK_NO_WAIT 0x80000000u

/* As rt_lock_take(), of a lock that was not free at the first look. */
bool rt_lock_wait(struct rt_lock *lock, uint32_t tid);

static inline bool rt_lock_try(struct rt_lock *lock, uint32_t tid)
{
    uint32_t free = 0;
    return __atomic_load_n(&lock->holder, __ATOMIC_RELAXED) == 0 &&
           __atomic_compare_exchange_n(&lock->holder, &free, tid, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* True if the lock is now held by thread TID. False after a bounded wait, or at once if TID holds
 * it already, or may not wait. */
static inline bool rt_lock_take(struct rt_lock *lock, uint32_t tid)
{
    return rt_lock_try(lock, tid) || rt_lock_wait(lock, tid);
}

static inline void rt_lock_give(struct rt_lock *lock)
{
    __atomic_store_n(&lock->absent, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&lock->holder, 0, __ATOMIC_RELEASE);
}

/* The thread TID is known to be outside every hook: what it still holds, it will never give back.
 */
static inline void rt_lock_recover(struct rt_lock *lock, uint32_t tid)
{
    uint32_t expected = tid;
    __atomic_compare_exchange_n(&lock->holder, &expected, 0, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
}

#endif
