#include "analyzer/input/input.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/support/fresh_folder.h"
#include "test/support/recording_builder.h"

TestSuite(input, .init = fresh_folder_enter, .fini = fresh_folder_leave);

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    fputs(text, file);
    fclose(file);
}

static enum an_value open_one(const char *name, struct an_profile *profile, uint64_t *ret_sum)
{
    struct an_input_options options = {0};
    struct an_fault fault = {""};
    enum an_value value = AN_VALUE_COUNT;
    write_file(name, "main;f 2\n");
    cr_assert_eq(an_input_open(name, &options, profile, &fault), 0, "%s", fault.text);
    cr_assert(an_profile_default_value(profile, &value));
    *ret_sum = profile->tree->sum[value];
    return value;
}

Test(input, the_name_tells_value_and_unit)
{
    static const struct {
        const char *name;
        enum an_value value;
        uint64_t sum;
    } rows[] = {
        {"app-20240102-030405.folded", AN_TIME, 2000},
        {"app-20240102-030405-inclusive.folded", AN_INCLUSIVE, 2000},
        {"app-20240102-030405-sample.folded", AN_SAMPLE_TIME, 2000},
        {"app-20240102-030405-memory.folded", AN_BYTES, 2},
        {"app-20240102-030405-memory_detail.folded", AN_BYTES, 2},
        {"app-20240102-030405-memory_detail_dealloc.folded", AN_BYTES, 2},
        {"short.folded", AN_TIME, 2000},
        {"a-memory.folded", AN_BYTES, 2},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct an_profile profile;
        uint64_t sum;
        cr_assert_eq(open_one(rows[i].name, &profile, &sum), rows[i].value, "%s", rows[i].name);
        cr_assert_eq(sum, rows[i].sum, "%s", rows[i].name);
        an_profile_release(&profile);
    }
}

Test(input, digits_that_are_no_moment_are_no_stamp)
{
    static const char *const names[] = {
        "a-20241302-030405", "a-20240002-030405", "a-20240230-030405", "a-20230229-030405",
        "a-19000229-030405", "a-20240431-030405", "a-20240100-030405", "a-20240102-240405",
        "a-20240102-036005", "a-20240102-030461",
    };
    int stamp = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        free(an_input_base(names[i], &stamp));
        cr_assert_eq(stamp, -1, "%s", names[i]);
    }
    free(an_input_base("a-20240229-235960", &stamp));
    cr_assert_eq(stamp, 1);
    free(an_input_base("a-20000229-000000", &stamp));
    cr_assert_eq(stamp, 1);
    /* An earlier one counts then. */
    free(an_input_base("a-20240102-030405-20249999-030405", &stamp));
    cr_assert_eq(stamp, 1);
}

Test(input, base_and_stamp_are_found_in_names_with_dashes)
{
    int stamp;
    char *base =
        an_input_base("/x-20200101-000000/my-app-20240102-030405-77-2-memory.folded.gz", &stamp);
    cr_assert_str_eq(base, "my-app-20240102-030405-77-2");
    cr_assert_eq(stamp, 6);
    free(base);
    base = an_input_base("a-20240102-0304056.thag", &stamp);
    cr_assert_str_eq(base, "a-20240102-0304056");
    cr_assert_eq(stamp, -1);
    free(base);
    base = an_input_base("a-20230102-030405-20240102-030405.thag", &stamp);
    cr_assert_eq(stamp, 17);
    free(base);
    cr_assert_eq(an_input_kind("x-memory_detail.folded.zst"), AN_KIND_MEMORY_DETAIL);
    cr_assert_eq(an_input_kind("x.thag"), AN_KIND_RECORDING);
    cr_assert_eq(an_input_kind("-"), AN_KIND_UNKNOWN);
}

Test(input, the_given_unit_overrides_the_name)
{
    struct an_profile profile;
    struct an_fault fault;
    struct an_input_options options = {.unit_given = true, .unit = AN_UNIT_NS};
    write_file("a.folded", "f 7\n");
    cr_assert_eq(an_input_open("a.folded", &options, &profile, &fault), 0);
    cr_assert_eq(profile.tree->sum[AN_TIME], 7);
    an_profile_release(&profile);
    options.unit = AN_UNIT_COUNT;
    cr_assert_eq(an_input_open("a.folded", &options, &profile, &fault), 0);
    cr_assert_eq(profile.tree->sum[AN_SAMPLES], 7);
    an_profile_release(&profile);
    options.unit = AN_UNIT_BYTES;
    cr_assert_eq(an_input_open("a.folded", &options, &profile, &fault), 0);
    cr_assert_eq(profile.tree->sum[AN_BYTES], 7);
    an_profile_release(&profile);
}

