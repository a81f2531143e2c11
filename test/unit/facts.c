#include "analyzer/model/facts.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/filter.h"

static uint32_t child(struct an_tree *tree, uint32_t parent, const char *name)
{
    return an_tree_child(tree, parent, an_names_intern(tree->names, name, strlen(name)));
}

static void add(struct an_tree *tree, uint32_t node, enum an_value value, uint64_t amount)
{
    cr_assert_eq(an_tree_add(tree, node, value, amount), 0);
}

/* main allocates little and rarely; big, busy, lost and brief each have one fact. */
static struct an_tree *make_tree(void)
{
    struct an_tree *tree = an_tree_new();
    uint32_t top = child(tree, 0, "main");
    uint32_t big = child(tree, top, "big"), busy = child(tree, top, "busy");
    uint32_t lost = child(tree, top, "lost"), brief = child(tree, top, "Brief\\E.");
    add(tree, top, AN_BYTES, 1 << 20); /* not over it */
    add(tree, top, AN_ALLOCATIONS, 10);
    add(tree, big, AN_BYTES, (1 << 20) + 1);
    add(tree, big, AN_ALLOCATIONS, 1);
    add(tree, busy, AN_BYTES, 100);
    add(tree, busy, AN_ALLOCATIONS, 987);
    add(tree, lost, AN_BYTES, 20);
    add(tree, lost, AN_ALLOCATIONS, 1);
    add(tree, lost, AN_LIVE_BLOCKS, 1);
    add(tree, brief, AN_BYTES, 3);
    add(tree, brief, AN_ALLOCATIONS, 1);
    add(tree, brief, AN_TEMPORARY, 1);
    return tree;
}

static uint64_t kept(bool keep, unsigned facts, const char *text)
{
    struct an_tree *tree = make_tree();
    struct an_filter *filter = an_filter_new(false);
    an_filter_add_facts(filter, keep, facts, text);
    cr_assert_not(an_filter_is_empty(filter));
    struct an_tree *filtered = an_filter_apply(filter, tree, false);
    uint64_t allocations = filtered->sum[AN_ALLOCATIONS];
    an_tree_free(filtered);
    an_tree_free(tree);
    an_filter_free(filter);
    return allocations;
}

Test(facts, are_told_from_the_values_of_a_stack)
{
    struct an_tree *tree = make_tree();
    static const uint8_t wanted[] = {
        0, 0, AN_FACT_LARGE, AN_FACT_FREQUENT, AN_FACT_LEAKED, AN_FACT_TEMPORARY};
    uint8_t *facts = an_facts_of(tree);
    cr_assert_arr_eq(facts, wanted, sizeof(wanted));
    cr_assert_eq(an_facts_known(tree),
                 AN_FACT_LARGE | AN_FACT_FREQUENT | AN_FACT_LEAKED | AN_FACT_TEMPORARY);
    free(facts);
    an_tree_free(tree);
}

Test(facts, what_the_values_cannot_tell_is_not_known)
{
    struct an_tree *tree = an_tree_new();
    add(tree, child(tree, 0, "f"), AN_BYTES, 5);
    cr_assert_eq(an_facts_known(tree), AN_FACT_LARGE);
    an_tree_free(tree);
}

Test(facts, a_stack_in_several_places_is_one)
{
    struct an_tree *tree = an_tree_new();
    uint32_t name = an_names_intern(tree->names, "f", 1), other;
    uint32_t first = an_tree_append(tree, 0, name);
    other = an_tree_append(tree, 0, an_names_intern(tree->names, "g", 1));
    uint32_t second = an_tree_append(tree, 0, name);
    add(tree, first, AN_BYTES, 1 << 20);
    add(tree, other, AN_BYTES, 7);
    add(tree, second, AN_BYTES, 1);
    uint8_t *facts = an_facts_of(tree);
    cr_assert_eq(facts[first], AN_FACT_LARGE);
    cr_assert_eq(facts[second], AN_FACT_LARGE);
    cr_assert_eq(facts[other], 0);
    free(facts);
    an_tree_free(tree);
}

Test(facts, any_of_those_that_are_chosen_keeps_or_drops)
{
    cr_assert_eq(kept(true, AN_FACT_LARGE, NULL), 1);
    cr_assert_eq(kept(true, AN_FACT_LARGE | AN_FACT_LEAKED, NULL), 2);
    cr_assert_eq(kept(false, AN_FACT_FREQUENT, NULL), 13);
    cr_assert_eq(kept(false, AN_FACT_LARGE | AN_FACT_LEAKED | AN_FACT_TEMPORARY, NULL), 997);
}

Test(facts, a_text_is_taken_as_it_is_in_any_case_and_counts_on_the_whole_stack)
{
    cr_assert_eq(kept(true, AN_FACT_TEXT, "BU"), 987);
    cr_assert_eq(kept(true, AN_FACT_TEXT, "brief\\e."), 1);
    cr_assert_eq(kept(true, AN_FACT_TEXT, "b.g"), 0);
    cr_assert_eq(kept(true, AN_FACT_TEXT, "Main"), 1000);
    cr_assert_eq(kept(false, AN_FACT_TEXT, "main"), 0);
    cr_assert_eq(kept(true, AN_FACT_TEXT | AN_FACT_LARGE, "lost"), 2);
    cr_assert_eq(kept(true, AN_FACT_TEXT, "\xff"), 0);
}
