/*
 * tree.h -- the one call tree that every reader fills and every writer draws.
 *
 * A node is a function under a parent; node 0 is the root, which has no name and stands for the
 * whole. Nodes are numbered in the order of their making, so a parent's number is always smaller
 * than a child's: sums over subtrees are one loop from the last node to the first.
 * Each node has its own ("self") amount of every value that the tree carries. Totals are computed,
 * not kept.
 *
 * Always true:
 *   - parent[0] == 0, and parent[n] < n for every other n;
 *   - self[v] is NULL if no reader has filled value v, else it has node_count entries;
 *   - the sum of self[v] over all nodes fits 64 bits (an_tree_add() refuses what would not).
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_TREE_H
#define THAG_AN_TREE_H

#include "analyzer/model/names.h"
#include "analyzer/model/value.h"

enum an_node_flag {
    AN_NODE_INLINED = 1u << 0, /* the frame was inlined into its parent */
    AN_NODE_MERGED = 1u << 1,  /* stands for several frames left out here */
};

/* What is known of the single calls of a node, in ns. */
struct an_call_facts {
    uint64_t shortest, longest; /* inclusive, of one call; UINT64_MAX, 0: there was none */
    uint64_t cost;              /* the recorder's own, taken out of AN_TIME */
};

/* How large a node's own single allocations were; in a file of frees, the blocks freed. */
struct an_size_facts {
    uint64_t count;           /* of the allocations that the rest is known of */
    uint64_t least, smallest; /* the smallest lies between these; equal: it is known exactly */
    uint64_t largest;
};
#define AN_SIZE_FACTS_NONE ((struct an_size_facts){0, UINT64_MAX, UINT64_MAX, 0})

struct an_tree {
    struct an_names *names; /* owned by the tree */
    uint32_t node_count;    /* the root included, so at least 1 */
    uint32_t *parent;
    uint32_t *name;   /* of names; 0 for the root */
    uint32_t *module; /* of names: base name of the module, or UINT32_MAX */
    uint8_t *flags;   /* enum an_node_flag */
    uint64_t *self[AN_VALUE_COUNT];
    uint64_t sum[AN_VALUE_COUNT]; /* over all nodes */
    struct an_call_facts *facts;  /* of each node; NULL: nothing is known of single calls */
    struct an_size_facts *sizes;  /* the same of single allocations */
    struct an_tree_index *index;  /* private to tree.c */
};

struct an_tree *an_tree_new(void);
void an_tree_free(struct an_tree *tree);

/* The child of PARENT called NAME (a number of tree->names), made if it is new. */
uint32_t an_tree_child(struct an_tree *tree, uint32_t parent, uint32_t name);

/*
 * A new child of PARENT, though it may have one of that name: for trees in the order of time, where
 * only what is adjacent is one. an_tree_child() does not find it.
 */
uint32_t an_tree_append(struct an_tree *tree, uint32_t parent, uint32_t name);

/*
 * Multiply every amount of VALUE by FACTOR.
 * Result: 0, or -EOVERFLOW if the sum over the tree would pass 2^64 - 1; nothing is changed then.
 */
int an_tree_scale(struct an_tree *tree, enum an_value value, uint64_t factor);

/*
 * Add AMOUNT to a node's own VALUE. AMOUNT may be 0: the value then counts as present.
 * Result: 0, or -EOVERFLOW if the sum over the tree would pass 2^64 - 1; nothing is added then.
 */
int an_tree_add(struct an_tree *tree, uint32_t node, enum an_value value, uint64_t amount);

/* Join FACTS to those of a node: the least, the largest, the sum. */
void an_tree_note_calls(struct an_tree *tree, uint32_t node, const struct an_call_facts *facts);

/* Join FACTS to those of a node. */
void an_tree_note_sizes(struct an_tree *tree, uint32_t node, const struct an_size_facts *facts);

/* Join FACTS to INTO: the sum of the counts, the least, the largest. */
void an_size_facts_join(struct an_size_facts *into, const struct an_size_facts *facts);

/* True if some reader has filled VALUE. */
static inline bool an_tree_has(const struct an_tree *tree, enum an_value value)
{
    return tree->self[value] != NULL;
}

/*
 * Inclusive amounts: RET_TOTAL[n] = the sum of VALUE over n and all below it.
 * RET_TOTAL has room for node_count entries.
 */
void an_tree_totals(const struct an_tree *tree, enum an_value value, uint64_t *ret_total);

/* The number of frames above the root: 0 for the root itself. */
uint32_t an_tree_depth(const struct an_tree *tree, uint32_t node);

#endif
