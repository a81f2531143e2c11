/*
 * inline_query.c -- a question about an address and its answer.
 */
#include "analyzer/symbols/inline_query.h"

#include "analyzer/support/memory.h"

void an_inline_frame_push(struct an_inline_query *query, const char *name)
{
    if (query->frame_count > AN_DEEPEST_SCOPE)
        return;
    if ((query->frame_count & (query->frame_count + 1)) == 0)
        query->frame = an_memory_resize(query->frame, (size_t)query->frame_count * 2 + 2,
                                        sizeof(*query->frame));
    query->frame[query->frame_count++] = (struct an_inline_frame){.name = name};
}

uint32_t an_inline_query_first(struct an_inline_query *const *query, uint32_t count,
                               uint64_t address)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (query[middle]->address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
