#include "runtime/hot/call_spans.h"

#include <criterion/criterion.h>

#include "runtime/hot/clock.h"
#include "runtime/hot/recording.h"
#include "test/support/rt_fixture.h"

enum { NODE = 77 };

static struct rt_thread *begin(uint64_t bytes)
{
    rt_fixture_begin(&(struct rt_fixture_settings){.bytes = bytes});
    rt_recording.header->content = REC_CONTENT_TIME;
    rt_clock.kind = REC_CLOCK_MONOTONIC;
    rt_clock.ns_mib = 1 << 20;
    struct rt_thread *thread = rt_fixture_enter();
    rt_fixture_leave(thread);
    cr_assert(rt_calls_begin(thread));
    return thread;
}

/* What a reader finds: spans, how many of them are shorter than LEAST, and pages. */
struct found {
    uint64_t spans, shorter, pages, start_sum;
};

static struct found find(uint64_t least)
{
    struct found found = {0};
    const struct rec_extent *extent;
    for (uint64_t e = 0; (extent = rt_fixture_extent(e)); e++) {
        if (extent->kind != REC_KIND_SPANS) {
            continue;
        }
        const struct rec_span *span = rt_recording_page(extent->first_page);
        found.pages += extent->page_count;
        for (uint64_t i = 0; i < (extent->page_count << REC_PAGE_SHIFT) / sizeof *span; i++) {
            if (span[i].node) {
                cr_assert_eq(span[i].node, NODE);
                found.spans++;
                found.shorter += span[i].ticks < least;
                found.start_sum += span[i].start;
            }
        }
    }
    return found;
}

Test(rt_call_spans, few_calls_are_all_kept)
{
    struct rt_thread *thread = begin(0);
    thread->calls.spans.stack = 3;
    for (uint64_t i = 1; i <= 1000; i++) {
        rt_spans_add(&thread->calls, NODE, i, 0);
    }
    struct found found = find(0);
    cr_assert_eq(found.spans, 1000);
    cr_assert_eq(found.start_sum, 500500);
    cr_assert_eq(thread->record->resolution_ticks, 0);
    const struct rec_span *first = rt_fixture_record(REC_KIND_SPANS, 0, sizeof *first);
    cr_assert_eq(first->stack, 3);
}

/* Of the i-th call, one ending each microsecond. */
static uint64_t start_of(uint64_t i, uint64_t ticks)
{
    return (UINT64_C(1) << 33) + i * 1000 - ticks;
}

Test(rt_call_spans, full_they_keep_all_that_take_the_resolution)
{
    struct rt_thread *thread = begin(0);
    enum { CALLS = 3000000 };
    static uint32_t ticks[CALLS];
    uint64_t state = 1, resolution = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        uint64_t random = rt_fixture_random(&state);
        ticks[i] = (uint32_t)(random >> 32) >> (random & 31);
        rt_spans_add(&thread->calls, NODE, start_of(i, ticks[i]), ticks[i]);
        cr_assert_geq(thread->record->resolution_ticks, resolution);
        resolution = thread->record->resolution_ticks;
    }
    uint64_t kept = 0, start_sum = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        kept += ticks[i] >= resolution;
        start_sum += ticks[i] >= resolution ? start_of(i, ticks[i]) : 0;
    }
    struct found found = find(resolution);
    cr_assert_gt(resolution, 1000);
    cr_assert_eq(found.spans, kept);
    cr_assert_eq(found.shorter, 0);
    cr_assert_eq(found.start_sum, start_sum);
    cr_assert_leq(found.pages, 1536);
    cr_assert_gt(kept, 20000);
    cr_assert_eq(thread->record->spans_lost, 0);
}

Test(rt_call_spans, equal_ones_do_not_fill_it_for_ever)
{
    struct rt_thread *thread = begin(0);
    for (uint32_t i = 0; i < 1000000; i++) {
        rt_spans_add(&thread->calls, NODE, i, 5000);
    }
    cr_assert_gt(thread->record->resolution_ticks, 5000);
    cr_assert_eq(find(0).spans, 0);
}

