/*
 * cap.h -- keeps the largest callees of every frame; the others become one frame, so that widths
 * still add up.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_CAP_H
#define THAG_AN_CAP_H

#include "analyzer/model/tree.h"

/*
 * A new tree in which no node has more than MOST children of TREE, the largest by TOTAL (equal ones
 * by name), and what is left out, with all below, is one more: "(n smaller frames)", n of TREE's
 * nodes. Sums are those of TREE.
 *
 * Inputs: TOTAL has an entry for each node; MOST is at least 1. Trees with the same nodes and the
 *         same TOTAL become trees with the same nodes.
 */
struct an_tree *an_cap_apply(const struct an_tree *tree, const uint64_t *total, uint64_t most);

#endif
