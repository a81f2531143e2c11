/*
 * live_timeline.c -- points of live bytes, thinned out as they fill their room.
 */
#include "runtime/hot/live_timeline.h"

#include <stddef.h>

#include "runtime/hot/recording.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

/* The first step keeps the two clock reads a second-order cost: 20 ns in 64 events. */
enum { FIRST_STEP = 64, STEP_MAX = 1 << 30 };

static struct {
    struct rt_lock lock;
    struct rec_moment *moment;
} timeline;

void rt_live_timeline_reset(uint32_t tid)
{
    uint64_t pages = REC_MOMENTS * sizeof(struct rec_moment) >> REC_PAGE_SHIFT;
    uint64_t page = rt_recording_extent(REC_KIND_TIMELINE, pages, 0, 0, tid);
    timeline.lock.holder = 0;
    timeline.moment = page ? rt_recording_page(page) : NULL;
    rt_recording.header->moment_step = FIRST_STEP;
}

/* Keep every second point. The timeline is locked. A reader may meet a point twice, never half. */
static void thin_out(struct rec_header *header)
{
    for (uint32_t i = 0; i < REC_MOMENTS / 2; i++) {
        timeline.moment[i] = timeline.moment[2 * i + 1];
    }
    __atomic_store_n(&header->moment_count, REC_MOMENTS / 2, __ATOMIC_RELEASE);
    if (header->moment_step < STEP_MAX) {
        header->moment_step *= 2;
    }
}

uint32_t rt_live_timeline_add(uint32_t tid)
{
    struct rec_header *header = rt_recording.header;
    if (!timeline.moment || !rt_lock_take(&timeline.lock, tid)) {
        return STEP_MAX;
    }
    if (header->moment_count >= REC_MOMENTS) {
        thin_out(header);
    }
    struct rec_moment *moment = &timeline.moment[header->moment_count];
    moment->live_bytes = __atomic_load_n(&header->live_bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&moment->ns, os_clock_monotonic_ns() - header->start_monotonic_ns + 1,
                     __ATOMIC_RELEASE);
    __atomic_store_n(&header->moment_count, header->moment_count + 1, __ATOMIC_RELEASE);
    uint32_t step = (uint32_t)header->moment_step;
    rt_lock_give(&timeline.lock);
    return step;
}

void rt_live_timeline_recover(uint32_t tid)
{
    rt_lock_recover(&timeline.lock, tid);
}
