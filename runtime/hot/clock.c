/*
 * clock.c -- clock points.
 */
#include "runtime/hot/clock.h"

#include <stdbool.h>

#include "runtime/hot/recording.h"

#include "runtime/hot/rt_forbid.h"

struct rt_clock rt_clock;

/* Both clocks at one moment: the counter in the middle between two looks at the other; of a few
 * tries the one that took least. */
static struct rec_clock_point point_take(void)
{
    enum { TRIES = 3 };
    struct rec_clock_point best = {0, 0};
    uint64_t best_ns = UINT64_MAX;
    if (rt_clock.kind == REC_CLOCK_MONOTONIC) {
        best.ticks = best.ns = os_clock_monotonic_ns();
        return best;
    }
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = os_clock_monotonic_ns();
        uint64_t ticks = rt_clock_read();
        uint64_t after = os_clock_monotonic_ns();
        if (after - before < best_ns) {
            best_ns = after - before;
            best = (struct rec_clock_point){ticks, before + best_ns / 2};
        }
    }
    return best;
}

void rt_clock_mark_first(void)
{
    rt_recording.header->clock_point[0] = point_take();
}

void rt_clock_mark(void)
{
    static bool busy;
    struct rec_header *header = rt_recording.header;
    if (header->clock_kind == REC_CLOCK_NONE ||
        __atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {
        return;
    }
    uint32_t place = header->clock_last == 1 ? 2 : 1;
    header->clock_point[place] = point_take();
    uint64_t ticks = header->clock_point[place].ticks - header->clock_point[0].ticks;
    uint64_t ns = header->clock_point[place].ns - header->clock_point[0].ns;
    if (ticks && ns < UINT64_C(1) << 43) { /* two hours */
        rt_clock.ns_mib = (uint32_t)((ns << 20) / ticks);
    }
    __atomic_store_n(&header->clock_last, place, __ATOMIC_RELEASE);
    __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
}
