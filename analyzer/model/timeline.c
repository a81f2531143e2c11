/*
 * timeline.c -- keeps spans in order.
 */
#include "analyzer/model/timeline.h"

#include <stdlib.h>

#include "analyzer/support/memory.h"

void an_timeline_free(struct an_timeline *timeline)
{
    if (!timeline)
        return;
    for (uint32_t i = 0; i < timeline->lane_count; i++)
        free(timeline->lane[i].name);
    free(timeline->lane);
    free(timeline->span);
    free(timeline->rest);
    free(timeline);
}

static int span_order(const void *left, const void *right)
{
    const struct an_span *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

void an_timeline_arrange(struct an_timeline *timeline, const struct an_tree *tree)
{
    uint32_t *depth = an_memory_array(tree->node_count, sizeof(*depth));
    depth[0] = 0;
    for (uint32_t node = 1; node < tree->node_count; node++)
        depth[node] = depth[tree->parent[node]] + 1;
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        struct an_lane *lane = &timeline->lane[i];
        struct an_span *span = timeline->span + lane->first;
        lane->rows = 0;
        for (uint32_t s = 0; s < lane->count; s++) {
            span[s].row = depth[span[s].node] - 1;
            if (lane->rows <= span[s].row)
                lane->rows = span[s].row + 1;
        }
        qsort(span, lane->count, sizeof(*span), span_order);
    }
    free(depth);
}

static void rest_renumber(struct an_timeline *timeline, const struct an_tree *tree,
                          const uint32_t *node, uint32_t node_count)
{
    struct an_rest *rest = an_memory_zeroed(tree->node_count, sizeof(*rest));
    for (uint32_t n = 0; n < node_count; n++) {
        if (node[n] == UINT32_MAX)
            continue;
        rest[node[n]].calls += timeline->rest[n].calls;
        rest[node[n]].ns += timeline->rest[n].ns;
    }
    free(timeline->rest);
    timeline->rest = rest;
}

void an_timeline_renumber(struct an_timeline *timeline, const struct an_tree *tree,
                          const uint32_t *node, uint32_t node_count)
{
    rest_renumber(timeline, tree, node, node_count);
    uint32_t spans = 0, lanes = 0;
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        struct an_lane lane = timeline->lane[i];
        uint32_t first = spans;
        for (uint32_t s = lane.first; s < lane.first + lane.count; s++) {
            struct an_span span = timeline->span[s];
            span.node = node[span.node];
            if (span.node != UINT32_MAX)
                timeline->span[spans++] = span;
        }
        lane.first = first;
        lane.count = spans - first;
        if (lane.count == 0)
            free(lane.name);
        else
            timeline->lane[lanes++] = lane;
    }
    timeline->span_count = spans;
    timeline->lane_count = lanes;
    an_timeline_arrange(timeline, tree);
}

uint64_t an_timeline_least_ns(const struct an_timeline *timeline)
{
    uint64_t least = 0;
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        if (timeline->lane[i].least_ns > least)
            least = timeline->lane[i].least_ns;
    }
    return least;
}
