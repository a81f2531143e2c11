/*
 * clock.h -- the clock of the function hooks.
 *
 * The time stamp counter where the kernel itself trusts it, else CLOCK_MONOTONIC. A plain read of
 * the counter is not ordered: the processor runs a short body under the hook. Fences make the cost
 * of a hook additive, so that it can be taken out to a nanosecond, at three times the price.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_CLOCK_H
#define THAG_RT_CLOCK_H

#include <stdint.h>

#include "runtime/format/recording_format.h"
#include "runtime/os/os.h"

struct rt_clock {
    uint32_t kind;   /* enum rec_clock; NONE until the first function hook */
    uint32_t ns_mib; /* nanoseconds in 2^20 ticks, roughly */
};

/* Reached without a look into the global offset table; -fvisibility says it of definitions alone.
 */
#define RT_HIDDEN __attribute__((visibility("hidden")))

extern struct rt_clock rt_clock RT_HIDDEN;

/* Ticks where the kind is REC_CLOCK_TSC, which the caller knows. */
static inline uint64_t rt_clock_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return os_clock_monotonic_ns();
#endif
}

#if defined(__x86_64__)
/* Nothing is read or computed across it. Not the builtin, which asks for SSE to be on. */
static inline void rt_clock_fence(void)
{
    __asm__ volatile("lfence" ::: "memory");
}
#endif

/* Ticks of whatever the clock is. */
static inline uint64_t rt_clock_read(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(rt_clock.kind == REC_CLOCK_TSC, 1)) {
        return __builtin_ia32_rdtsc();
    }
    if (rt_clock.kind == REC_CLOCK_TSC_PRECISE) {
        rt_clock_fence();
        uint64_t ticks = __builtin_ia32_rdtsc();
        rt_clock_fence();
        return ticks;
    }
#endif
    return os_clock_monotonic_ns();
}

/* About as many nanoseconds: for comparisons in a hook. A reader has the clock points. */
static inline uint64_t rt_clock_ns(uint64_t ticks)
{
    return (ticks >> 20) * rt_clock.ns_mib + ((ticks & 0xfffff) * rt_clock.ns_mib >> 20);
}

/* Renew the later of the recording's clock points. Another thread that is at it is not waited for.
 */
void rt_clock_mark(void);

/* Set the first clock point. Once per recording, with rt_clock.kind set. Before, marks do nothing.
 */
void rt_clock_mark_first(void);

#endif
