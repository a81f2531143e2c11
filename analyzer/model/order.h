/*
 * order.h -- the children of every node, in a chosen order, as two flat arrays.
 */
#ifndef THAG_AN_ORDER_H
#define THAG_AN_ORDER_H

#include "analyzer/model/tree.h"

enum an_order_by {
    AN_BY_NAME,  /* bytewise, independent of the locale */
    AN_BY_VALUE, /* largest total first; equal ones by name */
    AN_BY_TIME,  /* first seen first */
};

/* Children of node n: child[first[n]] .. child[first[n + 1] - 1]. */
struct an_order {
    uint32_t *first; /* node_count + 1 entries */
    uint32_t *child; /* node_count - 1 entries */
};

/* TOTAL is what an_tree_totals() computed; used for AN_BY_VALUE alone. Freed by an_order_free(). */
struct an_order *an_order_new(const struct an_tree *tree, enum an_order_by by,
                              const uint64_t *total);
void an_order_free(struct an_order *order);

#endif
