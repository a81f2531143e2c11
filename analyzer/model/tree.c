/*
 * tree.c -- the call tree: parallel arrays, and an open hash that finds a child by its name.
 */
#include "analyzer/model/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

#define TREE_FIRST_NODES 256u

/* Slots hold node numbers; 0 is empty, because the root is nobody's child. */
struct an_tree_index {
    uint32_t *slot;
    uint32_t slot_count; /* a power of two */
    uint32_t used;       /* slots in use: the nodes made by an_tree_child() */
    uint32_t capacity;   /* entries that the node arrays have room for */
};

struct an_tree *an_tree_new(void)
{
    struct an_tree *tree = an_memory_zeroed(1, sizeof(*tree));
    struct an_tree_index *index = an_memory_zeroed(1, sizeof(*index));
    index->slot_count = TREE_FIRST_NODES * 2;
    index->slot = an_memory_zeroed(index->slot_count, sizeof(*index->slot));
    index->capacity = TREE_FIRST_NODES;
    tree->index = index;
    tree->names = an_names_new();
    tree->parent = an_memory_array(index->capacity, sizeof(*tree->parent));
    tree->name = an_memory_array(index->capacity, sizeof(*tree->name));
    tree->module = an_memory_array(index->capacity, sizeof(*tree->module));
    tree->flags = an_memory_array(index->capacity, sizeof(*tree->flags));
    tree->parent[0] = 0;
    tree->name[0] = 0;
    tree->module[0] = UINT32_MAX;
    tree->flags[0] = 0;
    tree->node_count = 1;
    return tree;
}

void an_tree_free(struct an_tree *tree)
{
    if (!tree)
        return;
    an_names_free(tree->names);
    free(tree->parent);
    free(tree->name);
    free(tree->module);
    free(tree->flags);
    for (int value = 0; value < AN_VALUE_COUNT; value++)
        free(tree->self[value]);
    free(tree->facts);
    free(tree->sizes);
    free(tree->index->slot);
    free(tree->index);
    free(tree);
}

static uint32_t tree_hash(uint32_t parent, uint32_t name)
{
    uint64_t key = ((uint64_t)parent << 32 | name) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(key >> 32) ^ (uint32_t)(key >> 12);
}

static void tree_grow_slots(struct an_tree *tree)
{
    struct an_tree_index *index = tree->index;
    uint32_t *old = index->slot;
    uint32_t old_count = index->slot_count;
    index->slot_count *= 2;
    index->slot = an_memory_zeroed(index->slot_count, sizeof(*index->slot));
    uint32_t mask = index->slot_count - 1;
    /* From the old slots, not from the nodes: an appended node must not be found. */
    for (uint32_t i = 0; i < old_count; i++) {
        uint32_t node = old[i];
        if (!node)
            continue;
        uint32_t at = tree_hash(tree->parent[node], tree->name[node]) & mask;
        while (index->slot[at])
            at = (at + 1) & mask;
        index->slot[at] = node;
    }
    free(old);
}

static const struct an_call_facts no_facts = {.shortest = UINT64_MAX};

static void facts_clear(struct an_tree *tree, uint32_t from, uint32_t to)
{
    for (uint32_t node = from; node < to; node++)
        tree->facts[node] = no_facts;
}

static void sizes_clear(struct an_tree *tree, uint32_t from, uint32_t to)
{
    for (uint32_t node = from; node < to; node++)
        tree->sizes[node] = AN_SIZE_FACTS_NONE;
}

/* By half, not by all: at millions of nodes the unused tail is what the peak consists of. */
static void tree_grow_nodes(struct an_tree *tree)
{
    struct an_tree_index *index = tree->index;
    uint32_t old = index->capacity;
    uint32_t room = old + old / 2;
    tree->parent = an_memory_resize(tree->parent, room, sizeof(*tree->parent));
    tree->name = an_memory_resize(tree->name, room, sizeof(*tree->name));
    tree->module = an_memory_resize(tree->module, room, sizeof(*tree->module));
    tree->flags = an_memory_resize(tree->flags, room, sizeof(*tree->flags));
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        uint64_t *self = tree->self[value];
        if (!self)
            continue;
        self = an_memory_resize(self, room, sizeof(*self));
        memset(self + old, 0, (size_t)(room - old) * sizeof(*self));
        tree->self[value] = self;
    }
    if (tree->facts) {
        tree->facts = an_memory_resize(tree->facts, room, sizeof(*tree->facts));
        facts_clear(tree, old, room);
    }
    if (tree->sizes) {
        tree->sizes = an_memory_resize(tree->sizes, room, sizeof(*tree->sizes));
        sizes_clear(tree, old, room);
    }
    index->capacity = room;
}

