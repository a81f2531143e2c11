/*
 * unlocked.h -- changes that a signal handler of the same thread cannot come between.
 *
 * For words that no other thread writes: the bus need not be locked.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_UNLOCKED_H
#define THAG_RT_UNLOCKED_H

#include <stdbool.h>
#include <stdint.h>

/* Change *PLACE from EXPECTED to WORD. False: it held something else, and still does. */
static inline bool rt_word_exchange(uint64_t *place, uint64_t expected, uint64_t word)
{
#if defined(__x86_64__)
    bool done;
    __asm__ volatile("cmpxchgq %3, %1"
                     : "=@cce"(done), "+m"(*place), "+a"(expected)
                     : "r"(word)
                     : "memory");
    return done;
#else
    return __atomic_compare_exchange_n(place, &expected, word, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
#endif
}

#endif
