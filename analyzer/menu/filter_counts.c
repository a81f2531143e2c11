/*
 * filter_counts.c -- what was chosen as a filter, and what it leaves.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/menu/filters.h"
#include "analyzer/output/amount.h"

void menu_filter_release(struct menu_filter *filter)
{
    for (uint32_t i = 0; i < filter->name_count; i++)
        free(filter->names[i].name);
    free(filter->names);
    free(filter->keep_text);
    free(filter->drop_text);
    *filter = (struct menu_filter){0};
}

bool menu_filter_is_empty(const struct menu_filter *filter)
{
    return filter->name_count == 0 && !filter->keep_facts && !filter->drop_facts;
}

void menu_filter_fill(const struct menu_filter *filter, struct an_filter *into)
{
    for (uint32_t i = 0; i < filter->name_count; i++)
        an_filter_add_name(into, filter->names[i].kind, filter->names[i].name);
    if (filter->keep_facts)
        an_filter_add_facts(into, true, filter->keep_facts, filter->keep_text);
    if (filter->drop_facts)
        an_filter_add_facts(into, false, filter->drop_facts, filter->drop_text);
}

static uint64_t counts_stacks(const struct an_tree *tree, enum an_value value)
{
    uint64_t count = 0;
    for (uint32_t node = 0; an_tree_has(tree, value) && node < tree->node_count; node++)
        count += tree->self[value][node] != 0;
    return count;
}

void menu_filter_count(const struct menu_filter *filter, const struct an_tree *tree,
                       enum an_value value, bool in_order, struct menu_counts *ret_counts)
{
    struct an_filter *applied = an_filter_new(false);
    menu_filter_fill(filter, applied);
    struct an_tree *kept = an_filter_apply(applied, tree, in_order);
    *ret_counts = (struct menu_counts){.stacks = counts_stacks(tree, value),
                                       .stacks_kept = counts_stacks(kept, value),
                                       .amount = tree->sum[value],
                                       .amount_kept = kept->sum[value]};
    an_tree_free(kept);
    an_filter_free(applied);
}

void menu_counts_text(const struct menu_counts *counts, uint64_t scale, enum an_unit unit,
                      char ret_text[MENU_COUNTS_TEXT_MAX])
{
    char kept[AN_AMOUNT_MAX], all[AN_AMOUNT_MAX], gone[AN_AMOUNT_MAX], share[AN_AMOUNT_MAX];
    char stacks[AN_AMOUNT_MAX], of[AN_AMOUNT_MAX];
    an_amount_text(counts->stacks_kept, 1, AN_UNIT_COUNT, stacks);
    an_amount_text(counts->stacks, 1, AN_UNIT_COUNT, of);
    an_amount_text(counts->amount_kept, scale, unit, kept);
    an_amount_text(counts->amount, scale, unit, all);
    an_amount_text(counts->amount - counts->amount_kept, scale, unit, gone);
    an_share_text(counts->amount_kept, counts->amount, share);
    snprintf(ret_text, MENU_COUNTS_TEXT_MAX, "%s of %s stack%s; %s of %s kept (%s), %s left out",
             stacks, of, counts->stacks == 1 ? "" : "s", kept, all, share, gone);
}