Test(rt_call_spans, many_calls_at_once_get_little_room)
{
    struct rt_thread *thread = begin(0);
    for (uint32_t i = 0; i < 1000000; i++) {
        rt_spans_add(&thread->calls, NODE, i, i % 500);
    }
    cr_assert_leq(find(0).pages, 16 + 1);
}

Test(rt_call_spans, calls_that_are_slow_enough_are_all_kept)
{
    struct rt_thread *thread = begin(0);
    enum { CALLS = 200000, EACH_NS = 7000 };
    for (uint64_t i = 0; i < CALLS; i++) {
        rt_spans_add(&thread->calls, NODE, i * EACH_NS, EACH_NS);
    }
    cr_assert_eq(find(0).spans, CALLS);
    cr_assert_eq(thread->record->resolution_ticks, 0);
}

Test(rt_call_spans, room_grows_by_a_page_in_a_millisecond)
{
    struct rt_thread *thread = begin(0);
    enum { MS = 1000000, MOST_NS = 400 * MS, MOST_PAGES = 16 + MOST_NS / MS };
    uint64_t now = 1 << 20;
    for (uint64_t end = now + 10 * MS; now < end; now += 100) {
        rt_spans_add(&thread->calls, NODE, now, 1000 + now % 16384);
    }
    cr_assert_leq(find(0).pages, 16 + 10);
    uint64_t early = thread->record->resolution_ticks;
    cr_assert_gt(early, 1000);
    for (; now < (1 << 20) + MOST_NS; now += 100) {
        rt_spans_add(&thread->calls, NODE, now, 1000 + now % 65536);
    }
    cr_assert_gt(find(0).pages, MOST_PAGES / 2);
    cr_assert_leq(find(0).pages, MOST_PAGES);
    cr_assert_eq(thread->record->spans_lost, 0);
}

Test(rt_call_spans, each_of_many_threads_has_its_part)
{
    struct rt_thread *thread = begin(0);
    rt_recording.header->thread_count = 100;
    for (uint32_t i = 0; i < 1000000; i++) {
        rt_spans_add(&thread->calls, NODE, i, 1000 + i);
    }
    cr_assert_leq(find(0).pages, 15);
    cr_assert_gt(find(0).pages, 7);
}

Test(rt_call_spans, a_handler_that_interrupts_the_work_finds_no_place)
{
    struct rt_thread *thread = begin(0);
    struct rt_calls *calls = &thread->calls;
    calls->spans.busy = (uintptr_t)__builtin_frame_address(0); /* further out: it lives */
    rt_spans_add(calls, NODE, 1, 1);
    cr_assert_eq(thread->record->spans_lost, 1);
    cr_assert_eq(find(0).spans, 0);
}

Test(rt_call_spans, work_that_a_handler_jumped_out_of_is_taken_over)
{
    struct rt_thread *thread = begin(0);
    struct rt_calls *calls = &thread->calls;
    calls->spans.busy = (uintptr_t)__builtin_frame_address(0) - 65536;
    rt_spans_add(calls, NODE, 1, 1);
    cr_assert_eq(thread->record->spans_lost, 0);
    cr_assert_eq(find(0).spans, 1);
    cr_assert_eq(calls->spans.busy, 0);
}

Test(rt_call_spans, without_room_there_are_none)
{
    struct rt_thread *thread = begin(4 << 20);
    while (rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, thread->tid)) {
    }
    rt_spans_add(&thread->calls, NODE, 1, 1000);
    cr_assert_eq(thread->record->resolution_ticks, REC_RESOLUTION_NONE);
    cr_assert_eq(thread->calls.spans.least, REC_RESOLUTION_NONE);
}

Test(rt_call_spans, where_no_time_is_recorded_there_are_none)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_clock.kind = REC_CLOCK_MONOTONIC;
    struct rt_thread *thread = rt_fixture_enter();
    rt_fixture_leave(thread);
    cr_assert(rt_calls_begin(thread));
    rt_spans_add(&thread->calls, NODE, 1, 1000);
    cr_assert_eq(find(0).spans, 0);
}