uint32_t an_tree_append(struct an_tree *tree, uint32_t parent, uint32_t name)
{
    if (tree->node_count == tree->index->capacity)
        tree_grow_nodes(tree);
    uint32_t node = tree->node_count++;
    tree->parent[node] = parent;
    tree->name[node] = name;
    tree->module[node] = UINT32_MAX;
    tree->flags[node] = 0;
    return node;
}

uint32_t an_tree_child(struct an_tree *tree, uint32_t parent, uint32_t name)
{
    struct an_tree_index *index = tree->index;
    uint32_t mask = index->slot_count - 1;
    uint32_t at = tree_hash(parent, name) & mask;
    for (; index->slot[at]; at = (at + 1) & mask) {
        uint32_t node = index->slot[at];
        if (tree->parent[node] == parent && tree->name[node] == name)
            return node;
    }
    uint32_t node = an_tree_append(tree, parent, name);
    index->slot[at] = node;
    index->used++;
    if (index->used > index->slot_count / 4 * 3)
        tree_grow_slots(tree);
    return node;
}

int an_tree_add(struct an_tree *tree, uint32_t node, enum an_value value, uint64_t amount)
{
    uint64_t sum;
    if (__builtin_add_overflow(tree->sum[value], amount, &sum))
        return -EOVERFLOW;
    if (!tree->self[value])
        tree->self[value] = an_memory_zeroed(tree->index->capacity, sizeof(uint64_t));
    tree->self[value][node] += amount;
    tree->sum[value] = sum;
    return 0;
}

void an_tree_note_calls(struct an_tree *tree, uint32_t node, const struct an_call_facts *facts)
{
    if (!tree->facts) {
        tree->facts = an_memory_array(tree->index->capacity, sizeof(*tree->facts));
        facts_clear(tree, 0, tree->index->capacity);
    }
    struct an_call_facts *own = &tree->facts[node];
    if (facts->shortest < own->shortest)
        own->shortest = facts->shortest;
    if (facts->longest > own->longest)
        own->longest = facts->longest;
    if (__builtin_add_overflow(own->cost, facts->cost, &own->cost))
        own->cost = UINT64_MAX;
}

void an_size_facts_join(struct an_size_facts *into, const struct an_size_facts *facts)
{
    if (__builtin_add_overflow(into->count, facts->count, &into->count))
        into->count = UINT64_MAX;
    if (facts->least < into->least)
        into->least = facts->least;
    if (facts->smallest < into->smallest)
        into->smallest = facts->smallest;
    if (facts->largest > into->largest)
        into->largest = facts->largest;
}

void an_tree_note_sizes(struct an_tree *tree, uint32_t node, const struct an_size_facts *facts)
{
    if (!tree->sizes) {
        tree->sizes = an_memory_array(tree->index->capacity, sizeof(*tree->sizes));
        sizes_clear(tree, 0, tree->index->capacity);
    }
    an_size_facts_join(&tree->sizes[node], facts);
}

int an_tree_scale(struct an_tree *tree, enum an_value value, uint64_t factor)
{
    uint64_t sum;
    if (__builtin_mul_overflow(tree->sum[value], factor, &sum))
        return -EOVERFLOW;
    tree->sum[value] = sum;
    for (uint32_t node = 0; tree->self[value] && node < tree->node_count; node++)
        tree->self[value][node] *= factor;
    return 0;
}

void an_tree_totals(const struct an_tree *tree, enum an_value value, uint64_t *ret_total)
{
    if (!tree->self[value]) {
        memset(ret_total, 0, tree->node_count * sizeof(*ret_total));
        return;
    }
    memcpy(ret_total, tree->self[value], tree->node_count * sizeof(*ret_total));
    for (uint32_t node = tree->node_count - 1; node > 0; node--)
        ret_total[tree->parent[node]] += ret_total[node];
}

uint32_t an_tree_depth(const struct an_tree *tree, uint32_t node)
{
    uint32_t depth = 0;
    for (; node; node = tree->parent[node])
        depth++;
    return depth;
}
