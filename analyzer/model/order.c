/*
 * order.c -- the children of every node, in a chosen order.
 *
 * Counting sorts, which are stable: nodes already come in the order of their making, so putting
 * them under their parents gives AN_BY_TIME; doing so after putting them in the order of their
 * names gives AN_BY_NAME, without a comparison per pair of siblings.
 */
#include "analyzer/model/order.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

struct order_by_value {
    const struct an_tree *tree;
    const uint32_t *rank;
    const uint64_t *total;
};

static int order_compare_names(const void *a, const void *b, void *context)
{
    const struct an_names *names = context;
    size_t a_bytes, b_bytes;
    const char *a_text = an_names_text(names, *(const uint32_t *)a, &a_bytes);
    const char *b_text = an_names_text(names, *(const uint32_t *)b, &b_bytes);
    int compared = memcmp(a_text, b_text, a_bytes < b_bytes ? a_bytes : b_bytes);
    if (compared)
        return compared;
    return (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

/* rank[name] = the name's place among all names. */
static uint32_t *order_rank_names(const struct an_names *names)
{
    uint32_t count = an_names_count(names);
    uint32_t *sorted = an_memory_array(count, sizeof(*sorted));
    uint32_t *rank = an_memory_array(count, sizeof(*rank));
    for (uint32_t name = 0; name < count; name++)
        sorted[name] = name;
    qsort_r(sorted, count, sizeof(*sorted), order_compare_names, (void *)names);
    for (uint32_t place = 0; place < count; place++)
        rank[sorted[place]] = place;
    free(sorted);
    return rank;
}

/* All nodes but the root by the rank of their names; of one name the oldest first. */
static uint32_t *order_nodes_by_name(const struct an_tree *tree, const uint32_t *rank)
{
    uint32_t name_count = an_names_count(tree->names);
    uint32_t *next = an_memory_zeroed((size_t)name_count + 1, sizeof(*next));
    uint32_t *node_list = an_memory_array(tree->node_count, sizeof(*node_list));
    for (uint32_t node = 1; node < tree->node_count; node++)
        next[rank[tree->name[node]] + 1]++;
    for (uint32_t place = 0; place < name_count; place++)
        next[place + 1] += next[place];
    for (uint32_t node = 1; node < tree->node_count; node++)
        node_list[next[rank[tree->name[node]]]++] = node;
    free(next);
    return node_list;
}

/* Deal the nodes out to their parents, in the order of NODE_LIST (NULL: as they were made). */
static void order_deal(const struct an_tree *tree, const uint32_t *node_list,
                       struct an_order *order)
{
    uint32_t count = tree->node_count;
    for (uint32_t node = 1; node < count; node++)
        order->first[tree->parent[node] + 1]++;
    for (uint32_t node = 0; node < count; node++)
        order->first[node + 1] += order->first[node];

    uint32_t *next = an_memory_array(count, sizeof(*next));
    memcpy(next, order->first, count * sizeof(*next));
    for (uint32_t i = 1; i < count; i++) {
        uint32_t node = node_list ? node_list[i - 1] : i;
        order->child[next[tree->parent[node]]++] = node;
    }
    free(next);
}

static int order_compare_values(const void *a, const void *b, void *context)
{
    const struct order_by_value *by = context;
    uint32_t a_node = *(const uint32_t *)a;
    uint32_t b_node = *(const uint32_t *)b;
    if (by->total[a_node] != by->total[b_node])
        return by->total[a_node] < by->total[b_node] ? 1 : -1;
    uint32_t a_rank = by->rank[by->tree->name[a_node]];
    uint32_t b_rank = by->rank[by->tree->name[b_node]];
    return (a_rank > b_rank) - (a_rank < b_rank);
}

static void order_sort_by_value(const struct order_by_value *by, struct an_order *order)
{
    for (uint32_t node = 0; node < by->tree->node_count; node++) {
        uint32_t child_count = order->first[node + 1] - order->first[node];
        if (child_count > 1)
            qsort_r(order->child + order->first[node], child_count, sizeof(*order->child),
                    order_compare_values, (void *)by);
    }
}

struct an_order *an_order_new(const struct an_tree *tree, enum an_order_by by,
                              const uint64_t *total)
{
    struct an_order *order = an_memory_zeroed(1, sizeof(*order));
    order->first = an_memory_zeroed((size_t)tree->node_count + 1, sizeof(*order->first));
    order->child = an_memory_array(tree->node_count, sizeof(*order->child));
    if (by == AN_BY_TIME) {
        order_deal(tree, NULL, order);
        return order;
    }
    uint32_t *rank = order_rank_names(tree->names);
    if (by == AN_BY_NAME) {
        uint32_t *node_list = order_nodes_by_name(tree, rank);
        order_deal(tree, node_list, order);
        free(node_list);
    } else {
        struct order_by_value by_value = {tree, rank, total};
        order_deal(tree, NULL, order);
        order_sort_by_value(&by_value, order);
    }
    free(rank);
    return order;
}

void an_order_free(struct an_order *order)
{
    if (!order)
        return;
    free(order->first);
    free(order->child);
    free(order);
}
