/*
 * unit.c -- the units of DWARF in one file and their entries.
 */
#include "analyzer/symbols/dwarf/unit.h"

#include <stdlib.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/dwarf/constants.h"
#include "analyzer/symbols/dwarf/value.h"

static void units_find(struct an_dwarf *dwarf)
{
    for (uint64_t offset = 0, next;; offset = next) {
        struct an_unit unit;
        next = an_unit_header(dwarf, offset, &unit);
        if (next == 0)
            return;
        if (unit.version == 0)
            continue;
        if (dwarf->unit_count == dwarf->unit_room) {
            dwarf->unit_room = dwarf->unit_room == 0 ? 16 : dwarf->unit_room * 2;
            dwarf->unit = an_memory_resize(dwarf->unit, dwarf->unit_room, sizeof(*dwarf->unit));
        }
        dwarf->unit[dwarf->unit_count++] = unit;
    }
}

struct an_dwarf *an_dwarf_new(struct an_elf_image *image, bool split, bool package)
{
    struct an_dwarf *dwarf = an_memory_zeroed(1, sizeof(*dwarf));
    an_dwarf_sections_init(&dwarf->sections, image, split);
    dwarf->lowest_code = an_elf_image_lowest_code(image);
    an_dwarf_work_set(dwarf);
    if (!package)
        units_find(dwarf);
    return dwarf;
}

void an_dwarf_free(struct an_dwarf *dwarf)
{
    if (dwarf == NULL)
        return;
    for (uint32_t i = 0; i < AN_DWARF_TABLES; i++)
        an_abbreviations_release(&dwarf->kept[i].table);
    an_dwarf_sections_release(&dwarf->sections);
    free(dwarf->unit);
    free(dwarf);
}

void an_dwarf_work_set(struct an_dwarf *dwarf)
{
    static const enum an_dwarf_section read[] = {AN_DWARF_INFO, AN_DWARF_ABBREV, AN_DWARF_RANGES,
                                                 AN_DWARF_RNGLISTS};
    uint64_t bytes = UINT64_C(1) << 20;
    for (size_t i = 0; i < sizeof(read) / sizeof(read[0]); i++) {
        struct an_bytes section = an_dwarf_section(&dwarf->sections, read[i]);
        bytes += an_bytes_left(&section);
    }
    dwarf->work_left = bytes * 16;
}

uint64_t an_unit_header(struct an_dwarf *dwarf, uint64_t offset, struct an_unit *ret_unit)
{
    struct an_bytes info = an_dwarf_section(&dwarf->sections, AN_DWARF_INFO);
    struct an_bytes bytes = an_bytes_from(info, offset);
    struct an_unit unit = {.dwarf = dwarf, .begin = offset, .offset_bytes = 4, .lines = UINT64_MAX};
    uint64_t size = an_bytes_u32(&bytes);
    if (size == UINT32_MAX) {
        size = an_bytes_number(&bytes, 8);
        unit.offset_bytes = 8;
    }
    if (bytes.cut || size > an_bytes_left(&bytes)) {
        if (an_bytes_left(&info) > offset)
            dwarf->sections.trouble |= AN_DWARF_DAMAGE;
        return 0;
    }
    unit.end = (uint64_t)(bytes.at - info.at) + size;
    unit.version = an_bytes_u16(&bytes);
    unit.kind = DW_UT_compile;
    if (unit.version >= 5) {
        unit.kind = an_bytes_u8(&bytes);
        unit.address_bytes = an_bytes_u8(&bytes);
    }
    unit.abbreviations = an_bytes_number(&bytes, unit.offset_bytes);
    if (unit.version < 5)
        unit.address_bytes = an_bytes_u8(&bytes);
    if (unit.version >= 5 && (unit.kind == DW_UT_skeleton || unit.kind == DW_UT_split_compile))
        unit.dwo_id = an_bytes_number(&bytes, 8);
    else if (unit.version >= 5 && (unit.kind == DW_UT_type || unit.kind == DW_UT_split_type))
        an_bytes_skip(&bytes, 8u + unit.offset_bytes);
    unit.first = (uint64_t)(bytes.at - info.at);
    bool known = unit.version >= 2 && unit.version <= 5;
    if (!known)
        dwarf->sections.trouble |= AN_DWARF_VERSION;
    if (!known || (unit.address_bytes != 4 && unit.address_bytes != 8) || unit.first > unit.end)
        unit.version = 0;
    if (unit.version >= 5) {
        /* Where the tables begin if no attribute says it: behind their headers. */
        unit.str_offsets_base = unit.addr_base = unit.offset_bytes == 8 ? 16 : 8;
        unit.rnglists_base = unit.offset_bytes == 8 ? 20 : 12;
    }
    *ret_unit = unit;
    return unit.end;
}

