/*
 * diff.h -- two profiles on one set of nodes: what was before, what is after.
 *
 * Two trees with the same nodes under the same numbers, so that node n of one is node n of the
 * other and amounts are compared exactly, node by node. A stack that only one profile has is in
 * both, with amounts of 0 in the other: what vanished stays visible.
 *
 * Always true:
 *   - both trees have equal node_count, parent, and texts of name and module;
 *   - they carry the same values, those that both profiles had;
 *   - before->sum[v] + after->sum[v] fits 64 bits;
 *   - scale[v] holds for both.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_DIFF_H
#define THAG_AN_DIFF_H

#include "analyzer/model/profile.h"

struct an_diff {
    struct an_tree *before; /* owned, both */
    struct an_tree *after;
    uint64_t scale[AN_VALUE_COUNT];
};

/*
 * Inputs:   BEFORE and AFTER are copied, not changed.
 * Result:   0; -EOVERFLOW if some sums of one value do not fit 64 bits together; RET_DIFF is then
 *           untouched. Released by an_diff_release().
 */
int an_diff_make(const struct an_profile *before, const struct an_profile *after,
                 struct an_diff *ret_diff);
void an_diff_release(struct an_diff *diff);

/*
 * Scale the amounts of VALUE before so that their sum is that after: for profiles of runs that did
 * different amounts of work. In whole numbers; what rounding leaves over goes to the nodes that
 * lost most by it, so the sum is exact. Result:   0; -ENODATA if there is nothing to scale before;
 * -EOVERFLOW if the scaled sum with that after would not fit 64 bits. Nothing is changed then.
 */
int an_diff_normalize(struct an_diff *diff, enum an_value value);

#endif
