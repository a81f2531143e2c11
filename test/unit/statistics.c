#include "analyzer/model/statistics.h"

#include <criterion/criterion.h>
#include <string.h>

static uint32_t add(struct an_tree *tree, const char *stack, enum an_value value, uint64_t amount)
{
    uint32_t node = 0;
    while (stack) {
        const char *end = strchr(stack, ';');
        size_t bytes = end ? (size_t)(end - stack) : strlen(stack);
        node = an_tree_child(tree, node, an_names_intern(tree->names, stack, bytes));
        stack = end ? end + 1 : NULL;
    }
    cr_assert_eq(an_tree_add(tree, node, value, amount), 0);
    return node;
}

static const struct an_statistics_row *row(const struct an_statistics *statistics, const char *name)
{
    for (uint32_t i = 0; i < statistics->row_count; i++) {
        const struct an_statistics_row *r = &statistics->row[i];
        if (strcmp(an_names_text(statistics->keys, r->name, NULL), name) == 0)
            return r;
    }
    cr_assert(false, "no row %s", name);
    return NULL;
}

static struct an_tree *sample(void)
{
    struct an_tree *tree = an_tree_new();
    add(tree, "main", AN_TIME, 1);
    add(tree, "main;fib", AN_TIME, 20);
    add(tree, "main;fib;fib", AN_TIME, 300);
    add(tree, "main;fib;g;fib", AN_TIME, 4000);
    add(tree, "main;g", AN_TIME, 50000);
    add(tree, "main;fib", AN_CALLS, 1);
    add(tree, "main;fib;fib", AN_CALLS, 2);
    add(tree, "main;fib;g;fib", AN_CALLS, 4);
    return tree;
}

Test(statistics, recursion_counts_once_in_totals)
{
    struct an_tree *tree = sample();
    struct an_statistics *statistics = an_statistics_new(tree, AN_TIME, AN_BY_FUNCTION);
    cr_assert_eq(row(statistics, "fib")->self, 4320);
    cr_assert_eq(row(statistics, "fib")->total, 4320);
    cr_assert_eq(row(statistics, "fib")->calls, 7);
    cr_assert_eq(row(statistics, "g")->self, 50000);
    cr_assert_eq(row(statistics, "g")->total, 54000);
    cr_assert_eq(row(statistics, "main")->total, 54321);
    cr_assert_eq(statistics->whole, 54321);
    cr_assert_eq(an_statistics_average(statistics, row(statistics, "fib")), 617);
    an_statistics_free(statistics);
    an_tree_free(tree);
}

Test(statistics, stacks_have_a_row_if_they_own_something)
{
    struct an_tree *tree = sample();
    struct an_statistics *statistics = an_statistics_new(tree, AN_TIME, AN_BY_STACK);
    cr_assert_eq(statistics->row_count, 5);
    an_statistics_sort(statistics, tree, AN_SORT_SELF);
    cr_assert_eq(statistics->row[0].self, 50000);
    cr_assert_eq(statistics->row[4].self, 1);
    cr_assert_eq(statistics->row[4].total, 54321);
    an_statistics_free(statistics);
    an_tree_free(tree);
}

Test(statistics, sorting_is_by_column_and_then_by_name)
{
    struct an_tree *tree = an_tree_new();
    add(tree, "b", AN_BYTES, 5);
    add(tree, "a", AN_BYTES, 5);
    add(tree, "c", AN_BYTES, 9);
    struct an_statistics *statistics = an_statistics_new(tree, AN_BYTES, AN_BY_FUNCTION);
    static const char *const wanted[][3] = {{"c", "a", "b"}, {"a", "b", "c"}};
    for (int i = 0; i < 2; i++) {
        an_statistics_sort(statistics, tree, i ? AN_SORT_NAME : AN_SORT_TOTAL);
        for (int j = 0; j < 3; j++)
            cr_assert_str_eq(an_names_text(statistics->keys, statistics->row[j].name, NULL),
                             wanted[i][j]);
    }
    cr_assert_not(statistics->has_calls);
    cr_assert_eq(an_statistics_average(statistics, &statistics->row[0]), 0);
    an_statistics_free(statistics);
    an_tree_free(tree);
}

