/*
 * stack_table.c -- the stack trie and the two hash tables over it.
 */
#include "runtime/hot/stack_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/hot/lock.h"
#include "runtime/hot/module_map.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/segments.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

/* A stack by its prefix hash. HASH is published last; CHECK makes a collision of 64 bits harmless
 * unless depth and leaf agree too. */
struct leaf_entry {
    uint64_t hash; /* 0: free */
    uint32_t stack;
    uint32_t check;
};

struct leaf_table {
    uint64_t mask;
    uint64_t used;
    struct leaf_entry entry[];
};

enum { LEAF_FIRST_BITS = 9, LEAF_SPARSE_ENTRIES = 1 << 13, NODE_FIRST_BITS = 11 };

/* The first segments of nodes and stacks are one page each. */
enum { NODES_SHIFT = 8, STACKS_SHIFT = 9 };

static struct {
    struct rt_lock lock;
    struct leaf_table *leaves;
    uint32_t *nodes; /* open addressing; node numbers, 0: free */
    uint64_t node_mask;
    uint64_t node_used;
    struct rec_node *node_segment[SEGMENTS];
    struct rec_stack *stack_segment[SEGMENTS];
} table;

static size_t leaf_table_bytes(uint64_t entries)
{
    return sizeof(struct leaf_table) + entries * sizeof(struct leaf_entry);
}

static struct leaf_table *leaf_table_new(uint64_t entries)
{
    struct leaf_table *leaves = os_memory_map(leaf_table_bytes(entries));
    if (leaves) {
        leaves->mask = entries - 1;
    }
    return leaves;
}

uint64_t rt_stack_seed(void)
{
    return rt_hash_step(UINT64_C(0x7468616770726f66),
                        __atomic_load_n(&rt_module_map.generation, __ATOMIC_ACQUIRE));
}

static uint64_t never_zero(uint64_t hash)
{
    return hash ? hash : 1;
}

static uint32_t walk_check(const struct rt_walk *walk)
{
    return (uint32_t)walk->frame[walk->depth - 1].key ^ walk->depth << 20;
}

static uint64_t leaf_index(uint64_t hash)
{
    return hash ^ hash >> 32; /* the last step multiplied: the high bits are the mixed ones */
}

/* The stack with this hash, 0 if the table has none. */
static uint32_t leaf_find(const struct leaf_table *leaves, uint64_t hash, uint32_t check)
{
    for (uint64_t i = leaf_index(hash) & leaves->mask;; i = (i + 1) & leaves->mask) {
        uint64_t found = __atomic_load_n(&leaves->entry[i].hash, __ATOMIC_ACQUIRE);
        if (found == hash && leaves->entry[i].check == check) {
            return leaves->entry[i].stack;
        }
        if (found == 0) {
            return 0;
        }
    }
}

static void leaf_put(struct leaf_table *leaves, uint64_t hash, uint32_t check, uint32_t stack)
{
    uint64_t i = leaf_index(hash) & leaves->mask;
    while (leaves->entry[i].hash) {
        i = (i + 1) & leaves->mask;
    }
    leaves->entry[i].stack = stack;
    leaves->entry[i].check = check;
    __atomic_store_n(&leaves->entry[i].hash, hash, __ATOMIC_RELEASE);
    leaves->used++;
}

/* How many entries a table may have before it is doubled. A sparse one answers most look-ups with
 * its first entry; a large one is kept half full, for there its size costs more. */
static uint64_t leaf_most(const struct leaf_table *leaves)
{
    uint64_t entries = leaves->mask + 1;
    return entries <= LEAF_SPARSE_ENTRIES ? entries / 4 : entries / 2;
}

/* Room for one more entry. The old table's pages are given back but its
 * addresses stay: a look-up that still runs there reads zeros, that is, misses. */
static bool leaf_reserve(void)
{
    struct leaf_table *old = table.leaves;
    if (old->used < leaf_most(old)) {
        return true;
    }
    struct leaf_table *grown = leaf_table_new((old->mask + 1) * 2);
    if (!grown) {
        return old->used < old->mask; /* one entry must stay free: it ends the look-ups */
    }
    for (uint64_t i = 0; i <= old->mask; i++) {
        if (old->entry[i].hash) {
            leaf_put(grown, old->entry[i].hash, old->entry[i].check, old->entry[i].stack);
        }
    }
    __atomic_store_n(&table.leaves, grown, __ATOMIC_RELEASE);
    /* The first page holds the mask, which must not read as zero. */
    size_t bytes = leaf_table_bytes(old->mask + 1);
    if (bytes > REC_PAGE_BYTES) {
        os_memory_discard((char *)old + REC_PAGE_BYTES, bytes - REC_PAGE_BYTES);
    }
    return true;
}

