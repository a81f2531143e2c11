#include "analyzer/output/detail_files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/support/fresh_folder.h"

TestSuite(detail_files, .init = fresh_folder_enter, .fini = fresh_folder_leave);

static const char *content(const char *path)
{
    static char text[1000];
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

static uint32_t child(struct an_tree *tree, uint32_t parent, const char *name)
{
    return an_tree_child(tree, parent, an_names_intern(tree->names, name, strlen(name)));
}

/* main;a and main;b by turns, ten bytes a line: allocations of 1, 2, 3... and one free. */
static void write_events(uint64_t most_bytes, uint64_t count, bool summed)
{
    struct an_tree *tree = an_tree_new();
    struct an_fault fault;
    bool written[AN_DETAIL_COUNT];
    uint32_t root = child(tree, 0, "main");
    uint32_t node[] = {child(tree, root, "a"), child(tree, root, "b")};
    struct an_detail_files *files = an_detail_files_new(tree, "x", most_bytes);
    for (uint64_t i = 0; i < count; i++)
        cr_assert_eq(an_detail_files_add(files, AN_DETAIL_ALLOCATED, node[i % 2], i + 1, &fault),
                     0);
    cr_assert_eq(an_detail_files_add(files, AN_DETAIL_FREED, node[1], 7, &fault), 0);
    cr_assert_eq(an_detail_files_are_summed(files, AN_DETAIL_ALLOCATED), summed);
    cr_assert_not(an_detail_files_are_summed(files, AN_DETAIL_FREED));
    cr_assert_eq(an_detail_files_commit(files, written, &fault), 0);
    cr_assert(written[AN_DETAIL_ALLOCATED] && written[AN_DETAIL_FREED]);
    an_tree_free(tree);
    cr_assert_str_eq(content("x-memory_detail_dealloc.folded"), "main;b 7\n");
}

Test(detail_files, each_event_has_a_line)
{
    write_events(1000, 4, false);
    cr_assert_str_eq(content("x-memory_detail.folded"), "main;a 1\nmain;b 2\nmain;a 3\nmain;b 4\n");
}

Test(detail_files, what_comes_after_the_bound_is_summed_by_stack)
{
    write_events(18, 9, true);
    cr_assert_str_eq(content("x-memory_detail.folded"),
                     "main;a 1\nmain;b 2\nmain;a 24\nmain;b 18\n");
}

Test(detail_files, stacks_that_did_not_come_again_have_no_sum)
{
    write_events(18, 3, true);
    cr_assert_str_eq(content("x-memory_detail.folded"), "main;a 1\nmain;b 2\nmain;a 3\n");
}