Test(statistics, inclusive_amounts_are_totals)
{
    struct an_tree *tree = an_tree_new();
    add(tree, "main", AN_INCLUSIVE, 100);
    add(tree, "main;f", AN_INCLUSIVE, 60);
    add(tree, "main;f;f", AN_INCLUSIVE, 30);
    add(tree, "main;g", AN_INCLUSIVE, 40);
    struct an_statistics *statistics = an_statistics_new(tree, AN_INCLUSIVE, AN_BY_FUNCTION);
    cr_assert_not(statistics->has_self);
    cr_assert_eq(statistics->whole, 100);
    cr_assert_eq(row(statistics, "f")->total, 60);
    cr_assert_eq(row(statistics, "main")->total, 100);
    an_statistics_free(statistics);
    an_tree_free(tree);
}

Test(statistics, rows_by_file_and_by_module)
{
    struct an_tree *tree = an_tree_new();
    uint32_t node = add(tree, "main (a.c:3);f (b.c:7)", AN_BYTES, 10);
    tree->module[node] = an_names_intern(tree->names, "libx.so", 7);
    add(tree, "main (a.c:3);f (b.c:8);g", AN_BYTES, 5);
    struct an_statistics *statistics = an_statistics_new(tree, AN_BYTES, AN_BY_FILE);
    cr_assert_eq(row(statistics, "b.c")->self, 10);
    cr_assert_eq(row(statistics, "b.c")->total, 15);
    cr_assert_eq(row(statistics, "a.c")->total, 15);
    cr_assert_eq(row(statistics, "[unknown]")->self, 5);
    an_statistics_free(statistics);
    statistics = an_statistics_new(tree, AN_BYTES, AN_BY_MODULE);
    cr_assert_eq(row(statistics, "libx.so")->self, 10);
    cr_assert_eq(row(statistics, "[unknown]")->total, 15);
    an_statistics_free(statistics);
    an_tree_free(tree);
}