Test(input, several_files_add_up)
{
    struct an_input_options options = {0};
    struct an_profile profile;
    struct an_fault fault;
    char a[] = "a-memory.folded", b[] = "b-memory.folded", c[] = "c.folded";
    char *paths[] = {a, b, c};
    write_file(paths[0], "m;f 2\nm;g 5\n");
    write_file(paths[1], "m;f 0.5\nbad\nm;h 1\n");
    write_file(paths[2], "m;f 3\n");
    cr_assert_eq(an_input_open_all(paths, 3, &options, &profile, &fault), 0);
    cr_assert_eq(profile.scale[AN_BYTES], 10);
    cr_assert_eq(profile.tree->sum[AN_BYTES], 85);
    cr_assert_eq(profile.tree->sum[AN_TIME], 3000);
    cr_assert_eq(profile.tree->node_count, 5);
    cr_assert_eq(profile.file_count, 3);
    cr_assert_eq(profile.bad.count, 1);
    an_profile_release(&profile);
}

Test(input, errors_name_the_file_and_the_reason)
{
    struct an_input_options options = {0};
    struct an_profile profile;
    struct an_fault fault = {""};
    write_file("bad.folded", "f -2\n");
    cr_assert_eq(an_input_open("missing", &options, &profile, &fault), -ENOENT);
    cr_assert_str_eq(fault.text, "missing: No such file or directory");
    cr_assert_eq(an_input_open(".", &options, &profile, &fault), -EISDIR);
    cr_assert_eq(an_input_open("bad.folded", &options, &profile, &fault), -ENODATA);
    cr_assert_str_eq(fault.text, "bad.folded: holds no line that could be used");
}

/* Every file of a run, as "*.folded" gives them, of one with sums of 7 and frees of 3. */
static void open_run(const struct an_input_options *options, struct an_profile *ret_profile)
{
    struct an_fault fault = {""};
    char inclusive[] = "r-inclusive.folded", memory[] = "r-memory.folded";
    char detail[] = "r-memory_detail.folded", freed[] = "r-memory_detail_dealloc.folded";
    char time[] = "r.folded";
    char *paths[] = {inclusive, freed, memory, detail, time};
    write_file(inclusive, "m 4\n");
    write_file(memory, "m 7\n");
    write_file(detail, "m (m.c:1) 2\nm (m.c:1) 5\n");
    write_file(freed, "m (m.c:2) 3\n");
    write_file(time, "m 1\n");
    cr_assert_eq(an_input_open_all(paths, 5, options, ret_profile, &fault), 0, "%s", fault.text);
}

Test(input, what_two_files_of_a_run_hold_counts_once_and_frees_are_left_out)
{
    struct an_input_options options = {0};
    struct an_profile profile;
    enum an_value value;
    open_run(&options, &profile);
    cr_assert_eq(profile.tree->sum[AN_BYTES], 7);
    cr_assert_not(an_tree_has(profile.tree, AN_ALLOCATIONS));
    cr_assert_eq(profile.tree->sum[AN_TIME], 1000);
    cr_assert_eq(profile.tree->sum[AN_INCLUSIVE], 4000);
    cr_assert(an_profile_default_value(&profile, &value));
    cr_assert_eq(value, AN_TIME);
    cr_assert_eq(profile.note_count, 1);
    cr_assert_str_eq(profile.note[0], "r-memory_detail_dealloc.folded: bytes freed do not add to "
                                      "bytes allocated; name it alone");
    an_profile_release(&profile);

    /* Lines and single sizes are in the other one. */
    options.lines = true;
    open_run(&options, &profile);
    cr_assert_eq(profile.tree->sum[AN_BYTES], 7);
    cr_assert_eq(profile.tree->sum[AN_ALLOCATIONS], 2);
    an_profile_release(&profile);
}

