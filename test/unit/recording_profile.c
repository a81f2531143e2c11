#include "analyzer/input/recording_profile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analyzer/output/folded_writer.h"
#include "test/support/recording_builder.h"

static char path[64];
static struct builder *builder;

static void setup(void)
{
    snprintf(path, sizeof(path), "/tmp/thag-profile-XXXXXX");
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    builder = builder_sample();
}

static void teardown(void)
{
    builder_free(builder);
    unlink(path);
}

TestSuite(recording_profile, .init = setup, .fini = teardown);

static void load(struct an_profile *profile, const struct an_recording_options *options)
{
    const struct an_recording_options plain = {0};
    struct an_fault fault = {""};
    an_profile_init(profile);
    builder_save(builder, path);
    cr_assert_eq(an_recording_load(path, options == NULL ? &plain : options, profile, &fault), 0,
                 "%s", fault.text);
}

/* The stacks of one value as folded lines. */
static void folded_is(const struct an_profile *profile, enum an_value value, const char *wanted)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    const struct an_folded_output output = {.value = value, .scale = 1, .order = AN_BY_NAME};
    an_folded_write(profile->tree, &output, out);
    fclose(out);
    cr_assert_str_eq(text, wanted);
    free(text);
}

Test(recording_profile, stacks_are_root_first_with_offsets_where_there_is_no_name)
{
    struct an_profile profile;
    load(&profile, NULL);
    folded_is(&profile, AN_BYTES,
              "[cut];[jit] 4096\n"
              "sample+0x1000;sample+0x2000;libpart.so+0x1000 1100\n"
              "sample+0x1000;sample+0x3000 21\n");
    folded_is(&profile, AN_LIVE_BLOCKS, "sample+0x1000;sample+0x2000;libpart.so+0x1000 1\n");
    folded_is(&profile, AN_FREES,
              "[cut];[jit] 1\n"
              "sample+0x1000;sample+0x2000;libpart.so+0x1000 14\n"
              "sample+0x1000;sample+0x3000 3\n");
    an_profile_release(&profile);
}

Test(recording_profile, thread_filter_leaves_the_other_threads_out)
{
    struct an_profile profile;
    const struct an_recording_options options = {.thread = "worker"};
    load(&profile, &options);
    folded_is(&profile, AN_ALLOCATIONS,
              "sample+0x1000;sample+0x2000;libpart.so+0x1000 5\n"
              "sample+0x1000;sample+0x3000 3\n");
    an_profile_release(&profile);
}

Test(recording_profile, special_frames_have_names_of_their_own)
{
    struct an_profile profile;
    const uint64_t keys[] = {REC_SPECIAL_UNKNOWN, REC_SPECIAL_CUT, REC_SPECIAL_BEFORE_START,
                             REC_SPECIAL_ELIDED, 4095};
    builder_free(builder);
    builder = builder_new();
    builder_thread(builder, "t");
    for (int i = 0; i < 5; i++)
        builder_blocks(builder, 0, builder_stack(builder, builder_node(builder, 0, keys[i], 0), 0),
                       1, (uint64_t)1 << i, 0);
    load(&profile, NULL);
    folded_is(&profile, AN_BYTES, "[...] 8\n[before start] 4\n[cut] 2\n[unknown] 17\n");
    an_profile_release(&profile);
}

Test(recording_profile, stack_without_a_node_and_node_without_a_parent_are_unknown)
{
    struct an_profile profile;
    builder_stack_at(builder, 2)->node = 0;
    builder_node_at(builder, 2)->key = 0; /* claimed, not filled: the process was killed */
    load(&profile, NULL);
    folded_is(&profile, AN_BYTES,
              "[cut];[jit] 4096\n"
              "[unknown] 21\n"
              "[unknown];libpart.so+0x1000 1100\n");
    /* The stack, and the one module that is left. */
    cr_assert_eq(profile.note_count, 2);
    cr_assert_str_eq(profile.note[1], "/opt/libpart.so is not here: its functions have no names");
    cr_assert_eq(profile.nameless_modules, 1);
    an_profile_release(&profile);
}

Test(recording_profile, code_made_at_run_time_has_the_name_that_its_maker_wrote)
{
    struct an_profile profile;
    struct utsname here;
    char map[64];
    struct rec_header *header = builder_header(builder);
    cr_assert_eq(uname(&here), 0);
    header->pid = (uint32_t)getpid();
    header->uid = getuid();
    header->host = builder_text(builder, here.nodename, strlen(here.nodename));
    snprintf(map, sizeof(map), "/tmp/perf-%d.map", (int)getpid());
    FILE *file = fopen(map, "w");
    fputs("123456788f00 100 Object.run\n", file); /* its call is its last instruction */
    fclose(file);
    load(&profile, NULL);
    folded_is(&profile, AN_BYTES,
              "[cut];Object.run 4096\n"
              "sample+0x1000;sample+0x2000;libpart.so+0x1000 1100\n"
              "sample+0x1000;sample+0x3000 21\n");
    an_profile_release(&profile);
    unlink(map);
}

