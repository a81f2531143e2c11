#include "analyzer/model/cap.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void add_stack(struct an_tree *tree, const char *stack, uint64_t bytes)
{
    uint32_t node = 0;
    for (; *stack; stack++)
        node = an_tree_child(tree, node, an_names_intern(tree->names, stack, 1));
    cr_assert_eq(an_tree_add(tree, node, AN_BYTES, bytes), 0);
    cr_assert_eq(an_tree_add(tree, node, AN_ALLOCATIONS, 1), 0);
}

static struct an_tree *cap(const struct an_tree *tree, uint64_t most)
{
    uint64_t *total = malloc(tree->node_count * sizeof(*total));
    an_tree_totals(tree, AN_BYTES, total);
    struct an_tree *capped = an_cap_apply(tree, total, most);
    free(total);
    return capped;
}

static const char *name_of(const struct an_tree *tree, uint32_t node)
{
    return an_names_text(tree->names, tree->name[node], NULL);
}

/* The child of PARENT called NAME, UINT32_MAX: there is none. */
static uint32_t child_of(const struct an_tree *tree, uint32_t parent, const char *name)
{
    for (uint32_t node = parent + 1; node < tree->node_count; node++) {
        if (tree->parent[node] == parent && strcmp(name_of(tree, node), name) == 0)
            return node;
    }
    return UINT32_MAX;
}

Test(cap, the_largest_stay_and_the_others_are_one_frame_with_all_below)
{
    struct an_tree *tree = an_tree_new();
    add_stack(tree, "ma", 10);
    add_stack(tree, "mb", 1);
    add_stack(tree, "mbcd", 29);
    add_stack(tree, "me", 5);
    add_stack(tree, "mefg", 2);
    struct an_tree *capped = cap(tree, 2);
    uint32_t m = child_of(capped, 0, "m");
    uint32_t box = child_of(capped, m, "(3 smaller frames)");
    cr_assert_neq(box, UINT32_MAX);
    cr_assert_eq(capped->self[AN_BYTES][box], 7);
    cr_assert_eq(capped->self[AN_ALLOCATIONS][box], 2);
    cr_assert(capped->flags[box] & AN_NODE_MERGED);
    cr_assert_eq(child_of(capped, m, "e"), UINT32_MAX);
    cr_assert_eq(capped->self[AN_BYTES][child_of(capped, m, "a")], 10);
    cr_assert_eq(capped->self[AN_BYTES][child_of(capped, m, "b")], 1);
    cr_assert_eq(capped->node_count, 7);
    an_tree_free(capped);
    an_tree_free(tree);
}

Test(cap, of_equal_ones_the_first_by_name_stays)
{
    struct an_tree *tree = an_tree_new();
    add_stack(tree, "b", 1);
    add_stack(tree, "a", 1);
    struct an_tree *capped = cap(tree, 1);
    cr_assert_neq(child_of(capped, 0, "a"), UINT32_MAX);
    cr_assert_neq(child_of(capped, 0, "(1 smaller frame)"), UINT32_MAX);
    an_tree_free(capped);
    an_tree_free(tree);
}

Test(cap, sums_stay_and_no_node_has_more_children)
{
    srand(7);
    for (int round = 0; round < 300; round++) {
        struct an_tree *tree = an_tree_new();
        for (int i = 0; i < 60; i++) {
            char stack[9];
            size_t length = (size_t)rand() % 8;
            for (size_t at = 0; at < length; at++)
                stack[at] = (char)('a' + rand() % 6);
            stack[length] = '\0';
            add_stack(tree, stack, (uint64_t)rand() % 100);
        }
        uint64_t most = (uint64_t)rand() % 4 + 1;
        struct an_tree *capped = cap(tree, most);
        cr_assert_eq(capped->sum[AN_BYTES], tree->sum[AN_BYTES], "round %d", round);
        cr_assert_eq(capped->sum[AN_ALLOCATIONS], 60, "round %d", round);
        for (uint32_t node = 0; node < capped->node_count; node++) {
            uint64_t children = 0;
            for (uint32_t child = node + 1; child < capped->node_count; child++)
                children += capped->parent[child] == node && name_of(capped, child)[0] != '(';
            cr_assert_leq(children, most, "round %d", round);
        }
        an_tree_free(capped);
        an_tree_free(tree);
    }
}