/* A table in the recording. */
struct record_kind {
    enum rec_kind kind;
    unsigned shift;
    size_t bytes;
};

static const struct record_kind node_kind = {REC_KIND_NODES, NODES_SHIFT, sizeof(struct rec_node)};
static const struct record_kind stack_kind = {REC_KIND_STACKS, STACKS_SHIFT,
                                              sizeof(struct rec_stack)};

/* Record RECORD of a table in the recording, its segment made if need be; NULL if it is full. */
static void *record_place(void **segments, const struct record_kind *kind, uint32_t record,
                          uint32_t tid)
{
    struct segments_place place = segments_place(record, kind->shift);
    if (place.segment >= SEGMENTS) {
        return NULL;
    }
    if (!segments[place.segment]) {
        uint64_t pages = place.records * kind->bytes >> REC_PAGE_SHIFT;
        uint64_t page = rt_recording_extent(kind->kind, pages, 0, place.first, tid);
        if (!page) {
            return NULL;
        }
        segments[place.segment] = rt_recording_page(page);
    }
    return (char *)segments[place.segment] + place.index * kind->bytes;
}

static struct rec_node *node_at(uint32_t node)
{
    struct segments_place place = segments_place(node, NODES_SHIFT);
    return &table.node_segment[place.segment][place.index];
}

static uint64_t node_hash(uint32_t parent, uint64_t key, uint32_t generation)
{
    return rt_hash_step(rt_hash_step(parent, generation), key) >> 16;
}

static bool node_reserve(void)
{
    if (table.node_used < (table.node_mask + 1) / 2) {
        return true;
    }
    uint64_t mask = table.node_mask * 2 + 1;
    uint32_t *grown = os_memory_map((mask + 1) * sizeof *grown);
    if (!grown) {
        return table.node_used < table.node_mask;
    }
    for (uint64_t i = 0; i <= table.node_mask; i++) {
        if (table.nodes[i]) {
            const struct rec_node *node = node_at(table.nodes[i]);
            uint64_t k = node_hash(node->parent, node->key, node->generation) & mask;
            while (grown[k]) {
                k = (k + 1) & mask;
            }
            grown[k] = table.nodes[i];
        }
    }
    /* Only ever read under the lock; but a handler may jump out of here at any point, and the lock
     * be recovered: first the table, which an old mask does not leave, the old table's end last. */
    uint32_t *old = table.nodes;
    size_t old_bytes = (table.node_mask + 1) * sizeof *old;
    __atomic_store_n(&table.nodes, grown, __ATOMIC_RELEASE);
    __atomic_store_n(&table.node_mask, mask, __ATOMIC_RELEASE);
    os_memory_unmap(old, old_bytes);
    return true;
}

/* The node of KEY under PARENT, made if it is new; 0 if it cannot be. The table is locked. */
static uint32_t node_find(uint32_t parent, uint64_t key, uint32_t generation, uint32_t tid)
{
    if (!node_reserve()) {
        return 0;
    }
    uint64_t i = node_hash(parent, key, generation) & table.node_mask;
    for (; table.nodes[i]; i = (i + 1) & table.node_mask) {
        const struct rec_node *node = node_at(table.nodes[i]);
        if (node->key == key && node->parent == parent && node->generation == generation) {
            return table.nodes[i];
        }
    }
    struct rec_header *header = rt_recording.header;
    struct rec_node *node =
        record_place((void **)table.node_segment, &node_kind, (uint32_t)header->node_count, tid);
    if (!node) {
        return 0;
    }
    if (key >= REC_SPECIAL_LIMIT) {
        rt_module_map_note(REC_NODE_ADDRESS(key), tid);
    }
    uint32_t number = (uint32_t)header->node_count;
    node->parent = parent;
    node->generation = generation;
    __atomic_store_n(&header->node_count, header->node_count + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&node->key, key, __ATOMIC_RELEASE);
    table.nodes[i] = number;
    table.node_used++;
    return number;
}

static uint32_t stack_new(uint32_t node, uint32_t flags, uint32_t tid)
{
    struct rec_header *header = rt_recording.header;
    struct rec_stack *stack =
        record_place((void **)table.stack_segment, &stack_kind, (uint32_t)header->stack_count, tid);
    if (!stack || node == 0) {
        return 0;
    }
    uint32_t number = (uint32_t)header->stack_count;
    stack->flags = flags;
    __atomic_store_n(&header->stack_count, header->stack_count + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&stack->node, node, __ATOMIC_RELEASE);
    return number;
}