Test(input, frees_of_several_runs_add_up_also_beside_times)
{
    struct an_input_options options = {0};
    struct an_profile profile;
    struct an_fault fault = {""};
    enum an_value value;
    char a[] = "a-memory_detail_dealloc.folded", b[] = "b-memory_detail_dealloc.folded";
    char time[] = "a.folded";
    char *paths[] = {a, time, b};
    write_file(a, "m 3\n");
    write_file(b, "m 4\n");
    write_file(time, "m 1\n");
    cr_assert_eq(an_input_open_all(paths, 3, &options, &profile, &fault), 0, "%s", fault.text);
    cr_assert_eq(profile.kind, AN_KIND_DEALLOC);
    cr_assert_eq(profile.tree->sum[AN_BYTES], 7);
    cr_assert(an_profile_default_value(&profile, &value));
    cr_assert_eq(value, AN_TIME);
    an_profile_release(&profile);
}

Test(input, the_recording_beside_a_folded_file_is_read_instead)
{
    struct an_input_options options = {0};
    struct an_profile profile;
    struct an_fault fault = {""};
    enum an_value value;
    /* No module, so none is missing here. */
    struct builder *builder = builder_new();
    builder_thread(builder, "app");
    uint32_t node = builder_node(builder, 0, REC_SPECIAL_CUT, 0);
    builder_blocks(builder, 0, builder_stack(builder, node, 0), 1, 10, 0);
    builder_save(builder, "app-20240102-030405.thag");
    builder_free(builder);
    write_file("app-20240102-030405-memory.folded", "only text 7\n");
    write_file("app-20240102-030405.folded", "only text 7\n");
    cr_assert_eq(an_input_open("app-20240102-030405-memory.folded", &options, &profile, &fault), 0);
    cr_assert(profile.recorded);
    cr_assert(an_tree_has(profile.tree, AN_ALLOCATIONS));
    cr_assert(an_profile_default_value(&profile, &value));
    cr_assert_eq(value, AN_BYTES);
    an_profile_release(&profile);

    /* It has no times: then the text has more. */
    cr_assert_eq(an_input_open("app-20240102-030405.folded", &options, &profile, &fault), 0);
    cr_assert_not(profile.recorded);
    cr_assert_eq(profile.tree->sum[AN_TIME], 7000);
    an_profile_release(&profile);

    options.folded_only = true;
    cr_assert_eq(an_input_open("app-20240102-030405-memory.folded", &options, &profile, &fault), 0);
    cr_assert_eq(profile.tree->sum[AN_BYTES], 7);
    an_profile_release(&profile);

    /* Of all of them what the recording has is its own, whatever is named first. */
    char memory[] = "app-20240102-030405-memory.folded", time[] = "app-20240102-030405.folded";
    char recording[] = "app-20240102-030405.thag";
    char *paths[] = {memory, time, recording};
    cr_assert_eq(an_input_open_all(paths, 3, &options, &profile, &fault), 0, "%s", fault.text);
    cr_assert_eq(profile.tree->sum[AN_BYTES], 10);
    cr_assert_eq(profile.tree->sum[AN_TIME], 7000);
    an_profile_release(&profile);
}

Test(input, a_recording_beside_whose_modules_are_elsewhere_leaves_the_names_of_the_text)
{
    struct an_input_options options = {0};
    struct an_profile profile;
    struct an_fault fault = {""};
    struct builder *builder = builder_sample();
    builder_save(builder, "app-20240102-030405.thag");
    builder_free(builder);
    write_file("app-20240102-030405-memory.folded", "named;there 7\n");
    cr_assert_eq(an_input_open("app-20240102-030405-memory.folded", &options, &profile, &fault), 0);
    cr_assert_not(profile.recorded);
    cr_assert_eq(profile.tree->sum[AN_BYTES], 7);
    cr_assert_eq(profile.note_count, 1);
    an_profile_release(&profile);
}

Test(input, a_damaged_recording_beside_leaves_the_text_and_a_note)
{
    struct an_input_options options = {0};
    struct an_profile profile;
    struct an_fault fault = {""};
    write_file("app-20240102-030405.thag", "nonsense");
    write_file("app-20240102-030405-memory.folded", "f 7\n");
    cr_assert_eq(an_input_open("app-20240102-030405-memory.folded", &options, &profile, &fault), 0);
    cr_assert_eq(profile.tree->sum[AN_BYTES], 7);
    cr_assert_eq(profile.note_count, 1);
    an_profile_release(&profile);
}
