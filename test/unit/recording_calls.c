#include "analyzer/input/recording_calls.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/input/recording_profile.h"
#include "test/support/recording_builder.h"

/* Ticks of half a nanosecond; a pair of hooks costs 10 ticks inside and 6 outside. */
enum { MAIN = 0x401000, WORK = 0x402000, FIBRE_BODY = 0x403000 };

static char path[64];
static struct builder *builder;
static uint32_t thread, root, outer, inner;

static void setup(void)
{
    snprintf(path, sizeof(path), "/tmp/thag-calls-XXXXXX");
    close(mkstemp(path));
    builder = builder_new();
    struct rec_header *header = builder_header(builder);
    header->clock_kind = REC_CLOCK_TSC;
    header->clock_point[0] = (struct rec_clock_point){1000, header->start_monotonic_ns};
    header->clock_last = 2;
    header->clock_point[2].ns = header->end_ns;
    header->clock_point[2].ticks = 1000 + 2 * (header->end_ns - header->start_monotonic_ns);
    header->cost_inside = 10 * 1024;
    header->cost_outside = 6 * 1024;
    thread = builder_thread(builder, "sample");
    root = builder_call(builder, thread, 0, REC_SPECIAL_THREAD);
    outer = builder_call(builder, thread, root, MAIN);
    inner = builder_call(builder, thread, outer, WORK);
    *builder_call_at(builder, thread, outer) = (struct rec_call){.function = MAIN,
                                                                 .frame = UINT64_MAX,
                                                                 .start = REC_CALL_NO_START,
                                                                 .inclusive = 10000,
                                                                 .calls = 1,
                                                                 .parent = root,
                                                                 .shortest = 10000,
                                                                 .longest = 10000,
                                                                 .off_cpu_ns = 100};
    *builder_call_at(builder, thread, inner) = (struct rec_call){.function = WORK,
                                                                 .frame = UINT64_MAX,
                                                                 .start = REC_CALL_NO_START,
                                                                 .inclusive = 4000,
                                                                 .calls = 20,
                                                                 .parent = outer,
                                                                 .shortest = 20,
                                                                 .longest = 300};
}

static void teardown(void)
{
    builder_free(builder);
    unlink(path);
}

TestSuite(recording_calls, .init = setup, .fini = teardown);

static void load(bool raw, struct an_profile *ret_profile)
{
    struct an_recording_options options = {.raw = raw};
    struct an_fault fault = {{0}};
    builder_save(builder, path);
    an_profile_init(ret_profile);
    cr_assert_eq(an_recording_load(path, &options, ret_profile, &fault), 0, "%s", fault.text);
}

static uint64_t amount(const struct an_profile *profile, uint32_t node, enum an_value value)
{
    return profile->tree->self[value][node];
}

Test(recording_calls, raw_exclusive_is_inclusive_less_the_children)
{
    struct an_profile profile;
    load(true, &profile);
    cr_assert_eq(profile.tree->node_count, 3);
    cr_assert_eq(amount(&profile, 1, AN_TIME), 3000);
    cr_assert_eq(amount(&profile, 2, AN_TIME), 2000);
    cr_assert_eq(amount(&profile, 1, AN_INCLUSIVE), 5000);
    cr_assert_eq(amount(&profile, 2, AN_CALLS), 20);
    an_profile_release(&profile);
}

Test(recording_calls, cost_is_taken_out_of_the_callee_and_its_caller)
{
    struct an_profile profile;
    load(false, &profile);
    cr_assert_eq(amount(&profile, 1, AN_TIME), (6000 - 10 - 20 * 6) / 2);
    cr_assert_eq(amount(&profile, 2, AN_TIME), (4000 - 20 * 10) / 2);
    cr_assert_eq(amount(&profile, 1, AN_INCLUSIVE),
                 amount(&profile, 1, AN_TIME) + amount(&profile, 2, AN_TIME));
    cr_assert_eq(amount(&profile, 1, AN_OFF_CPU), 100);
    cr_assert_eq(amount(&profile, 1, AN_ON_CPU), amount(&profile, 1, AN_TIME) - 100);
    an_profile_release(&profile);
}

Test(recording_calls, single_calls_have_their_part_of_the_cost_taken_out)
{
    struct an_profile profile;
    load(false, &profile);
    const struct an_call_facts *facts = profile.tree->facts;
    uint64_t inner_cost = 20 * 10, outer_cost = 10 + 20 * 6;
    cr_assert_eq(facts[1].cost, outer_cost / 2);
    cr_assert_eq(facts[2].cost, inner_cost / 2);
    cr_assert_eq(facts[1].shortest, (10000 - inner_cost - outer_cost) / 2);
    cr_assert_eq(facts[1].longest, amount(&profile, 1, AN_INCLUSIVE));
    cr_assert_eq(facts[2].shortest, (20 - 10) / 2);
    cr_assert_eq(facts[2].longest, (300 - 10) / 2);
    an_profile_release(&profile);
}

Test(recording_calls, raw_single_calls_are_as_recorded)
{
    struct an_profile profile;
    load(true, &profile);
    cr_assert_eq(profile.tree->facts[2].shortest, 10);
    cr_assert_eq(profile.tree->facts[2].longest, 150);
    cr_assert_eq(profile.tree->facts[2].cost, 0);
    cr_assert_eq(profile.tree->facts[0].shortest, UINT64_MAX);
    an_profile_release(&profile);
}

Test(recording_calls, cost_above_the_time_leaves_zero)
{
    struct an_profile profile;
    builder_call_at(builder, thread, inner)->calls = 1000000;
    load(false, &profile);
    cr_assert_eq(amount(&profile, 1, AN_TIME), 0);
    cr_assert_eq(amount(&profile, 2, AN_TIME), 0);
    cr_assert_eq(amount(&profile, 2, AN_CALLS), 1000000);
    an_profile_release(&profile);
}