struct an_unit *an_unit_at(struct an_dwarf *dwarf, uint64_t offset)
{
    uint32_t low = 0, high = dwarf->unit_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (dwarf->unit[middle].begin <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low != 0 && offset < dwarf->unit[low - 1].end ? &dwarf->unit[low - 1] : NULL;
}

static void work_take(struct an_dwarf *dwarf, uint64_t work)
{
    dwarf->work_left -= work > dwarf->work_left ? dwarf->work_left : work;
}

/* The table of abbreviations of a unit, of which the last few of a file are kept. */
static const struct an_abbreviations *table_of(struct an_unit *unit)
{
    struct an_dwarf *dwarf = unit->dwarf;
    struct an_kept_table *kept = &dwarf->kept[unit->table];
    if (kept->used && kept->offset == unit->abbreviations)
        return &kept->table;
    for (uint32_t i = 0; i < AN_DWARF_TABLES; i++) {
        if (dwarf->kept[i].used && dwarf->kept[i].offset == unit->abbreviations) {
            unit->table = i;
            return &dwarf->kept[i].table;
        }
    }
    unit->table = dwarf->kept_next++ % AN_DWARF_TABLES;
    kept = &dwarf->kept[unit->table];
    an_abbreviations_release(&kept->table);
    an_abbreviations_read(
        &kept->table,
        an_bytes_from(an_dwarf_section(&dwarf->sections, AN_DWARF_ABBREV), unit->abbreviations));
    kept->offset = unit->abbreviations;
    kept->used = true;
    work_take(dwarf, kept->table.attribute_count);
    return &kept->table;
}

bool an_entry_read(struct an_unit *unit, uint64_t offset, struct an_entry *ret_entry)
{
    struct an_dwarf *dwarf = unit->dwarf;
    if (offset < unit->first || offset >= unit->end || dwarf->work_left == 0)
        return false;
    struct an_bytes info = an_dwarf_section(&dwarf->sections, AN_DWARF_INFO);
    struct an_bytes bytes = {.at = info.at + offset, .end = info.at + unit->end};
    uint64_t code = an_bytes_unsigned(&bytes);
    ret_entry->unit = unit;
    ret_entry->offset = offset;
    ret_entry->tag = 0;
    ret_entry->present = 0;
    ret_entry->has_children = false;
    const struct an_abbreviations *table = code == 0 ? NULL : table_of(unit);
    const struct an_abbreviation *found = table == NULL ? NULL : an_abbreviations_find(table, code);
    if (code != 0 && (found == NULL || found->tag == 0))
        return false;
    work_take(dwarf, 1 + (found == NULL ? 0 : found->count));
    for (uint32_t i = 0; found != NULL && i < found->count; i++) {
        const struct an_abbreviated *attribute = &table->attribute[found->first + i];
        struct an_value unused;
        bool wanted = attribute->slot != AN_SLOT_NONE;
        if (!an_value_read(unit, attribute, &bytes,
                           wanted ? &ret_entry->value[attribute->slot] : &unused))
            return false;
        if (wanted)
            ret_entry->present |= UINT32_C(1) << attribute->slot;
    }
    if (found != NULL) {
        ret_entry->tag = found->tag;
        ret_entry->has_children = found->has_children;
    }
    ret_entry->next = (uint64_t)(bytes.at - info.at);
    return !bytes.cut;
}

uint64_t an_entry_behind(const struct an_entry *entry)
{
    struct an_entry below;
    uint64_t offset = entry->next;
    if (!entry->has_children)
        return offset;
    uint64_t sibling = AN_ENTRY_HAS(entry, AN_SLOT_SIBLING) ? entry->value[AN_SLOT_SIBLING].number
                                                            : 0; /* a damaged one may lead back */
    if (sibling > offset && sibling < entry->unit->end)
        return sibling;
    for (uint32_t depth = 1; depth != 0;) {
        if (!an_entry_read(entry->unit, offset, &below))
            return entry->unit->end;
        offset = below.next;
        sibling = AN_ENTRY_HAS(&below, AN_SLOT_SIBLING) ? below.value[AN_SLOT_SIBLING].number : 0;
        if (below.tag == 0)
            depth--;
        else if (below.has_children && sibling > offset && sibling < entry->unit->end)
            offset = sibling;
        else if (below.has_children)
            depth++;
    }
    return offset;
}

static void base_take(const struct an_entry *entry, enum an_slot slot, uint64_t *base)
{
    if (AN_ENTRY_HAS(entry, slot))
        *base = entry->value[slot].number;
}

bool an_unit_open(struct an_unit *unit, struct an_entry *ret_entry)
{
    struct an_entry own, *entry = ret_entry == NULL ? &own : ret_entry;
    if (unit->opened && ret_entry == NULL)
        return true;
    if (!an_entry_read(unit, unit->first, entry) || entry->tag == 0)
        return false;
    if (unit->opened)
        return true;
    unit->opened = true;
    /* Bases first: other attributes need them. */
    base_take(entry, AN_SLOT_STR_OFFSETS_BASE, &unit->str_offsets_base);
    base_take(entry, AN_SLOT_ADDR_BASE, &unit->addr_base);
    base_take(entry, AN_SLOT_RNGLISTS_BASE, &unit->rnglists_base);
    base_take(entry, AN_SLOT_RANGES_BASE, &unit->ranges_base);
    base_take(entry, AN_SLOT_STMT_LIST, &unit->lines);
    base_take(entry, AN_SLOT_DWO_ID, &unit->dwo_id);
    unit->language = (uint16_t)an_entry_number(entry, AN_SLOT_LANGUAGE);
    unit->comp_dir = an_entry_text(entry, AN_SLOT_COMP_DIR);
    unit->dwo_name = an_entry_text(entry, AN_SLOT_DWO_NAME);
    if (AN_ENTRY_HAS(entry, AN_SLOT_LOW))
        an_value_address(unit, &entry->value[AN_SLOT_LOW], &unit->low);
    return true;
}

uint64_t an_entry_number(const struct an_entry *entry, enum an_slot slot)
{
    return AN_ENTRY_HAS(entry, slot) && entry->value[slot].kind == AN_VALUE_NUMBER
               ? entry->value[slot].number
               : 0;
}

const char *an_entry_text(const struct an_entry *entry, enum an_slot slot)
{
    return AN_ENTRY_HAS(entry, slot) ? an_value_text(entry->unit, &entry->value[slot]) : NULL;
}

bool an_entry_follow(const struct an_entry *entry, enum an_slot slot, struct an_entry *ret_entry)
{
    if (!AN_ENTRY_HAS(entry, slot))
        return false;
    const struct an_value *value = &entry->value[slot];
    struct an_unit *unit = entry->unit;
    struct an_dwarf *dwarf = unit->dwarf;
    if (value->kind == AN_VALUE_ENTRY_SHARED)
        dwarf = dwarf->shared;
    else if (value->kind != AN_VALUE_ENTRY)
        return false;
    if (dwarf == NULL)
        return false;
    if (dwarf != unit->dwarf || value->number < unit->begin || value->number >= unit->end)
        unit = an_unit_at(dwarf, value->number);
    return unit != NULL && an_unit_open(unit, NULL) &&
           an_entry_read(unit, value->number, ret_entry) && ret_entry->tag != 0;
}
