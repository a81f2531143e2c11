#include "analyzer/model/order.h"

#include <criterion/criterion.h>
#include <string.h>

static uint32_t add(struct an_tree *tree, uint32_t parent, const char *name, uint64_t amount)
{
    uint32_t node = an_tree_child(tree, parent, an_names_intern(tree->names, name, strlen(name)));
    cr_assert_eq(an_tree_add(tree, node, AN_TIME, amount), 0);
    return node;
}

/* The names of a node's children in order, joined by blanks. */
static const char *children(const struct an_tree *tree, enum an_order_by by, uint32_t node)
{
    static char text[200];
    uint64_t total[32];
    text[0] = '\0';
    an_tree_totals(tree, AN_TIME, total);
    struct an_order *order = an_order_new(tree, by, total);
    for (uint32_t i = order->first[node]; i < order->first[node + 1]; i++) {
        strcat(text, an_names_text(tree->names, tree->name[order->child[i]], NULL));
        strcat(text, " ");
    }
    cr_assert_eq(order->first[tree->node_count], tree->node_count - 1);
    an_order_free(order);
    return text;
}

static struct an_tree *sample(void)
{
    struct an_tree *tree = an_tree_new();
    uint32_t m = add(tree, 0, "m", 0);
    add(tree, m, "zz", 5);
    uint32_t b = add(tree, m, "b", 1);
    add(tree, m, "a", 5);
    add(tree, m, "\xc3\xa9", 2);
    add(tree, b, "zz", 9);
    add(tree, b, "ab", 9);
    add(tree, m, "ab", 5);
    return tree;
}

Test(order, by_time_is_first_seen_first)
{
    struct an_tree *tree = sample();
    cr_assert_str_eq(children(tree, AN_BY_TIME, 1), "zz b a \xc3\xa9 ab ");
    an_tree_free(tree);
}

Test(order, by_name_is_bytewise)
{
    struct an_tree *tree = sample();
    cr_assert_str_eq(children(tree, AN_BY_NAME, 0), "m ");
    cr_assert_str_eq(children(tree, AN_BY_NAME, 1), "a ab b zz \xc3\xa9 ");
    cr_assert_str_eq(children(tree, AN_BY_NAME, 3), "ab zz ");
    an_tree_free(tree);
}

Test(order, by_value_is_largest_total_first_and_then_by_name)
{
    struct an_tree *tree = sample();
    cr_assert_str_eq(children(tree, AN_BY_VALUE, 1), "b a ab zz \xc3\xa9 ");
    cr_assert_str_eq(children(tree, AN_BY_VALUE, 3), "ab zz ");
    an_tree_free(tree);
}

Test(order, an_empty_tree_has_no_children)
{
    struct an_tree *tree = an_tree_new();
    for (int by = AN_BY_NAME; by <= AN_BY_TIME; by++)
        cr_assert_str_eq(children(tree, (enum an_order_by)by, 0), "");
    an_tree_free(tree);
}
