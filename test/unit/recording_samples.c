#include "analyzer/input/recording_samples.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/input/recording_profile.h"
#include "test/support/recording_builder.h"

enum { MAIN = 0x401000, WORK = 0x402000, HOOK = 0x701000, BEHIND = 0x403000 };

static char path[64];
static struct builder *builder;
static uint32_t first, second, at_main, at_work;

static void setup(void)
{
    snprintf(path, sizeof(path), "/tmp/thag-samples-XXXXXX");
    close(mkstemp(path));
    builder = builder_new();
    builder_header(builder)->content = 0;
    first = builder_thread(builder, "one");
    second = builder_thread(builder, "two");
    builder_module(builder, "/opt/sample", 0x400000, 0x410000);
    uint32_t node = builder_node(builder, 0, MAIN, 1);
    at_main = builder_stack(builder, node, 0);
    at_work = builder_stack(builder, builder_node(builder, node, WORK | REC_NODE_EXACT, 1), 0);
    builder_sampled(builder, first, at_work, 10, 40000000);
    builder_sampled(builder, second, at_work, 5, 5000000);
    builder_sampled(builder, second, at_main, 1, 1000000);
}

static void teardown(void)
{
    builder_free(builder);
    unlink(path);
}

TestSuite(recording_samples, .init = setup, .fini = teardown);

static struct an_profile load(const char *thread)
{
    struct an_recording_options options = {.thread = thread};
    struct an_profile profile;
    struct an_fault fault;
    builder_save(builder, path);
    an_profile_init(&profile);
    cr_assert_eq(an_recording_load(path, &options, &profile, &fault), 0, "%s", fault.text);
    return profile;
}

/* The value of the node that NAMES lead to, NULL ending them. */
static uint64_t value_of(const struct an_profile *profile, enum an_value value, const char *one,
                         const char *two)
{
    const struct an_tree *tree = profile->tree;
    for (uint32_t i = 1; i < tree->node_count; i++) {
        size_t bytes;
        uint32_t parent = tree->parent[i];
        const char *own = two != NULL ? two : one;
        bool under =
            two == NULL
                ? parent == 0
                : parent != 0 &&
                      strcmp(an_names_text(tree->names, tree->name[parent], &bytes), one) == 0;
        if (under && strcmp(an_names_text(tree->names, tree->name[i], &bytes), own) == 0)
            return tree->self[value][i];
    }
    cr_assert_fail("no %s %s", one, two != NULL ? two : "");
    return 0;
}

Test(recording_samples, slots_are_summed_up)
{
    struct an_profile profile = load(NULL);
    cr_assert_eq(profile.tree->sum[AN_SAMPLE_TIME], 46000000);
    cr_assert_eq(profile.tree->sum[AN_SAMPLES], 16);
    cr_assert_eq(value_of(&profile, AN_SAMPLES, "sample+0x1000", "sample+0x2000"), 15);
    cr_assert_eq(value_of(&profile, AN_SAMPLE_TIME, "sample+0x1000", NULL), 1000000);
    cr_assert(!an_tree_has(profile.tree, AN_BYTES), "no heap was recorded");
    an_profile_release(&profile);
}

Test(recording_samples, one_threads_share_can_be_had_alone)
{
    struct an_profile profile = load("two");
    cr_assert_eq(profile.tree->sum[AN_SAMPLE_TIME], 6000000);
    an_profile_release(&profile);
}

Test(recording_samples, frames_of_the_recorder_are_not_the_programs)
{
    builder_module(builder, "/opt/libthagpreload.so", 0x700000, 0x710000)->flags =
        REC_MODULE_RECORDER;
    uint32_t hook = builder_node(builder, 1, HOOK, 1);
    uint32_t deeper = builder_node(builder, hook, (HOOK + 64) | REC_NODE_EXACT, 1);
    uint32_t behind = builder_node(builder, hook, BEHIND | REC_NODE_EXACT, 1);
    builder_sampled(builder, first, builder_stack(builder, deeper, 0), 3, 3000);
    builder_sampled(builder, first, builder_stack(builder, behind, 0), 7, 7000);
    struct an_profile profile = load(NULL);
    cr_assert_eq(value_of(&profile, AN_SAMPLES, "sample+0x1000", "[thag]"), 3);
    cr_assert_eq(value_of(&profile, AN_SAMPLES, "sample+0x1000", "sample+0x3000"), 7);
    an_profile_release(&profile);
}

Test(recording_samples, what_no_signal_was_there_for_has_a_name)
{
    uint32_t blocked = builder_node(builder, 0, REC_SPECIAL_BLOCKED, 1);
    builder_sampled(builder, first, builder_stack(builder, blocked, 0), 0, 123);
    struct an_profile profile = load(NULL);
    cr_assert_eq(value_of(&profile, AN_SAMPLE_TIME, "[signals blocked]", NULL), 123);
    cr_assert_eq(value_of(&profile, AN_SAMPLES, "[signals blocked]", NULL), 0);
    an_profile_release(&profile);
}

Test(recording_samples, a_stack_that_is_not_there_is_an_error)
{
    struct an_recording recording;
    struct an_fault fault;
    builder_sampled(builder, first, at_work + 2, 1, 1);
    builder_save(builder, path);
    cr_assert_eq(an_recording_open(path, NULL, &recording, &fault), -EBADMSG);
    cr_assert_not_null(strstr(fault.text, "samples of stack 4"), "%s", fault.text);
}

Test(recording_samples, a_sum_over_64_bits_is_an_error)
{
    struct an_recording recording;
    struct an_fault fault;
    builder_sampled(builder, first, at_main, 0, UINT64_MAX);
    builder_save(builder, path);
    cr_assert_eq(an_recording_open(path, NULL, &recording, &fault), -EOVERFLOW);
}

Test(recording_samples, the_rate_is_told_as_asked_and_as_reached)
{
    char text[100];
    struct rec_header header = {.sample_hz = 997};
    an_recording_rate_text(&header, 250, 1000000000, text, sizeof(text));
    cr_assert_str_eq(text, "997 Hz asked, 250 Hz reached");
    an_recording_rate_text(&header, 0, 0, text, sizeof(text));
    cr_assert_str_eq(text, "997 Hz asked, 0 Hz reached");
}
