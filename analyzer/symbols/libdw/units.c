/*
 * units.c -- the units of a program's DWARF, and which of them an address belongs to.
 *
 * gcc writes an index, .debug_aranges; clang does not, and neither does either for all units of a
 * program that both made. What is not in the index is found by the units' own ranges.
 */
#include "analyzer/symbols/libdw/units.h"

#include <dwarf.h>
#include <stdlib.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/elf_image.h"

#define MOST_OVERLAPS 16u  /* ranges that begin before an address and may still hold it */
#define MOST_SPLIT    128u /* libdw keeps a descriptor for each .dwo file */

struct unit_range {
    uint64_t low, high;
    uint32_t unit;
};

struct table {
    struct unit_range *item; /* by low */
    size_t count, room;
};

struct an_libdw_units {
    Dwarf *dwarf;
    uint64_t lowest_code;
    Dwarf_Die *unit; /* by offset */
    uint32_t count, room;
    struct an_elf_guard split[MOST_SPLIT]; /* of the .dwo files, which libdw maps */
    uint32_t split_count;
    struct table written; /* .debug_aranges */
    struct table own;     /* ranges of the units */
    bool own_known;
};

/* Whether the .dwo file of a unit, if it has one, is where libdw looks. */
static bool split_is_found(struct an_libdw_units *units, const Dwarf_Die *unit)
{
    Dwarf_Die split = {0};
    uint8_t kind = 0;
    if (dwarf_cu_info(unit->cu, NULL, &kind, NULL, NULL, NULL, NULL, NULL) != 0)
        return false;
    if (kind != DW_UT_skeleton)
        return true;
    if (units->split_count == MOST_SPLIT ||
        dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) != 0 ||
        split.addr == NULL)
        return false;
    an_elf_guard_set(&units->split[units->split_count++],
                     dwarf_getelf(dwarf_cu_getdwarf(split.cu)));
    return true;
}

static bool units_read(struct an_libdw_units *units)
{
    Dwarf_Off offset = 0, next = 0;
    size_t header_bytes = 0;
    Dwarf_Half version = 0;
    int result;
    while ((result = dwarf_next_unit(units->dwarf, offset, &next, &header_bytes, &version, NULL,
                                     NULL, NULL, NULL, NULL)) == 0) {
        Dwarf_Die unit;
        if (next <= offset || version < 2 || version > 5 ||
            dwarf_offdie(units->dwarf, offset + header_bytes, &unit) == NULL ||
            !split_is_found(units, &unit))
            return false;
        if (units->count == units->room) {
            units->room = units->room == 0 ? 64 : units->room * 2;
            units->unit = an_memory_resize(units->unit, units->room, sizeof(*units->unit));
        }
        units->unit[units->count++] = unit;
        offset = next;
    }
    return result == 1;
}

static void range_add(struct an_libdw_units *units, struct table *table, uint64_t low,
                      uint64_t high, uint32_t unit)
{
    if (high <= low || low < units->lowest_code)
        return;
    if (table->count == table->room) {
        table->room = table->room == 0 ? 64 : table->room * 2;
        table->item = an_memory_resize(table->item, table->room, sizeof(*table->item));
    }
    table->item[table->count++] = (struct unit_range){low, high, unit};
}

static int range_order(const void *left, const void *right)
{
    const struct unit_range *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static void table_sort(struct table *table)
{
    if (table->count != 0)
        qsort(table->item, table->count, sizeof(*table->item), range_order);
}

/* The number of the unit whose first entry is at OFFSET; UINT32_MAX: there is none. */
static uint32_t unit_at(const struct an_libdw_units *units, Dwarf_Off offset)
{
    uint32_t low = 0, high = units->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (dwarf_dieoffset(&units->unit[middle]) < offset)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < units->count && dwarf_dieoffset(&units->unit[low]) == offset;
    return found ? low : UINT32_MAX;
}

static void index_read(struct an_libdw_units *units)
{
    Dwarf_Aranges *index = NULL;
    size_t count = 0;
    if (dwarf_getaranges(units->dwarf, &index, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Addr low = 0;
        Dwarf_Word bytes = 0;
        Dwarf_Off offset = 0;
        if (dwarf_getarangeinfo(dwarf_onearange(index, i), &low, &bytes, &offset) != 0)
            continue;
        uint32_t unit = unit_at(units, offset);
        if (unit != UINT32_MAX && bytes <= UINT64_MAX - low)
            range_add(units, &units->written, low, low + bytes, unit);
    }
    table_sort(&units->written);
}

struct an_libdw_units *an_libdw_units_new(Dwarf *dwarf, uint64_t lowest_code)
{
    struct an_libdw_units *units = an_memory_zeroed(1, sizeof(*units));
    units->dwarf = dwarf;
    units->lowest_code = lowest_code;
    if (!units_read(units)) {
        an_libdw_units_free(units);
        return NULL;
    }
    index_read(units);
    return units;
}

void an_libdw_units_free(struct an_libdw_units *units)
{
    if (units == NULL)
        return;
    while (units->split_count != 0)
        an_elf_guard_take_away(&units->split[--units->split_count]);
    free(units->written.item);
    free(units->own.item);
    free(units->unit);
    free(units);
}

static const struct unit_range *table_find(const struct table *table, uint64_t address)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->item[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t steps = 0; low != 0 && steps < MOST_OVERLAPS; low--, steps++) {
        if (address < table->item[low - 1].high)
            return &table->item[low - 1];
    }
    return NULL;
}

static void own_read(struct an_libdw_units *units)
{
    units->own_known = true;
    for (uint32_t i = 0; i < units->count; i++) {
        Dwarf_Addr base = 0, low = 0, high = 0;
        for (ptrdiff_t at = 0; (at = dwarf_ranges(&units->unit[i], at, &base, &low, &high)) > 0;)
            range_add(units, &units->own, low, high, i);
    }
    table_sort(&units->own);
}

Dwarf_Die *an_libdw_units_find(struct an_libdw_units *units, uint64_t address)
{
    const struct unit_range *found = table_find(&units->written, address);
    if (found == NULL) {
        if (!units->own_known)
            own_read(units);
        found = table_find(&units->own, address);
    }
    return found == NULL ? NULL : &units->unit[found->unit];
}
