#include "analyzer/input/runs.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/thag-runs-XXXXXX";

static void enter_directory(void)
{
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
}

static void leave_directory(void)
{
    char command[100];
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    cr_assert_eq(system(command), 0);
}

TestSuite(runs, .init = enter_directory, .fini = leave_directory);

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
    touch(".hidden-20240102-030405.folded");
    mkdir("dir-20240102-030405.folded", 0700);
    cr_assert_eq(an_runs_scan(".", &runs), 0);
    cr_assert_eq(runs.count, 2);
    cr_assert_str_eq(runs.run[0].base, "app-20240102-030405");
    cr_assert_eq(runs.run[0].kinds,
                 1u << AN_KIND_RECORDING | 1u << AN_KIND_TIME | 1u << AN_KIND_MEMORY);
    cr_assert_str_eq(runs.run[1].base, "app-20240102-030405-77");
    cr_assert_str_eq(runs.run[1].program, "app");
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
        snprintf(name, sizeof(name), "app-20240102-%06d.folded", i);
        touch(name);
    }
    cr_assert_eq(an_runs_scan(".", &runs), 0);
    cr_assert_eq(runs.count, 300);
    cr_assert_str_eq(runs.run[0].stamp, "20240102-000299");
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
