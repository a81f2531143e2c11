/*
 * walk.c -- goes through a call tree depth first.
 */
#include "analyzer/model/walk.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

void an_walk_begin(struct an_walk *walk, const struct an_tree *tree, enum an_order_by by,
                   const uint64_t *total)
{
    walk->tree = tree;
    walk->order = an_order_new(tree, by, total);
    walk->next = an_memory_array(tree->node_count, sizeof(*walk->next));
    memcpy(walk->next, walk->order->first, tree->node_count * sizeof(*walk->next));
    walk->node = 0;
}

void an_walk_end(struct an_walk *walk)
{
    an_order_free(walk->order);
    free(walk->next);
}

enum an_step an_walk_step(struct an_walk *walk, uint32_t *ret_node)
{
    uint32_t node = walk->node;
    if (walk->next[node] < walk->order->first[node + 1]) {
        walk->node = *ret_node = walk->order->child[walk->next[node]++];
        return AN_STEP_ENTER;
    }
    if (node == 0)
        return AN_STEP_END;
    *ret_node = node;
    walk->node = walk->tree->parent[node];
    return AN_STEP_LEAVE;
}
