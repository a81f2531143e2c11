#include "analyzer/input/recording_spans.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/input/recording_profile.h"
#include "test/support/recording_builder.h"

/* Ticks of half a nanosecond, from 1000 at the start on. */
enum { MAIN = 0x401000, WORK = 0x402000, BODY = 0x403000 };

static char path[64];
static struct builder *builder;
static uint32_t thread, root, outer, inner;
static struct an_profile profile;

/* A call that was made. */
static uint32_t call_new(uint32_t parent, uint64_t function)
{
    uint32_t call = builder_call(builder, thread, parent, function);
    builder_call_at(builder, thread, call)->calls = 1;
    return call;
}

static void setup(void)
{
    snprintf(path, sizeof(path), "/tmp/thag-spans-XXXXXX");
    close(mkstemp(path));
    builder = builder_new();
    struct rec_header *header = builder_header(builder);
    header->clock_kind = REC_CLOCK_TSC;
    header->clock_point[0] = (struct rec_clock_point){1000, header->start_monotonic_ns};
    header->clock_last = 1;
    header->clock_point[1].ns = header->end_ns;
    header->clock_point[1].ticks = 1000 + 2 * (header->end_ns - header->start_monotonic_ns);
    thread = builder_thread(builder, "sample");
    root = builder_call(builder, thread, 0, REC_SPECIAL_THREAD);
    outer = call_new(root, MAIN);
    inner = call_new(outer, WORK);
    an_profile_init(&profile);
}

static void teardown(void)
{
    an_profile_release(&profile);
    builder_free(builder);
    unlink(path);
}

TestSuite(recording_spans, .init = setup, .fini = teardown);

static const struct an_timeline *load(void)
{
    struct an_recording_options options = {.timeline = true};
    struct an_fault fault = {{0}};
    builder_save(builder, path);
    cr_assert_eq(an_recording_load(path, &options, &profile, &fault), 0, "%s", fault.text);
    return profile.timeline;
}

static void assert_span(const struct an_span *span, uint64_t start_ns, uint64_t duration_ns,
                        uint32_t row)
{
    cr_assert_eq(span->start_ns, start_ns);
    cr_assert_eq(span->duration_ns, duration_ns);
    cr_assert_eq(span->row, row);
}

Test(recording_spans, come_in_the_order_of_their_starts_callers_first)
{
    builder_span(builder, thread, inner, 1600, 100);
    builder_span(builder, thread, inner, 1400, 100);
    builder_span(builder, thread, outer, 1400, 600);
    const struct an_timeline *timeline = load();
    cr_assert_eq(timeline->lane_count, 1);
    cr_assert_str_eq(timeline->lane[0].name, "sample");
    cr_assert_eq(timeline->lane[0].rows, 2);
    cr_assert_eq(timeline->span_count, 3);
    assert_span(&timeline->span[0], 200, 300, 0);
    assert_span(&timeline->span[1], 200, 50, 1);
    assert_span(&timeline->span[2], 300, 50, 1);
}

Test(recording_spans, what_is_there_twice_or_below_the_resolution_counts_once_or_not)
{
    builder_thread_at(builder, thread)->resolution_ticks = 100;
    builder_span(builder, thread, inner, 1600, 99);
    builder_span(builder, thread, inner, 1400, 100);
    builder_span(builder, thread, 0, 1300, 1000);
    builder_span(builder, thread, inner, 1400, 100);
    const struct an_timeline *timeline = load();
    cr_assert_eq(timeline->span_count, 1);
    assert_span(&timeline->span[0], 200, 50, 1);
    cr_assert_eq(timeline->lane[0].least_ns, 50);
}

Test(recording_spans, a_call_that_was_open_reaches_to_the_end)
{
    builder_call_at(builder, thread, outer)->start = 1200;
    builder_call_at(builder, thread, inner)->start = 1400;
    builder_span(builder, thread, inner, 1400, 20);
    const struct an_timeline *timeline = load();
    const struct rec_header *header = builder_header(builder);
    cr_assert_eq(timeline->span_count, 2);
    assert_span(&timeline->span[0], 100, header->end_ns - header->start_monotonic_ns - 100, 0);
    cr_assert(timeline->span[0].open);
    assert_span(&timeline->span[1], 200, 10, 1); /* killed between the span and its node */
    cr_assert_not(timeline->span[1].open);
}

Test(recording_spans, each_fibre_has_a_lane_the_open_one_with_its_own_calls)
{
    uint32_t fibres = builder_call(builder, thread, root, REC_SPECIAL_FIBRE);
    uint32_t body = call_new(fibres, BODY);
    uint32_t step = call_new(body, WORK);
    builder_call_at(builder, thread, body)->start = 1500;
    builder_span(builder, thread, outer, 1200, 5000);
    builder_span(builder, thread, body, 1300, 100)->stack = 4;
    builder_span(builder, thread, step, 1600, 100)->stack = 7;
    const struct an_timeline *timeline = load();
    cr_assert_eq(timeline->lane_count, 3);
    cr_assert_eq(timeline->lane[0].fibre, 0);
    cr_assert_eq(timeline->lane[1].fibre, 1);
    cr_assert_eq(timeline->lane[2].fibre, 2);
    cr_assert_eq(timeline->lane[1].count, 1);
    cr_assert_eq(timeline->lane[2].count, 2);
    cr_assert(timeline->span[timeline->lane[2].first].open);
    assert_span(&timeline->span[timeline->lane[2].first + 1], 300, 50, 1);
}

Test(recording_spans, a_span_of_no_call_is_refused)
{
    struct an_recording_options options = {.timeline = true};
    struct an_fault fault = {{0}};
    builder_span(builder, thread, 900, 1200, 5000);
    builder_save(builder, path);
    cr_assert_eq(an_recording_load(path, &options, &profile, &fault), -EBADMSG);
    cr_assert_not_null(strstr(fault.text, "which its thread has not made"), "%s", fault.text);
}

Test(recording_spans, without_spans_there_is_no_timeline)
{
    cr_assert_null(load());
}