Test(recording_profile, address_that_cannot_be_code_is_unknown)
{
    struct an_profile profile;
    uint32_t node = builder_node(builder, 0, 0x7fffffffffffffff, 0);
    builder_blocks(builder, 0, builder_stack(builder, node, 0), 1, 5, 0);
    node = builder_node(builder, 0, 0x5000, 0);
    builder_blocks(builder, 0, builder_stack(builder, node, 0), 1, 6, 0);
    load(&profile, NULL);
    folded_is(&profile, AN_LIVE_BYTES,
              "[unknown] 11\nsample+0x1000;sample+0x2000;libpart.so+0x1000 100\n");
    an_profile_release(&profile);
}

Test(recording_profile, second_plugin_at_the_same_address_has_its_own_name)
{
    struct an_profile profile;
    struct rec_module *module = builder_module(builder, "/opt/one.so", 0x600000, 0x700000);
    module->last_generation = 3;
    module = builder_module(builder, "/opt/two.so", 0x600000, 0x700000);
    module->first_generation = 4;
    for (uint32_t generation = 3; generation <= 4; generation++) {
        uint32_t node = builder_node(builder, 0, 0x600100, generation);
        builder_blocks(builder, 0, builder_stack(builder, node, 0), 1, generation, 0);
    }
    load(&profile, NULL);
    folded_is(&profile, AN_LIVE_BYTES,
              "one.so+0x100 3\nsample+0x1000;sample+0x2000;libpart.so+0x1000 100\n"
              "two.so+0x100 4\n");
    an_profile_release(&profile);
}

Test(recording_profile, facts_of_the_run_are_filled)
{
    struct an_profile profile;
    const struct an_recording_options options = {.sizes = true};
    load(&profile, &options);
    cr_assert_eq(profile.kind, AN_KIND_RECORDING);
    cr_assert_str_eq(profile.program, "/opt/sample");
    cr_assert_str_eq(profile.arguments, "sample 'two words' 'it'\\''s'");
    cr_assert_str_eq(profile.host, "machine");
    cr_assert_eq(profile.pid, 4242);
    cr_assert_eq(profile.duration_ns, 2500000000u);
    cr_assert_eq(profile.peak_bytes, 900);
    cr_assert_eq(profile.peak_bound_bytes, 128);
    cr_assert_eq(profile.thread_count, 2);
    cr_assert_eq(profile.moment_count, 3);
    cr_assert_eq(profile.moment[1].ns, 1000000);
    cr_assert_eq(profile.moment[1].live_bytes, 900);
    cr_assert_not_null(profile.sizes);
    cr_assert_eq(profile.sizes->max_bytes, 4096);
    an_profile_release(&profile);
}

Test(recording_profile, sizes_are_those_of_the_stacks_that_a_filter_leaves)
{
    struct an_profile profile;
    struct an_fault fault;
    struct an_filter *filter = an_filter_new(false);
    const struct an_recording_options options = {.sizes = true, .sizes_of = filter};
    cr_assert_eq(an_filter_add(filter, AN_FILTER_INCLUDE, "^libpart", &fault), 0);
    load(&profile, &options);
    uint64_t count = 0, wanted = 0;
    for (unsigned i = 0; i < AN_SIZE_CLASSES; i++)
        count += profile.sizes->count[i];
    uint8_t *kept = an_filter_kept(filter, profile.tree);
    for (uint32_t node = 0; node < profile.tree->node_count; node++)
        wanted += kept[node] ? profile.tree->self[AN_ALLOCATIONS][node] : 0;
    cr_assert_gt(wanted, 0);
    cr_assert_lt(wanted, profile.tree->sum[AN_ALLOCATIONS]);
    cr_assert_eq(count, wanted);
    free(kept);
    an_filter_free(filter);
    an_profile_release(&profile);
}

/* A stack that allocated COUNTS blocks of 17 or 18 bytes, and of 30 as the largest. */
static uint32_t add_sizes(const uint64_t counts[2], uint64_t bytes)
{
    const uint32_t classes[] = {16, 22};
    uint32_t stack = builder_stack(builder, builder_node(builder, 0, 0x600100, 3), 0);
    builder_blocks(builder, 0, stack, counts[0] + counts[1], 0, 0);
    struct rec_counter *counter = builder_counter(builder, 0, stack);
    counter->bytes = bytes;
    counter->live_bytes = (int64_t)bytes;
    builder_histogram(builder, counter, 30, classes, counts, 2);
    return stack;
}