Test(statistics, the_file_of_a_frame_is_only_taken_from_its_form)
{
    size_t bytes = 0;
    const char *file = an_frame_file("operator()(int) (x.cc:12)", 25, &bytes);
    cr_assert_not_null(file);
    cr_assert_eq(strncmp(file, "x.cc", bytes), 0);
    cr_assert_eq(bytes, 4);
    static const char *const others[] = {"f(int)",   "f (x.c)", "(x.c:1)", "f (:1)", "f (x:)",
                                         "f(x.c:1)", "",        ")",       " (x.c:1"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        cr_assert_null(an_frame_file(others[i], strlen(others[i]), &bytes), "%s", others[i]);
}

Test(statistics, a_chain_of_a_hundred_thousand_calls_is_walked)
{
    struct an_tree *tree = an_tree_new();
    uint32_t f = an_names_intern(tree->names, "f", 1), node = 0;
    for (int i = 0; i < 100000; i++) {
        node = an_tree_child(tree, node, f);
        cr_assert_eq(an_tree_add(tree, node, AN_TIME, 1), 0);
    }
    struct an_statistics *statistics = an_statistics_new(tree, AN_TIME, AN_BY_FUNCTION);
    cr_assert_eq(row(statistics, "f")->total, 100000);
    an_statistics_free(statistics);
    an_tree_free(tree);
}

Test(statistics, single_calls_join_over_the_nodes_of_a_function)
{
    struct an_tree *tree = sample();
    uint32_t fib = add(tree, "main;fib", AN_TIME, 0), inner = add(tree, "main;fib;fib", AN_TIME, 0);
    an_tree_note_calls(tree, fib, &(struct an_call_facts){300, 400, 1000});
    an_tree_note_calls(tree, inner, &(struct an_call_facts){20, 200, 3320});
    struct an_statistics *statistics = an_statistics_new(tree, AN_TIME, AN_BY_FUNCTION);
    const struct an_statistics_row *r = row(statistics, "fib");
    cr_assert(statistics->has_facts);
    cr_assert_eq(r->facts.shortest, 20);
    cr_assert_eq(r->facts.longest, 400);
    cr_assert_eq(r->facts.cost, 4320);
    cr_assert(an_statistics_is_below(statistics, r));
    cr_assert_eq(row(statistics, "g")->facts.shortest, UINT64_MAX);
    cr_assert_not(an_statistics_is_below(statistics, row(statistics, "g")));
    an_statistics_sort(statistics, tree, AN_SORT_MIN);
    cr_assert_str_eq(an_names_text(statistics->keys, statistics->row[0].name, NULL), "fib");
    an_statistics_free(statistics);
    an_tree_free(tree);
}

Test(statistics, less_cost_than_what_is_left_is_not_below)
{
    struct an_tree *tree = sample();
    an_tree_note_calls(tree, add(tree, "main;g", AN_TIME, 0), &(struct an_call_facts){1, 2, 49999});
    struct an_statistics *statistics = an_statistics_new(tree, AN_TIME, AN_BY_FUNCTION);
    cr_assert_not(an_statistics_is_below(statistics, row(statistics, "g")));
    an_statistics_free(statistics);
    an_tree_free(tree);
}

Test(statistics, other_values_than_time_know_no_single_calls)
{
    struct an_tree *tree = sample();
    an_tree_note_calls(tree, 1, &(struct an_call_facts){1, 2, 3});
    struct an_statistics *statistics = an_statistics_new(tree, AN_CALLS, AN_BY_FUNCTION);
    cr_assert_not(statistics->has_facts);
    an_statistics_free(statistics);
    an_tree_free(tree);
}

Test(statistics, single_allocations_are_known_of_all_of_a_row_or_of_none)
{
    struct an_tree *tree = an_tree_new();
    struct an_statistics_single single = {1, 1, 1};
    uint32_t f = add(tree, "main;f", AN_BYTES, 300), g = add(tree, "main;g;f", AN_BYTES, 18);
    add(tree, "main;g", AN_BYTES, 5);
    cr_assert_eq(an_tree_add(tree, f, AN_ALLOCATIONS, 3), 0);
    cr_assert_eq(an_tree_add(tree, g, AN_ALLOCATIONS, 1), 0);
    cr_assert_eq(an_tree_add(tree, tree->parent[g], AN_ALLOCATIONS, 2), 0);
    an_tree_note_sizes(tree, f, &(struct an_size_facts){3, 90, 100, 110});
    an_tree_note_sizes(tree, g, &(struct an_size_facts){1, 17, 18, 18});
    an_tree_note_sizes(tree, tree->parent[g], &(struct an_size_facts){1, 5, 5, 5});
    struct an_statistics *statistics = an_statistics_new(tree, AN_BYTES, AN_BY_FUNCTION);
    cr_assert_not(an_statistics_single(statistics, row(statistics, "main"), &single));
    cr_assert_not(an_statistics_single(statistics, row(statistics, "g"), &single));
    cr_assert_eq(single.longest, 1);
    cr_assert(an_statistics_single(statistics, row(statistics, "f"), &single));
    cr_assert_eq(single.least, 17);
    cr_assert_eq(single.shortest, 18);
    cr_assert_eq(single.longest, 110);
    an_statistics_sort(statistics, tree, AN_SORT_MAX);
    cr_assert_str_eq(an_names_text(statistics->keys, statistics->row[0].name, NULL), "f");
    an_statistics_free(statistics);
    statistics = an_statistics_new(tree, AN_ALLOCATIONS, AN_BY_FUNCTION);
    cr_assert_not(an_statistics_single(statistics, row(statistics, "f"), &single));
    an_statistics_free(statistics);
    an_tree_free(tree);
}
