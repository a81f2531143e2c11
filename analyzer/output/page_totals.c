/*
 * page_totals.c -- the widths of a page's frames, and in a differential their changes.
 */
#include <stdlib.h>

#include "analyzer/output/page_parts.h"
#include "analyzer/support/memory.h"

static uint64_t own_width(const struct an_page *page, uint32_t node)
{
    enum an_value value = page->options->value;
    uint64_t before = page->options->before->self[value][node];
    uint64_t after = page->tree->self[value][node];

    switch (page->options->width) {
    case AN_PAGE_WIDTH_AFTER:
        return after;
    case AN_PAGE_WIDTH_BEFORE:
        return before;
    default:
        return before > after ? before : after;
    }
}

static uint64_t change(const struct an_page *page, uint32_t node)
{
    uint64_t before = page->total_before[node], after = page->total_after[node];

    return before > after ? before - after : after - before;
}

static int compare_rising(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* The 99th percentile of the changes: a single outlier would leave all others pale. */
static uint64_t strongest_change(const struct an_page *page)
{
    uint64_t *sorted = an_memory_array(page->tree->node_count, sizeof(*sorted));
    size_t count = 0;

    for (uint32_t n = 0; n < page->tree->node_count; n++) {
        if (change(page, n) != 0)
            sorted[count++] = change(page, n);
    }
    qsort(sorted, count, sizeof(*sorted), compare_rising);
    uint64_t strongest = count > 0 ? sorted[(count - 1) * 99 / 100] : 1;
    free(sorted);
    return strongest;
}

void an_page_totals_make(struct an_page *page)
{
    const struct an_tree *tree = page->tree;
    enum an_value value = page->options->value;

    page->total = an_memory_array(tree->node_count, sizeof(*page->total));
    if (!an_page_is_diff(page)) {
        an_tree_totals(tree, value, page->total);
        return;
    }
    page->total_before = an_memory_array(tree->node_count, sizeof(*page->total_before));
    page->total_after = an_memory_array(tree->node_count, sizeof(*page->total_after));
    an_tree_totals(page->options->before, value, page->total_before);
    an_tree_totals(tree, value, page->total_after);
    for (uint32_t n = 0; n < tree->node_count; n++)
        page->total[n] = own_width(page, n);
    for (uint32_t n = tree->node_count - 1; n > 0; n--)
        page->total[tree->parent[n]] += page->total[n];
    page->strongest = strongest_change(page);
}

void an_page_totals_free(struct an_page *page)
{
    free(page->total);
    free(page->total_before);
    free(page->total_after);
}

uint8_t an_page_delta_step(const struct an_page *page, uint32_t node)
{
    uint64_t amount = change(page, node);

    return an_palette_heat(amount < page->strongest ? amount : page->strongest, page->strongest);
}
