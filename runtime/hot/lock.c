/*
 * lock.c -- waiting for a lock's holder, as long as that can be of use.
 *
 * A round looks at the lock for some microseconds. Between the first rounds the thread lets others
 * run; a holder of lower priority, or one that many threads are before, gets no processor by that,
 * so between the later ones it sleeps. In a sandbox there are only the looks.
 */
#include "runtime/hot/lock.h"

#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

enum {
    LOOKS = 64,
    YIELDS = 256,
    NAPS = 8192, /* of 50 us and what the kernel adds, again as much: about a second */
    NAP_NS = 50000,
    YIELDS_FOR_ABSENT = 64,
};

static inline void cpu_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("" ::: "memory");
#endif
}

static bool look(struct rt_lock *lock, uint32_t tid)
{
    for (int i = 0; i < LOOKS; i++) {
        if (rt_lock_try(lock, tid)) {
            return true;
        }
        cpu_relax();
    }
    return false;
}

/* Whether another look is worth it after ROUND of them at one holder. */
static bool is_awaited(const struct rt_lock *lock, uint32_t holder, int round)
{
    bool is_absent = holder == __atomic_load_n(&lock->absent, __ATOMIC_RELAXED);
    return round < (is_absent ? YIELDS_FOR_ABSENT : YIELDS + NAPS);
}

bool rt_lock_wait(struct rt_lock *lock, uint32_t tid)
{
    uint32_t holder = __atomic_load_n(&lock->holder, __ATOMIC_RELAXED);
    if (holder == tid) {
        return false;
    }
    for (int round = 0; !look(lock, tid); round++) {
        if (tid & RT_LOCK_NO_WAIT) {
            return false;
        }
        uint32_t now = __atomic_load_n(&lock->holder, __ATOMIC_RELAXED);
        if (now != holder) { /* it changes hands: nobody is away */
            holder = now;
            round = 0;
        }
        if (!is_awaited(lock, holder, round)) {
            __atomic_store_n(&lock->absent, holder, __ATOMIC_RELAXED);
            return false;
        }
        if (round < YIELDS) {
            os_thread_yield();
        } else {
            os_thread_nap(NAP_NS);
        }
    }
    return true;
}
