/*
 * timeline.h -- single calls over time, one lane for each stack that a thread ran on.
 *
 * A span is one call; its node in the call tree says what was called from where. Times are in ns
 * since the start of the recording, as they were measured: the recorder's own cost is in them.
 * Calls that took less than a lane's resolution are no spans. They are in the tree alone.
 *
 * Always true:
 *   - the spans of a lane are span[first] to span[first + count - 1], by start and then by row;
 *   - row is the depth of the span's node below the root's children, and below the lane's rows;
 *   - what the span of a row covers includes the spans of the rows below it that lie in its time.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_TIMELINE_H
#define THAG_AN_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/model/tree.h"

struct an_span {
    uint64_t start_ns;
    uint64_t duration_ns;
    uint32_t node;
    uint32_t row; /* from 0 */
    bool open;    /* the program ended in it */
};

struct an_lane {
    char *name;        /* of the thread; owned */
    uint32_t tid;      /* 0: several threads of that name, one after the other */
    uint32_t fibre;    /* 0: the thread's own stack; else which fibre of it, from 1 on */
    uint64_t least_ns; /* the resolution */
    uint64_t lost;     /* calls that have no span though they took as long */
    uint32_t first, count;
    uint32_t rows;
};

/* Of the calls of a node: those that are no spans, and how long they took. */
struct an_rest {
    uint64_t calls, ns;
};

struct an_timeline {
    bool sampled; /* a span is what neighbouring samples share, and no single call */
    struct an_rest *rest; /* of each node of the tree */
    struct an_span *span;
    uint32_t span_count;
    struct an_lane *lane;
    uint32_t lane_count;
};

void an_timeline_free(struct an_timeline *timeline);

/*
 * The tree of NODE_COUNT nodes has become TREE: NODE[n] is what node n is now, UINT32_MAX if it has
 * no place of its own any more. Spans without a place go, and lanes without spans.
 */
void an_timeline_renumber(struct an_timeline *timeline, const struct an_tree *tree,
                          const uint32_t *node, uint32_t node_count);

/* Set the rows of all spans by TREE, and order and measure the lanes. */
void an_timeline_arrange(struct an_timeline *timeline, const struct an_tree *tree);

/* The coarsest resolution of all lanes. */
uint64_t an_timeline_least_ns(const struct an_timeline *timeline);

#endif
