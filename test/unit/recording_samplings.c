#include "analyzer/input/recording_samplings.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/input/recording_profile.h"
#include "test/support/recording_builder.h"

enum { MS = 1000000, MAIN = 0x401000, WORK = 0x402000, LEAF = 0x403000 };

static char path[64];
static struct builder *builder;
static uint32_t thread, other, at_main, at_work, at_leaf;

static void setup(void)
{
    snprintf(path, sizeof(path), "/tmp/thag-samplings-XXXXXX");
    close(mkstemp(path));
    builder = builder_new();
    builder_header(builder)->content = 0;
    thread = builder_thread(builder, "one");
    other = builder_thread(builder, "two");
    builder_module(builder, "/opt/sample", 0x400000, 0x410000);
    uint32_t node = builder_node(builder, 0, MAIN, 1);
    at_main = builder_stack(builder, node, 0);
    uint32_t work = builder_node(builder, node, WORK, 1);
    at_work = builder_stack(builder, work, 0);
    at_leaf = builder_stack(builder, builder_node(builder, work, LEAF, 1), 0);
    builder_sampled(builder, thread, at_main, 10, 10 * MS);
    builder_sampled(builder, thread, at_work, 10, 10 * MS);
    builder_sampled(builder, thread, at_leaf, 10, 10 * MS);
}

static void teardown(void)
{
    builder_free(builder);
    unlink(path);
}

TestSuite(recording_samplings, .init = setup, .fini = teardown);

static int load(const char *name, struct an_profile *ret_profile, struct an_fault *fault)
{
    struct an_recording_options options = {.thread = name, .timeline = true};
    builder_save(builder, path);
    an_profile_init(ret_profile);
    return an_recording_load(path, &options, ret_profile, fault);
}

static struct an_profile loaded(const char *name)
{
    struct an_profile profile;
    struct an_fault fault;
    cr_assert_eq(load(name, &profile, &fault), 0, "%s", fault.text);
    return profile;
}

static void is_span(const struct an_timeline *timeline, uint32_t index, uint32_t row,
                    uint64_t start_ms, uint64_t end_ms)
{
    cr_assert_lt(index, timeline->span_count);
    const struct an_span *span = &timeline->span[index];
    cr_assert_eq(span->row, row, "span %u: row %u", index, span->row);
    cr_assert_eq(span->start_ns, start_ms * MS, "span %u: from %lu", index, span->start_ns);
    cr_assert_eq(span->start_ns + span->duration_ns, end_ms * MS, "span %u: to %lu", index,
                 span->start_ns + span->duration_ns);
}

Test(recording_samplings, what_neighbours_share_is_one_span)
{
    builder_sampling(builder, thread, 1 * MS, at_leaf, 1000);
    builder_sampling(builder, thread, 2 * MS, at_work, 1000);
    builder_sampling(builder, thread, 3 * MS, at_leaf, 1000);
    struct an_profile profile = loaded(NULL);
    const struct an_timeline *timeline = profile.timeline;
    cr_assert_not_null(timeline);
    cr_assert_eq(timeline->lane_count, 1);
    cr_assert_str_eq(timeline->lane[0].name, "one");
    cr_assert(timeline->sampled);
    cr_assert_eq(timeline->lane[0].rows, 3);
    cr_assert_eq(timeline->span_count, 4);
    is_span(timeline, 0, 0, 0, 3);
    is_span(timeline, 1, 1, 0, 3);
    is_span(timeline, 2, 2, 0, 1);
    is_span(timeline, 3, 2, 2, 3);
    an_profile_release(&profile);
}

Test(recording_samplings, a_gap_ends_the_spans)
{
    builder_sampling(builder, thread, 1 * MS, at_main, 1000);
    builder_sampling(builder, thread, 10 * MS, at_main, 1000);
    struct an_profile profile = loaded(NULL);
    cr_assert_eq(profile.timeline->span_count, 2);
    is_span(profile.timeline, 0, 0, 0, 1);
    is_span(profile.timeline, 1, 0, 9, 10);
    an_profile_release(&profile);
}

Test(recording_samplings, points_in_any_order_and_twice_are_put_right)
{
    builder_sampling(builder, thread, 2 * MS, at_main, 1000);
    builder_sampling(builder, thread, 1 * MS, at_main, 1000);
    builder_sampling(builder, thread, 2 * MS, at_main, 1000);
    struct an_profile profile = loaded(NULL);
    cr_assert_eq(profile.timeline->span_count, 1);
    is_span(profile.timeline, 0, 0, 0, 2);
    an_profile_release(&profile);
}

Test(recording_samplings, each_slot_has_a_lane_and_one_can_be_had_alone)
{
    builder_sampling(builder, thread, 1 * MS, at_main, 1000);
    builder_sampling(builder, other, 1 * MS, at_work, 1000);
    struct an_profile profile = loaded(NULL);
    cr_assert_eq(profile.timeline->lane_count, 2);
    cr_assert_eq(profile.timeline->lane[1].count, 2);
    an_profile_release(&profile);
    profile = loaded("one");
    cr_assert_eq(profile.timeline->lane_count, 1);
    an_profile_release(&profile);
}

Test(recording_samplings, without_points_there_is_no_timeline)
{
    struct an_profile profile = loaded(NULL);
    cr_assert_null(profile.timeline);
    an_profile_release(&profile);
}

Test(recording_samplings, a_point_of_a_stack_that_is_not_there_is_an_error)
{
    struct an_profile profile;
    struct an_fault fault;
    builder_sampling(builder, thread, 1 * MS, 1000, 1000);
    cr_assert_eq(load(NULL, &profile, &fault), -EBADMSG);
    cr_assert_not_null(strstr(fault.text, "a sample of stack 1000"), "%s", fault.text);
    an_profile_release(&profile);
}
