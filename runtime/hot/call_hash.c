/*
 * call_hash.c -- children of nodes that have more than four, in one table per slot.
 *
 * Entries are one word, put in by one exchange. A table that has grown is left where it is: the
 * code that a handler interrupted may still be looking at it. All of them together are smaller than
 * the last.
 */
#include <stddef.h>

#include "runtime/hot/call_parts.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

struct rt_call_hash {
    uint64_t mask;
    uint64_t used;
    uint64_t entry[]; /* node << 32 | high bits of the hash; 0: free */
};

enum { FIRST_ENTRIES = 512 };

static uint64_t hash_of(uint32_t parent, uintptr_t function, uint32_t generation)
{
    uint64_t hash = (function ^ (uint64_t)parent << 32) + generation;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

uint32_t rt_call_hash_find(const struct rt_calls *calls, uint32_t parent, uintptr_t function,
                           uint32_t generation)
{
    const struct rt_call_hash *table = calls->hash;
    if (!table) {
        return 0;
    }
    uint64_t hash = hash_of(parent, function, generation);
    for (uint64_t i = hash & table->mask; table->entry[i]; i = (i + 1) & table->mask) {
        uint64_t word = table->entry[i];
        if ((uint32_t)word == (uint32_t)(hash >> 32)) {
            const struct rec_call *node = rt_call_at(calls, (uint32_t)(word >> 32));
            if (node->function == function && node->parent == parent &&
                node->generation == generation) {
                return (uint32_t)(word >> 32);
            }
        }
    }
    return 0;
}

static void entry_put(struct rt_call_hash *table, uint64_t hash, uint32_t node)
{
    uint64_t word = (uint64_t)node << 32 | (uint32_t)(hash >> 32);
    for (uint64_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        if (table->entry[i] == 0 && rt_word_exchange(&table->entry[i], 0, word)) {
            table->used++;
            return;
        }
    }
}

void rt_call_hash_put(struct rt_calls *calls, uint32_t parent, uintptr_t function,
                      uint32_t generation, uint32_t node)
{
    entry_put(calls->hash, hash_of(parent, function, generation), node);
}

static struct rt_call_hash *table_new(uint64_t entries)
{
    size_t bytes = sizeof(struct rt_call_hash) + entries * sizeof(uint64_t);
    struct rt_call_hash *table = os_memory_map(bytes);
    if (table) {
        os_memory_wipe_on_fork(table, bytes);
        table->mask = entries - 1;
    }
    return table;
}

bool rt_call_hash_reserve(struct rt_calls *calls)
{
    struct rt_call_hash *old = calls->hash;
    if (old && old->used < (old->mask + 1) / 2) {
        return true;
    }
    struct rt_call_hash *grown = table_new(old ? (old->mask + 1) * 2 : FIRST_ENTRIES);
    if (!grown) {
        return old && old->used < old->mask - old->mask / 8;
    }
    for (uint64_t i = 0; old && i <= old->mask; i++) {
        if (old->entry[i]) {
            uint32_t number = (uint32_t)(old->entry[i] >> 32);
            const struct rec_call *node = rt_call_at(calls, number);
            entry_put(grown, hash_of(node->parent, node->function, node->generation), number);
        }
    }
    /* Not if a handler has grown it meanwhile; and what a handler put into the old one after it was
     * read is made a second time when it is next looked for, which a reader adds up. */
    if (!rt_word_exchange((uint64_t *)(void *)&calls->hash, (uintptr_t)old, (uintptr_t)grown)) {
        os_memory_unmap(grown, sizeof *grown + (grown->mask + 1) * sizeof(uint64_t));
    }
    return true;
}
