/*
 * facts.c -- what is true of the allocations of a stack.
 */
#include "analyzer/model/facts.h"

#include <stdlib.h>

#include "analyzer/support/memory.h"

static const enum an_value facts_values[] = {AN_BYTES, AN_TEMPORARY, AN_LIVE_BLOCKS,
                                             AN_ALLOCATIONS};

unsigned an_facts_known(const struct an_tree *tree)
{
    unsigned facts = 0;
    for (unsigned i = 0; i < sizeof(facts_values) / sizeof(facts_values[0]); i++)
        facts |= an_tree_has(tree, facts_values[i]) ? 1u << i : 0;
    return facts;
}

static uint64_t facts_amount(const struct an_tree *tree, enum an_value value, uint32_t node)
{
    return an_tree_has(tree, value) ? tree->self[value][node] : 0;
}

static uint8_t facts_of_node(const struct an_tree *tree, uint32_t node)
{
    unsigned facts = 0;
    unsigned __int128 allocations = facts_amount(tree, AN_ALLOCATIONS, node);
    if (facts_amount(tree, AN_BYTES, node) > AN_FACT_LARGE_BYTES)
        facts |= AN_FACT_LARGE;
    if (facts_amount(tree, AN_TEMPORARY, node))
        facts |= AN_FACT_TEMPORARY;
    if (facts_amount(tree, AN_LIVE_BLOCKS, node))
        facts |= AN_FACT_LEAKED;
    if (allocations * 1000 >
        (unsigned __int128)tree->sum[AN_ALLOCATIONS] * AN_FACT_FREQUENT_PERMILLE)
        facts |= AN_FACT_FREQUENT;
    return (uint8_t)facts;
}

/* TREE with one node per stack; RET_PLACE[n] is where node n of TREE went. */
static struct an_tree *facts_merge(const struct an_tree *tree, uint32_t *ret_place)
{
    struct an_tree *merged = an_tree_new();
    ret_place[0] = 0;
    for (uint32_t node = 0; node < tree->node_count; node++) {
        if (node) {
            size_t bytes;
            const char *text = an_names_text(tree->names, tree->name[node], &bytes);
            ret_place[node] = an_tree_child(merged, ret_place[tree->parent[node]],
                                            an_names_intern(merged->names, text, bytes));
        }
        for (unsigned i = 0; i < sizeof(facts_values) / sizeof(facts_values[0]); i++) {
            enum an_value value = facts_values[i];
            /* A part of a sum that fits fits. */
            if (an_tree_has(tree, value))
                (void)an_tree_add(merged, ret_place[node], value, tree->self[value][node]);
        }
    }
    return merged;
}

uint8_t *an_facts_of(const struct an_tree *tree)
{
    uint8_t *facts = an_memory_array(tree->node_count, 1);
    uint32_t *place = an_memory_array(tree->node_count, sizeof(*place));
    struct an_tree *merged = facts_merge(tree, place);
    for (uint32_t node = 0; node < tree->node_count; node++)
        facts[node] = facts_of_node(merged, place[node]);
    an_tree_free(merged);
    free(place);
    return facts;
}
