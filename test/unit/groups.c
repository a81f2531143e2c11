#include "analyzer/menu/groups.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/menu/filters.h"
#include "test/support/fresh_folder.h"

static struct an_runs runs;
static unsigned sides[16];

TestSuite(groups, .init = fresh_folder_enter, .fini = fresh_folder_leave);

static void touch(const char *name)
{
    fclose(fopen(name, "w"));
}

static void scan(void)
{
    cr_assert_eq(an_runs_scan(".", &runs), 0);
    for (uint32_t i = 0; i < runs.count; i++)
        sides[i] = an_run_sides(".", &runs.run[i]);
}

static struct menu_runs select_runs(enum an_subject subject, bool differential)
{
    struct menu_runs chosen;
    menu_runs_select(&chosen, ".", &runs, sides, &menu_subjects[subject], differential);
    return chosen;
}

Test(groups, hold_the_runs_that_have_the_subject)
{
    touch("b-20240105-000000.folded");
    touch("a-x-20240104-000000-memory.folded");
    touch("a-x-20240103-000000.folded");
    touch("b-20240102-000000-memory.folded");
    touch("b-20240101-000000.folded");
    scan();
    struct menu_runs chosen = select_runs(AN_SUBJECT_TIME, false);
    cr_assert_eq(chosen.group_count, 2);
    cr_assert_str_eq(menu_group_program(&chosen, 0), "b");
    cr_assert_eq(menu_group_size(&chosen, 0), 2);
    cr_assert_str_eq(menu_group_program(&chosen, 1), "a-x");
    struct an_table *table = menu_group_table(&chosen);
    cr_assert_str_eq(an_table_text(table, 0, 0), "2024-01-05 00:00:00");
    cr_assert_str_eq(an_table_text(table, 0, 1), "2");
    an_table_free(table);
    table = menu_run_table(&chosen, 0);
    cr_assert_str_eq(an_table_text(table, 1, 2), "b-20240101-000000");
    an_table_free(table);
    menu_runs_release(&chosen);
    chosen = select_runs(AN_SUBJECT_SAMPLE, false);
    cr_assert_eq(chosen.group_count, 0);
    menu_runs_release(&chosen);
    an_runs_release(&runs);
}

Test(groups, inclusive_times_cannot_be_compared)
{
    touch("a-20240103-000000-inclusive.folded");
    touch("a-20240102-000000.folded");
    scan();
    struct menu_runs chosen = select_runs(AN_SUBJECT_TIME, false);
    cr_assert_eq(chosen.run_count, 2);
    menu_runs_release(&chosen);
    chosen = select_runs(AN_SUBJECT_TIME, true);
    cr_assert_eq(chosen.run_count, 1);
    menu_runs_release(&chosen);
    an_runs_release(&runs);
}

Test(groups, a_run_is_read_from_the_file_that_says_most)
{
    touch("a-20240103-000000-inclusive.folded");
    touch("a-20240103-000000.folded.gz");
    touch("a-20240103-000000-memory_detail.folded");
    touch("a-20240103-000000-memory.folded");
    touch("a-20240103-000000.thag"); /* of nothing */
    scan();
    struct menu_runs chosen = select_runs(AN_SUBJECT_TIME, false);
    struct menu_run run = menu_run_at(&chosen, 0, 0);
    cr_assert_str_eq(run.path, "a-20240103-000000.folded.gz");
    cr_assert_not(menu_run_is_recording(&run));
    free(run.path);
    menu_runs_release(&chosen);
    chosen = select_runs(AN_SUBJECT_MEMORY, false);
    run = menu_run_at(&chosen, 0, 0);
    cr_assert_str_eq(run.path, "a-20240103-000000-memory.folded");
    free(run.path);
    menu_runs_release(&chosen);
    an_runs_release(&runs);
}

static void assert_path(const char *folder, const char *file, const char *wanted)
{
    char *path = menu_file_path(folder, file);
    cr_assert_str_eq(path, wanted);
    free(path);
}

Test(groups, paths_do_not_look_like_options)
{
    assert_path(".", "a.folded", "a.folded");
    assert_path(".", "-a.folded", "./-a.folded");
    assert_path("x/", "a.folded", "x/a.folded");
    assert_path("x y", "-a.folded", "x y/-a.folded");
}

static void add_stack(struct an_tree *tree, const char *letters, uint64_t amount)
{
    uint32_t node = 0;
    for (; *letters; letters++)
        node = an_tree_child(tree, node, an_names_intern(tree->names, letters, 1));
    cr_assert_eq(an_tree_add(tree, node, AN_TIME, amount), 0);
}

Test(groups, counts_say_what_a_filter_leaves)
{
    char text[MENU_COUNTS_TEXT_MAX];
    struct menu_counts counts;
    struct an_tree *tree = an_tree_new();
    char b[] = "b";
    struct menu_filter_names names = {AN_FILTER_EXCLUDE, b};
    struct menu_filter filter = {0};
    add_stack(tree, "a", 1000);
    add_stack(tree, "ab", 2000);
    add_stack(tree, "abc", 3000);
    add_stack(tree, "ac", 4000);
    cr_assert(menu_filter_is_empty(&filter));
    filter.names = &names;
    filter.name_count = 1;
    cr_assert_not(menu_filter_is_empty(&filter));
    menu_filter_count(&filter, tree, AN_TIME, false, &counts);
    menu_counts_text(&counts, 1, AN_UNIT_NS, text);
    cr_assert_str_eq(text, "2 of 4 stacks; 5.00 \u00b5s of 10.0 \u00b5s kept (50.0%), "
                           "5.00 \u00b5s left out");
    names.kind = AN_FILTER_EXCLUDE_SELF;
    menu_filter_count(&filter, tree, AN_TIME, false, &counts);
    cr_assert_eq(counts.stacks_kept, 3);
    cr_assert_eq(counts.amount_kept, 8000);
    an_tree_free(tree);
}