/* What is known of the node that allocated BYTES, as "count: least..smallest, largest". */
static void single_is(uint64_t bytes, const char *wanted)
{
    const struct an_recording_options options = {.node_sizes = true};
    struct an_profile profile;
    char text[100] = "none";
    load(&profile, &options);
    cr_assert_not_null(profile.tree->sizes);
    for (uint32_t node = 0; node < profile.tree->node_count; node++) {
        const struct an_size_facts *facts = &profile.tree->sizes[node];
        if (profile.tree->self[AN_BYTES][node] == bytes)
            snprintf(text, sizeof(text), "%llu: %llu..%llu, %llu", (unsigned long long)facts->count,
                     (unsigned long long)facts->least, (unsigned long long)facts->smallest,
                     (unsigned long long)facts->largest);
    }
    cr_assert_str_eq(text, wanted);
    an_profile_release(&profile);
}

Test(recording_profile, one_size_of_a_stack_in_each_slot_is_known_exactly)
{
    single_is(1100, "15: 20..20, 100");
    single_is(4096, "1: 4096..4096, 4096");
}

Test(recording_profile, smallest_of_a_class_of_several_sizes_has_two_bounds)
{
    add_sizes((const uint64_t[]){2, 2}, 18 + 18 + 29 + 30);
    single_is(95, "4: 17..18, 30");
}

Test(recording_profile, of_two_the_smallest_is_what_is_left_of_the_sum)
{
    add_sizes((const uint64_t[]){1, 1}, 18 + 30);
    single_is(48, "2: 18..18, 30");
}

Test(recording_profile, average_bounds_the_smallest_if_all_are_counted)
{
    uint32_t stack = add_sizes((const uint64_t[]){2, 1}, 17 + 17 + 30);
    single_is(64, "3: 17..17, 30");
    builder_counter(builder, 0, stack)->allocations = 2;
    builder_counter(builder, 0, stack)->bytes = 18 + 30;
    single_is(48, "3: 17..18, 30"); /* the sizes are of more than are counted */
}

Test(recording_profile, events_of_all_allocations_tell_the_smallest)
{
    uint32_t stack = add_sizes((const uint64_t[]){2, 2}, 18 + 18 + 29 + 30);
    static const uint64_t sizes[] = {18, 30, 18};
    for (uint64_t i = 0; i < 3; i++)
        builder_event(builder, 0, i + 1, stack, sizes[i], 1);
    builder_event(builder, 0, 4, stack, 1, REC_EVENT_FREE | 1);
    single_is(95, "4: 17..18, 30"); /* one is missing */
    builder_event(builder, 0, 5, stack, 29, 1);
    single_is(95, "4: 18..18, 30");
}

Test(recording_profile, sizes_that_cannot_be_read_are_noted_and_left_out)
{
    const struct an_recording_options options = {.node_sizes = true};
    struct an_profile profile;
    uint32_t stack = add_sizes((const uint64_t[]){2, 2}, 95);
    builder_counter(builder, 0, stack)->histogram = UINT32_MAX;
    load(&profile, &options);
    cr_assert_null(profile.tree->sizes);
    cr_assert_not_null(strstr(profile.note[profile.note_count - 1], "are not shown"));
    an_profile_release(&profile);
}

Test(recording_profile, histograms_that_cannot_be_read_fail_only_where_they_are_asked_for)
{
    const struct an_recording_options aside = {.sizes_if_readable = true};
    struct an_profile profile;
    uint32_t stack = add_sizes((const uint64_t[]){2, 2}, 95);
    load(&profile, &aside);
    cr_assert_not_null(profile.sizes);
    an_profile_release(&profile);
    builder_counter(builder, 0, stack)->histogram = UINT32_MAX;
    load(&profile, &aside);
    cr_assert_null(profile.sizes);
    cr_assert_not_null(strstr(profile.note[profile.note_count - 1], "are left out"));
    cr_assert(an_tree_has(profile.tree, AN_BYTES));
    an_profile_release(&profile);
}

Test(recording_profile, sum_over_all_stacks_past_64_bits_is_refused)
{
    struct an_profile profile;
    struct an_fault fault = {""};
    const struct an_recording_options options = {0};
    builder_counter(builder, 0, 1)->bytes = UINT64_MAX - 200;
    builder_save(builder, path);
    an_profile_init(&profile);
    cr_assert_eq(an_recording_load(path, &options, &profile, &fault), -EOVERFLOW);
    cr_assert_not_null(strstr(fault.text, path));
    an_profile_release(&profile);
}
