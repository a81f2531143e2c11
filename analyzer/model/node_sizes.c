/*
 * node_sizes.c -- the sizes of single allocations by the node that made them.
 *
 * A list that is sorted, and equal ones joined, whenever it is full. It is written once and read
 * once: a table with a slot for every pair would be of no more use.
 */
#include "analyzer/model/node_sizes.h"

#include <stdlib.h>

#include "analyzer/support/memory.h"

#define NODE_SIZES_FIRST 1024u

struct node_size {
    uint64_t size_bytes;
    uint64_t count;
    uint32_t node;
};

struct an_node_sizes {
    struct node_size *entry;
    size_t count, room;
};

struct an_node_sizes *an_node_sizes_new(void)
{
    struct an_node_sizes *sizes = an_memory_zeroed(1, sizeof(*sizes));
    sizes->room = NODE_SIZES_FIRST;
    sizes->entry = an_memory_array(sizes->room, sizeof(*sizes->entry));
    return sizes;
}

void an_node_sizes_free(struct an_node_sizes *sizes)
{
    if (!sizes)
        return;
    free(sizes->entry);
    free(sizes);
}

static int node_sizes_compare(const void *a_pointer, const void *b_pointer)
{
    const struct node_size *a = a_pointer, *b = b_pointer;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
}

static void node_sizes_join(struct an_node_sizes *sizes)
{
    struct node_size *entry = sizes->entry;
    size_t kept = 0;
    qsort(entry, sizes->count, sizeof(*entry), node_sizes_compare);
    for (size_t i = 0; i < sizes->count; i++) {
        if (kept && node_sizes_compare(&entry[kept - 1], &entry[i]) == 0)
            entry[kept - 1].count += entry[i].count;
        else
            entry[kept++] = entry[i];
    }
    sizes->count = kept;
}

void an_node_sizes_add(struct an_node_sizes *sizes, uint32_t node, uint64_t size_bytes)
{
    if (sizes->count == sizes->room) {
        node_sizes_join(sizes);
        /* With little room left it would soon be sorted again. */
        if (sizes->count > sizes->room / 2) {
            sizes->room *= 2;
            sizes->entry = an_memory_resize(sizes->entry, sizes->room, sizeof(*sizes->entry));
        }
    }
    sizes->entry[sizes->count++] = (struct node_size){size_bytes, 1, node};
}

void an_node_sizes_sum(const struct an_node_sizes *sizes, const uint8_t *wanted,
                       struct an_sizes *into)
{
    for (size_t i = 0; i < sizes->count; i++) {
        if (wanted[sizes->entry[i].node])
            an_sizes_add(into, sizes->entry[i].size_bytes, sizes->entry[i].count);
    }
}