/* The node of the walk's leaf. Frames that its last new stack had, too, have their nodes. */
static uint32_t path_find(struct rt_walk *walk, uint32_t generation, uint32_t tid)
{
    uint32_t known = walk->depth;
    while (known > 0 && walk->frame[known - 1].node == 0) {
        known--;
    }
    uint32_t node = known > 0 ? walk->frame[known - 1].node : 0;
    for (uint32_t i = known; i < walk->depth; i++) {
        node = node_find(node, walk->frame[i].key, generation, tid);
        if (node == 0) {
            return 0;
        }
        walk->frame[i].node = node;
    }
    return node;
}

/* The same, in one generation. If another thread ends it meanwhile, a module may be recorded for
 * the next one alone, and a node of the old one would have none: the nodes are looked for anew, and
 * those that were made stay without a stack. */
static uint32_t path_find_in_one(struct rt_walk *walk, uint32_t tid)
{
    uint32_t generation = __atomic_load_n(&rt_module_map.generation, __ATOMIC_ACQUIRE);
    for (;;) {
        uint32_t node = path_find(walk, generation, tid);
        uint32_t now = __atomic_load_n(&rt_module_map.generation, __ATOMIC_ACQUIRE);
        if (now == generation || node == 0) {
            return node;
        }
        generation = now;
        for (uint32_t i = 0; i < walk->depth; i++) {
            walk->frame[i].node = 0;
        }
    }
}

/* The table is locked. 0 if there is no room. */
static uint32_t stack_insert(struct rt_walk *walk, uint64_t hash, uint32_t check, uint32_t tid)
{
    uint32_t found = leaf_find(table.leaves, hash, check);
    if (found || !leaf_reserve()) {
        return found;
    }
    uint32_t stack = stack_new(path_find_in_one(walk, tid), walk->flags, tid);
    if (stack) {
        leaf_put(table.leaves, hash, check, stack);
    }
    return stack;
}

/* A stack that is new, or that another thread is just inserting. */
static __attribute__((noinline)) uint32_t stack_find_slowly(struct rt_walk *walk, uint32_t tid)
{
    struct rt_frame *leaf = &walk->frame[walk->depth - 1];
    uint32_t stack = 0;
    if (rt_lock_take(&table.lock, tid)) {
        stack = stack_insert(walk, never_zero(leaf->hash), walk_check(walk), tid);
        rt_lock_give(&table.lock);
    }
    if (!stack) {
        rt_recording_count(&rt_recording.header->stacks_unknown);
        return RT_STACK_UNKNOWN;
    }
    leaf->stack = stack;
    return stack;
}

uint32_t rt_stack_find(struct rt_walk *walk, uint32_t tid)
{
    struct rt_frame *leaf = &walk->frame[walk->depth - 1];
    if (leaf->stack) {
        return leaf->stack;
    }
    const struct leaf_table *leaves = __atomic_load_n(&table.leaves, __ATOMIC_ACQUIRE);
    uint32_t stack = leaf_find(leaves, never_zero(leaf->hash), walk_check(walk));
    if (__builtin_expect(!stack, 0)) {
        return stack_find_slowly(walk, tid);
    }
    leaf->stack = stack;
    return stack;
}

uint32_t rt_stack_special(enum rec_special special, uint32_t tid)
{
    uint64_t seed = rt_stack_seed();
    struct rt_frame frame = {.key = special, .hash = rt_hash_step(seed, special)};
    struct rt_walk walk = {.frame = &frame, .depth = 1, .limit = 1, .seed = seed};
    return rt_stack_find(&walk, tid);
}

int rt_stack_table_reset(uint32_t tid)
{
    table.lock.holder = 0;
    table.leaves = leaf_table_new(1u << LEAF_FIRST_BITS);
    table.node_mask = (1u << NODE_FIRST_BITS) - 1;
    table.node_used = 0;
    table.nodes = os_memory_map((table.node_mask + 1) * sizeof *table.nodes);
    for (int i = 0; i < SEGMENTS; i++) {
        table.node_segment[i] = NULL;
        table.stack_segment[i] = NULL;
    }
    if (!table.leaves || !table.nodes) {
        return -ENOMEM;
    }
    return rt_stack_special(REC_SPECIAL_UNKNOWN, tid) == RT_STACK_UNKNOWN ? 0 : -ENOSPC;
}

void rt_stack_table_recover(uint32_t tid)
{
    rt_lock_recover(&table.lock, tid);
}
