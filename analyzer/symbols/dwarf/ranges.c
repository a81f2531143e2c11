/*
 * ranges.c -- the code that an entry of DWARF stands for.
 */
#include <stdlib.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/dwarf/constants.h"
#include "analyzer/symbols/dwarf/value.h"

static void range_add(const struct an_dwarf *dwarf, struct an_ranges *ranges, uint64_t low,
                      uint64_t high)
{
    /* Dropped code stands at 0, or at the highest addresses (newer linkers). */
    if (low >= high || low < dwarf->lowest_code)
        return;
    if (ranges->count == ranges->room) {
        ranges->room = ranges->room == 0 ? 16 : ranges->room * 2;
        ranges->range = an_memory_resize(ranges->range, ranges->room, sizeof(*ranges->range));
    }
    ranges->range[ranges->count++] = (struct an_range){low, high};
}

/* One more item of a list was read. Result: false if there were too many. */
static bool item_count(struct an_dwarf *dwarf)
{
    if (dwarf->work_left == 0)
        return false;
    dwarf->work_left--;
    return true;
}

/* Where the addresses of a unit count from. */
static uint64_t base_of(const struct an_unit *unit)
{
    return unit->skeleton != NULL ? unit->skeleton->low : unit->low;
}

/* The lists of DWARF 2 to 4; those of split units stand in the program. */
static void old_list(const struct an_unit *unit, uint64_t offset, struct an_ranges *ranges)
{
    const struct an_unit *owner = unit->skeleton == NULL ? unit : unit->skeleton;
    struct an_bytes bytes = an_dwarf_section(&owner->dwarf->sections, AN_DWARF_RANGES);
    if (unit->skeleton != NULL)
        offset += owner->ranges_base;
    bytes = an_bytes_from(bytes, offset);
    uint64_t base = base_of(unit);
    uint64_t highest = owner->address_bytes == 4 ? UINT32_MAX : UINT64_MAX;
    while (item_count(owner->dwarf)) {
        uint64_t low = an_bytes_number(&bytes, owner->address_bytes);
        uint64_t high = an_bytes_number(&bytes, owner->address_bytes);
        if (bytes.cut || (low == 0 && high == 0))
            return;
        if (low == highest)
            base = high;
        else if (low < highest - 1)
            range_add(owner->dwarf, ranges, base + low, base + high);
    }
}

/* An item of a list of DWARF 5 that is not its end. Result: false if it cannot be read. */
static bool item_read(const struct an_unit *unit, unsigned kind, struct an_bytes *bytes,
                      uint64_t *base, struct an_range *ret_range)
{
    uint64_t low = 0, high = 0;
    switch (kind) {
    case DW_RLE_base_addressx:
        return an_unit_address(unit, an_bytes_unsigned(bytes), base);
    case DW_RLE_base_address:
        *base = an_bytes_number(bytes, unit->address_bytes);
        return true;
    case DW_RLE_startx_endx:
        if (!an_unit_address(unit, an_bytes_unsigned(bytes), &low) ||
            !an_unit_address(unit, an_bytes_unsigned(bytes), &high))
            return false;
        break;
    case DW_RLE_startx_length:
        if (!an_unit_address(unit, an_bytes_unsigned(bytes), &low))
            return false;
        high = low + an_bytes_unsigned(bytes);
        break;
    case DW_RLE_offset_pair:
        low = *base + an_bytes_unsigned(bytes);
        high = *base + an_bytes_unsigned(bytes);
        if (*base >= UINT64_MAX - 1)
            return true;
        break;
    case DW_RLE_start_end:
        low = an_bytes_number(bytes, unit->address_bytes);
        high = an_bytes_number(bytes, unit->address_bytes);
        break;
    case DW_RLE_start_length:
        low = an_bytes_number(bytes, unit->address_bytes);
        high = low + an_bytes_unsigned(bytes);
        break;
    default:
        return false;
    }
    *ret_range = (struct an_range){low, high};
    return true;
}

static void new_list(const struct an_unit *unit, uint64_t offset, struct an_ranges *ranges)
{
    struct an_dwarf *dwarf = unit->dwarf;
    const struct an_dwarf *owner = unit->skeleton == NULL ? dwarf : unit->skeleton->dwarf;
    struct an_bytes bytes =
        an_bytes_from(an_dwarf_section(&dwarf->sections, AN_DWARF_RNGLISTS), offset);
    uint64_t base = base_of(unit);
    while (item_count(dwarf)) {
        struct an_range range = {0};
        unsigned kind = an_bytes_u8(&bytes);
        if (kind == DW_RLE_end_of_list || !item_read(unit, kind, &bytes, &base, &range) ||
            bytes.cut)
            return;
        range_add(owner, ranges, range.low, range.high);
    }
}

static void list_read(const struct an_unit *unit, const struct an_value *value,
                      struct an_ranges *ranges)
{
    uint64_t offset = value->number;
    if (unit->version < 5) {
        old_list(unit, offset, ranges);
        return;
    }
    if (value->kind == AN_VALUE_LIST_INDEX) {
        struct an_bytes table = an_dwarf_section(&unit->dwarf->sections, AN_DWARF_RNGLISTS);
        if (offset > UINT32_MAX)
            return;
        table = an_bytes_from(table, unit->rnglists_base + offset * unit->offset_bytes);
        offset = unit->rnglists_base + an_bytes_number(&table, unit->offset_bytes);
        if (table.cut)
            return;
    }
    new_list(unit, offset, ranges);
}

void an_entry_ranges(const struct an_entry *entry, struct an_ranges *ranges)
{
    const struct an_unit *unit = entry->unit;
    uint64_t low = 0, high = 0;
    ranges->count = 0;
    if (AN_ENTRY_HAS(entry, AN_SLOT_HIGH) && AN_ENTRY_HAS(entry, AN_SLOT_LOW) &&
        an_value_address(unit, &entry->value[AN_SLOT_LOW], &low)) {
        const struct an_value *value = &entry->value[AN_SLOT_HIGH];
        if (value->kind == AN_VALUE_NUMBER)
            high = low + value->number;
        else if (!an_value_address(unit, value, &high))
            return;
        const struct an_unit *owner = unit->skeleton == NULL ? unit : unit->skeleton;
        range_add(owner->dwarf, ranges, low, high);
    } else if (AN_ENTRY_HAS(entry, AN_SLOT_RANGES)) {
        list_read(unit, &entry->value[AN_SLOT_RANGES], ranges);
    }
}
