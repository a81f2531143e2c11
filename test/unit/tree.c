#include "analyzer/model/tree.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t child(struct an_tree *tree, uint32_t parent, const char *name)
{
    return an_tree_child(tree, parent, an_names_intern(tree->names, name, strlen(name)));
}

Test(tree, a_child_is_made_once)
{
    struct an_tree *tree = an_tree_new();
    uint32_t a = child(tree, 0, "a");
    uint32_t b = child(tree, a, "b");
    cr_assert_eq(child(tree, 0, "a"), a);
    cr_assert_eq(child(tree, a, "b"), b);
    cr_assert_neq(child(tree, 0, "b"), b);
    cr_assert_neq(child(tree, a, "a"), a);
    cr_assert_eq(tree->node_count, 5);
    cr_assert_eq(tree->parent[0], 0);
    cr_assert_eq(tree->module[b], UINT32_MAX);
    cr_assert_eq(an_tree_depth(tree, b), 2);
    cr_assert_eq(an_tree_depth(tree, 0), 0);
    an_tree_free(tree);
}

Test(tree, totals_add_up_over_every_level)
{
    struct an_tree *tree = an_tree_new();
    uint32_t a = child(tree, 0, "a");
    uint32_t b = child(tree, a, "b");
    uint32_t c = child(tree, 0, "c");
    cr_assert_eq(an_tree_add(tree, a, AN_BYTES, 1), 0);
    cr_assert_eq(an_tree_add(tree, b, AN_BYTES, 20), 0);
    cr_assert_eq(an_tree_add(tree, c, AN_BYTES, 300), 0);
    cr_assert_eq(an_tree_add(tree, b, AN_BYTES, 4000), 0);
    uint64_t total[4];
    an_tree_totals(tree, AN_BYTES, total);
    cr_assert_eq(total[0], 4321);
    cr_assert_eq(total[a], 4021);
    cr_assert_eq(total[b], 4020);
    cr_assert_eq(total[c], 300);
    cr_assert_eq(tree->sum[AN_BYTES], 4321);
    an_tree_free(tree);
}

Test(tree, a_value_is_there_once_something_was_added)
{
    struct an_tree *tree = an_tree_new();
    uint32_t a = child(tree, 0, "a");
    uint64_t total[2] = {7, 7};
    cr_assert_not(an_tree_has(tree, AN_TIME));
    an_tree_totals(tree, AN_TIME, total);
    cr_assert_eq(total[0] | total[1], 0);
    cr_assert_eq(an_tree_add(tree, a, AN_TIME, 0), 0);
    cr_assert(an_tree_has(tree, AN_TIME));
    cr_assert_not(an_tree_has(tree, AN_BYTES));
    an_tree_free(tree);
}

Test(tree, a_sum_past_64_bits_is_refused_and_nothing_is_added)
{
    struct an_tree *tree = an_tree_new();
    uint32_t a = child(tree, 0, "a");
    uint32_t b = child(tree, 0, "b");
    cr_assert_eq(an_tree_add(tree, a, AN_TIME, UINT64_MAX - 1), 0);
    cr_assert_eq(an_tree_add(tree, b, AN_TIME, 2), -EOVERFLOW);
    cr_assert_eq(tree->self[AN_TIME][b], 0);
    cr_assert_eq(an_tree_add(tree, b, AN_TIME, 1), 0);
    cr_assert_eq(tree->sum[AN_TIME], UINT64_MAX);
    an_tree_free(tree);
}

Test(tree, growing_keeps_nodes_and_amounts)
{
    struct an_tree *tree = an_tree_new();
    uint32_t first = child(tree, 0, "first");
    uint32_t name = an_names_intern(tree->names, "deep", 4);
    cr_assert_eq(an_tree_add(tree, first, AN_CALLS, 3), 0);
    uint32_t node = first;
    for (int i = 0; i < 200000; i++) {
        uint32_t next = an_tree_child(tree, node, name);
        cr_assert_lt(tree->parent[next], next);
        node = next;
    }
    cr_assert_eq(an_tree_add(tree, node, AN_CALLS, 4), 0);
    cr_assert_eq(an_tree_depth(tree, node), 200001);
    cr_assert_eq(an_tree_child(tree, first, name), first + 1);
    uint64_t *total = malloc(tree->node_count * sizeof(*total));
    an_tree_totals(tree, AN_CALLS, total);
    cr_assert_eq(total[0], 7);
    cr_assert_eq(total[first + 1], 4);
    free(total);
    an_tree_free(tree);
}
