#include "analyzer/input/runs.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/format/recording_format.h"
#include "test/support/fresh_folder.h"

TestSuite(runs, .init = fresh_folder_enter, .fini = fresh_folder_leave);

static void touch(const char *name)
{
    fclose(fopen(name, "w"));
}

Test(runs, files_of_one_base_are_one_run)
{
    struct an_runs runs;
    touch("app-20240102-030405.thag");
    touch("app-20240102-030405.folded");
    touch("app-20240102-030405-memory.folded.gz");
    touch("app-20240102-030405-77.folded");
    touch("notes.txt");
    touch(".app-20240102-030405.folded.XyZ123"); /* one that is being written */
    mkdir("dir-20240102-030405.folded", 0700);
    cr_assert_eq(an_runs_scan(".", &runs), 0);
    cr_assert_eq(runs.count, 2);
    cr_assert_str_eq(runs.run[0].base, "app-20240102-030405");
    cr_assert_eq(runs.run[0].kinds,
                 1u << AN_KIND_RECORDING | 1u << AN_KIND_TIME | 1u << AN_KIND_MEMORY);
    cr_assert_str_eq(runs.run[0].file[AN_KIND_MEMORY], "app-20240102-030405-memory.folded.gz");
    cr_assert_null(runs.run[0].file[AN_KIND_INCLUSIVE]);
    cr_assert_str_eq(runs.run[1].base, "app-20240102-030405-77");
    cr_assert_str_eq(runs.run[1].program, "app");
    an_runs_release(&runs);
}

Test(runs, programs_whose_names_begin_with_a_point_are_no_exception)
{
    struct an_runs runs;
    touch(".tool-20240102-030405.thag");
    cr_assert_eq(an_runs_scan(".", &runs), 0);
    cr_assert_eq(runs.count, 1);
    cr_assert_str_eq(runs.run[0].program, ".tool");
    an_runs_release(&runs);
}

Test(runs, groups_come_by_their_newest_run)
{
    static const char *const wanted[] = {"b-c-20240105-000000", "b-c-20240101-000000",
                                         "b-20240104-000000", "a.x-20240103-000000",
                                         "a.x-20240102-000000"};
    struct an_runs runs;
    touch("a.x-20240102-000000.folded");
    touch("b-20240104-000000.folded");
    touch("b-c-20240101-000000.folded");
    touch("a.x-20240103-000000.folded");
    touch("b-c-20240105-000000.folded");
    cr_assert_eq(an_runs_scan(".", &runs), 0);
    cr_assert_eq(runs.count, 5);
    for (int i = 0; i < 5; i++)
        cr_assert_str_eq(runs.run[i].base, wanted[i]);
    cr_assert_str_eq(runs.run[0].program, "b-c");
    cr_assert_str_eq(runs.run[0].stamp, "20240105-000000");
    an_runs_release(&runs);
}

Test(runs, a_file_without_a_stamp_is_a_run_of_its_own)
{
    struct an_runs runs;
    touch("before-memory.folded");
    cr_assert_eq(an_runs_scan(".", &runs), 0);
    cr_assert_eq(runs.count, 1);
    cr_assert_str_eq(runs.run[0].program, "before");
    cr_assert_eq(runs.run[0].kinds, 1u << AN_KIND_MEMORY);
    cr_assert_eq(runs.run[0].stamp[8], '-');
    an_runs_release(&runs);
}

Test(runs, hundreds_of_runs_are_kept)
{
    struct an_runs runs;
    for (int i = 0; i < 300; i++) {
        char name[64];
        snprintf(name, sizeof(name), "app-20240102-00%02d%02d.folded", i / 60, i % 60);
        touch(name);
    }
    cr_assert_eq(an_runs_scan(".", &runs), 0);
    cr_assert_eq(runs.count, 300);
    cr_assert_str_eq(runs.run[0].stamp, "20240102-000459");
    an_runs_release(&runs);
}

Test(runs, no_directory_is_an_error_and_an_empty_one_is_not)
{
    struct an_runs runs;
    cr_assert_eq(an_runs_scan("missing", &runs), -ENOENT);
    cr_assert_eq(an_runs_scan(".", &runs), 0);
    cr_assert_eq(runs.count, 0);
    an_runs_release(&runs);
}

Test(runs, a_plain_file_goes_before_a_packed_one)
{
    struct an_runs runs;
    touch("app-20240102-030405.folded.zst");
    touch("app-20240102-030405.folded");
    touch("app-20240102-030405.folded.gz");
    cr_assert_eq(an_runs_scan(".", &runs), 0);
    cr_assert_eq(runs.count, 1);
    cr_assert_str_eq(runs.run[0].file[AN_KIND_TIME], "app-20240102-030405.folded");
    an_runs_release(&runs);
}

static void write_header(const char *name, uint32_t content, uint64_t calls)
{
    struct rec_header header = {
        .magic = REC_MAGIC, .version = REC_VERSION, .content = content, .call_count = calls};
    FILE *file = fopen(name, "w");
    cr_assert_eq(fwrite(&header, sizeof(header), 1, file), 1);
    fclose(file);
}

Test(runs, a_recordings_header_tells_its_sides)
{
    static const unsigned wanted[] = {AN_RUN_SAMPLE | AN_RUN_MEMORY, AN_RUN_TIME, AN_RUN_MEMORY, 0};
    struct an_runs runs;
    write_header("d-20240105-000000.thag", REC_CONTENT_SAMPLE | REC_CONTENT_HEAP, 0);
    write_header("c-20240104-000000.thag", REC_CONTENT_TIME, 7);
    write_header("b-20240103-000000.thag", REC_CONTENT_TIME | REC_CONTENT_HEAP, 0);
    touch("a-20240102-000000.thag");
    cr_assert_eq(an_runs_scan(".", &runs), 0);
    cr_assert_eq(runs.count, 4);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(an_run_sides(".", &runs.run[i]), wanted[i], "%s", runs.run[i].base);
    an_runs_release(&runs);
}

Test(runs, folded_files_tell_their_sides)
{
    struct an_runs runs;
    touch("b-20240103-000000-inclusive.folded");
    touch("a-20240102-000000-sample.folded");
    touch("a-20240102-000000-memory.folded.gz");
    cr_assert_eq(an_runs_scan(".", &runs), 0);
    cr_assert_eq(an_run_sides(".", &runs.run[0]), AN_RUN_TIME);
    cr_assert_eq(an_run_sides(".", &runs.run[1]), AN_RUN_SAMPLE | AN_RUN_MEMORY);
    an_runs_release(&runs);
}
