/*
 * unit_index.c -- which unit of DWARF an address belongs to.
 *
 * gcc writes an index, .debug_aranges; clang does not, and neither does either for all units of a
 * program that both made. What is not in the index is found by the units' own ranges, which takes
 * reading the first entry of each.
 */
#include "analyzer/symbols/dwarf/unit_index.h"

#include <stdlib.h>

#include "analyzer/support/memory.h"

#define MOST_OVERLAPS 16u /* ranges that begin before an address and may still hold it */

struct unit_range {
    struct an_range range;
    struct an_unit *unit;
};

struct table {
    struct unit_range *item; /* by low */
    size_t count, room;
};

struct an_unit_index {
    struct an_dwarf *dwarf;
    struct table written; /* .debug_aranges */
    struct table own;     /* ranges of the units */
    bool own_known;
};

static void table_add(struct table *table, struct an_range range, struct an_unit *unit)
{
    if (table->count == table->room) {
        table->room = table->room == 0 ? 64 : table->room * 2;
        table->item = an_memory_resize(table->item, table->room, sizeof(*table->item));
    }
    table->item[table->count++] = (struct unit_range){range, unit};
}

static int item_order(const void *left, const void *right)
{
    const struct unit_range *a = left, *b = right;
    if (a->range.low != b->range.low)
        return a->range.low < b->range.low ? -1 : 1;
    return (a->unit->begin > b->unit->begin) - (a->unit->begin < b->unit->begin);
}

static void table_sort(struct table *table)
{
    if (table->count != 0)
        qsort(table->item, table->count, sizeof(*table->item), item_order);
}

/* The ranges of one unit in .debug_aranges, of which SET holds what is behind its size. */
static void set_read(struct an_unit_index *index, struct an_bytes set, unsigned offset_bytes)
{
    const uint8_t *begin = set.at - (offset_bytes == 8 ? 12 : 4);
    unsigned version = an_bytes_u16(&set);
    uint64_t offset = an_bytes_number(&set, offset_bytes);
    unsigned bytes = an_bytes_u8(&set);
    unsigned selector = an_bytes_u8(&set);
    struct an_unit *unit = an_unit_at(index->dwarf, offset);
    if (version != 2 || (bytes != 4 && bytes != 8) || selector != 0 || unit == NULL)
        return;
    size_t head = (size_t)(set.at - begin) % (2 * bytes);
    an_bytes_skip(&set, head == 0 ? 0 : 2 * bytes - head);
    for (;;) {
        uint64_t low = an_bytes_number(&set, bytes);
        uint64_t size = an_bytes_number(&set, bytes);
        if (set.cut || (low == 0 && size == 0))
            return;
        if (low >= index->dwarf->lowest_code && size != 0 && size <= UINT64_MAX - low)
            table_add(&index->written, (struct an_range){low, low + size}, unit);
    }
}

struct an_unit_index *an_unit_index_new(struct an_dwarf *dwarf)
{
    struct an_unit_index *index = an_memory_zeroed(1, sizeof(*index));
    struct an_bytes bytes = an_dwarf_section(&dwarf->sections, AN_DWARF_ARANGES);
    index->dwarf = dwarf;
    while (an_bytes_left(&bytes) != 0) {
        unsigned offset_bytes = 4;
        uint64_t size = an_bytes_u32(&bytes);
        if (size == UINT32_MAX) {
            size = an_bytes_number(&bytes, 8);
            offset_bytes = 8;
        }
        set_read(index, an_bytes_take(&bytes, size), offset_bytes);
    }
    table_sort(&index->written);
    return index;
}

void an_unit_index_free(struct an_unit_index *index)
{
    if (index == NULL)
        return;
    free(index->written.item);
    free(index->own.item);
    free(index);
}

static struct an_unit *table_find(const struct table *table, uint64_t address)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->item[middle].range.low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t steps = 0; low != 0 && steps < MOST_OVERLAPS; low--, steps++) {
        if (address < table->item[low - 1].range.high)
            return table->item[low - 1].unit;
    }
    return NULL;
}

static void own_read(struct an_unit_index *index)
{
    struct an_ranges ranges = {0};
    index->own_known = true;
    for (uint32_t i = 0; i < index->dwarf->unit_count; i++) {
        struct an_entry entry;
        if (!an_unit_open(&index->dwarf->unit[i], &entry))
            continue;
        an_entry_ranges(&entry, &ranges);
        for (uint32_t at = 0; at < ranges.count; at++)
            table_add(&index->own, ranges.range[at], &index->dwarf->unit[i]);
    }
    free(ranges.range);
    table_sort(&index->own);
}

struct an_unit *an_unit_index_find(struct an_unit_index *index, uint64_t address)
{
    struct an_unit *unit = table_find(&index->written, address);
    if (unit != NULL)
        return unit;
    if (!index->own_known)
        own_read(index);
    return table_find(&index->own, address);
}