Test(recording_calls, open_call_counts_up_to_the_end_stamp)
{
    struct an_profile profile;
    struct rec_call *call = builder_call_at(builder, thread, outer);
    call->inclusive = 0;
    call->start = builder_header(builder)->clock_point[2].ticks - 8000;
    load(true, &profile);
    cr_assert_eq(amount(&profile, 1, AN_INCLUSIVE), 4000);
    cr_assert_eq(profile.tree->facts[1].shortest, 4000);
    an_profile_release(&profile);
}

Test(recording_calls, open_call_of_a_killed_process_counts_up_to_its_last_hook)
{
    struct an_profile profile;
    struct rec_call *call = builder_call_at(builder, thread, outer);
    call->inclusive = 0;
    call->start = 100000;
    builder_call_at(builder, thread, inner)->start = 112000;
    builder_header(builder)->end_ns = 0;
    builder_header(builder)->pid = 0x7ffffffe; /* nobody's */
    load(true, &profile);
    cr_assert_eq(amount(&profile, 1, AN_INCLUSIVE), 6000);
    an_profile_release(&profile);
}

Test(recording_calls, fibres_stand_at_the_root_as_async)
{
    struct an_profile profile;
    uint32_t fibres = builder_call(builder, thread, root, REC_SPECIAL_FIBRE);
    uint32_t body = builder_call(builder, thread, fibres, FIBRE_BODY);
    builder_call_at(builder, thread, body)->calls = 2;
    builder_call_at(builder, thread, body)->inclusive = 600;
    load(true, &profile);
    cr_assert_eq(profile.tree->parent[3], 0);
    size_t bytes = 0;
    const char *name = an_names_text(profile.tree->names, profile.tree->name[3], &bytes);
    cr_assert_eq(strncmp(name, "async::", 7), 0, "%s", name);
    cr_assert_eq(amount(&profile, 3, AN_TIME), 300);
    cr_assert_eq(amount(&profile, 1, AN_TIME), 3000);
    an_profile_release(&profile);
}

Test(recording_calls, several_nodes_of_one_path_are_one)
{
    struct an_profile profile;
    uint32_t twin = builder_call(builder, thread, outer, WORK);
    builder_call_at(builder, thread, twin)->calls = 3;
    builder_call_at(builder, thread, twin)->inclusive = 1000;
    load(true, &profile);
    cr_assert_eq(profile.tree->node_count, 3);
    cr_assert_eq(amount(&profile, 2, AN_CALLS), 23);
    cr_assert_eq(amount(&profile, 2, AN_TIME), 2500);
    cr_assert_eq(amount(&profile, 1, AN_TIME), 2500);
    an_profile_release(&profile);
}

Test(recording_calls, children_longer_than_their_parent_leave_zero)
{
    struct an_profile profile;
    builder_call_at(builder, thread, inner)->inclusive = UINT64_MAX / 8;
    load(true, &profile);
    cr_assert_eq(amount(&profile, 1, AN_TIME), 0);
    an_profile_release(&profile);
}

static void refused(const char *words)
{
    struct an_recording recording;
    struct an_fault fault = {{0}};
    builder_save(builder, path);
    cr_assert_eq(an_recording_open(path, NULL, &recording, &fault), -EBADMSG);
    cr_assert_not_null(strstr(fault.text, words), "%s", fault.text);
}

Test(recording_calls, parent_behind_its_child_is_refused)
{
    builder_call_at(builder, thread, outer)->parent = inner;
    refused("which is no call of its thread before it");
}

Test(recording_calls, parent_in_another_thread_is_refused)
{
    uint32_t other = builder_thread(builder, "other");
    builder_call(builder, other, 0, REC_SPECIAL_THREAD);
    uint32_t call = builder_call(builder, other, 1, WORK);
    builder_call_at(builder, other, call)->parent = (uint32_t)-30; /* on the other's page */
    refused("which is no call of its thread before it");
}

Test(recording_calls, clock_points_that_say_nothing_do_not_divide_by_zero)
{
    struct an_profile profile;
    struct rec_header *header = builder_header(builder);
    header->clock_point[2] = header->clock_point[0];
    load(true, &profile);
    cr_assert_eq(amount(&profile, 2, AN_TIME), 4000);
    an_profile_release(&profile);
}

Test(recording_calls, marker_of_deep_recursion_is_no_call_itself)
{
    struct an_profile profile;
    uint32_t marker = builder_call(builder, thread, inner, REC_SPECIAL_ELIDED);
    uint32_t deep = builder_call(builder, thread, marker, WORK);
    *builder_call_at(builder, thread, marker) = (struct rec_call){.function = REC_SPECIAL_ELIDED,
                                                                  .frame = UINT64_MAX,
                                                                  .start = REC_CALL_NO_START,
                                                                  .inclusive = 200,
                                                                  .calls = 1,
                                                                  .parent = inner,
                                                                  .shortest = 200,
                                                                  .longest = 200};
    *builder_call_at(builder, thread, deep) = (struct rec_call){.function = WORK,
                                                                .frame = UINT64_MAX,
                                                                .start = REC_CALL_NO_START,
                                                                .inclusive = 100,
                                                                .calls = 7,
                                                                .parent = marker,
                                                                .shortest = 10,
                                                                .longest = 20};
    load(false, &profile);
    cr_assert_eq(profile.tree->sum[AN_CALLS], 1 + 20 + 7);
    an_profile_release(&profile);
}
