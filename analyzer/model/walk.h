/*
 * walk.h -- goes through a call tree depth first, without recursion.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_WALK_H
#define THAG_AN_WALK_H

#include "analyzer/model/order.h"

struct an_walk {
    const struct an_tree *tree;
    struct an_order *order; /* owned */
    uint32_t *next;         /* place of a node's next child in order->child */
    uint32_t node;          /* the one that was entered or left last */
};

enum an_step { AN_STEP_ENTER, AN_STEP_LEAVE, AN_STEP_END };

/* TOTAL is as for an_order_new(). Ended by an_walk_end(). */
void an_walk_begin(struct an_walk *walk, const struct an_tree *tree, enum an_order_by by,
                   const uint64_t *total);
void an_walk_end(struct an_walk *walk);

/*
 * Every node but the root is entered once and left once; children come between. At last
 * AN_STEP_END.
 */
enum an_step an_walk_step(struct an_walk *walk, uint32_t *ret_node);

#endif
