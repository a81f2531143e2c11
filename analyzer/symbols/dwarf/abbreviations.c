/*
 * abbreviations.c -- which attributes the entries of a unit have, and in what form.
 */
#include "analyzer/symbols/dwarf/abbreviations.h"

#include <stdlib.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/dwarf/constants.h"

static uint8_t slot_of_unit(uint64_t name)
{
    switch (name) {
    case DW_AT_stmt_list:
        return AN_SLOT_STMT_LIST;
    case DW_AT_language:
        return AN_SLOT_LANGUAGE;
    case DW_AT_comp_dir:
        return AN_SLOT_COMP_DIR;
    case DW_AT_dwo_name:
    case DW_AT_GNU_dwo_name:
        return AN_SLOT_DWO_NAME;
    case DW_AT_GNU_dwo_id:
        return AN_SLOT_DWO_ID;
    case DW_AT_str_offsets_base:
        return AN_SLOT_STR_OFFSETS_BASE;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base:
        return AN_SLOT_ADDR_BASE;
    case DW_AT_rnglists_base:
        return AN_SLOT_RNGLISTS_BASE;
    case DW_AT_GNU_ranges_base:
        return AN_SLOT_RANGES_BASE;
    default:
        return AN_SLOT_NONE;
    }
}

static uint8_t slot_of(uint64_t name)
{
    switch (name) {
    case DW_AT_sibling:
        return AN_SLOT_SIBLING;
    case DW_AT_name:
        return AN_SLOT_NAME;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
        return AN_SLOT_LINKAGE_NAME;
    case DW_AT_low_pc:
        return AN_SLOT_LOW;
    case DW_AT_high_pc:
        return AN_SLOT_HIGH;
    case DW_AT_ranges:
        return AN_SLOT_RANGES;
    case DW_AT_abstract_origin:
        return AN_SLOT_ORIGIN;
    case DW_AT_specification:
        return AN_SLOT_SPECIFICATION;
    case DW_AT_call_file:
        return AN_SLOT_CALL_FILE;
    case DW_AT_call_line:
        return AN_SLOT_CALL_LINE;
    default:
        return AN_SLOT_NONE;
    }
}

/* The slot of an attribute of an entry with TAG. */
static uint8_t slot_find(uint64_t tag, uint64_t name)
{
    switch (tag) {
    case DW_TAG_compile_unit:
    case DW_TAG_partial_unit:
    case DW_TAG_skeleton_unit: {
        uint8_t slot = slot_of_unit(name);
        return slot == AN_SLOT_NONE ? slot_of(name) : slot;
    }
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        return slot_of(name);
    default:
        return name == DW_AT_sibling ? AN_SLOT_SIBLING : AN_SLOT_NONE;
    }
}

static void attribute_add(struct an_abbreviations *table, struct an_abbreviated attribute)
{
    if (table->attribute_count == table->attribute_room) {
        table->attribute_room = table->attribute_room == 0 ? 256 : table->attribute_room * 2;
        table->attribute =
            an_memory_resize(table->attribute, table->attribute_room, sizeof(*table->attribute));
    }
    table->attribute[table->attribute_count++] = attribute;
}

static void entry_add(struct an_abbreviations *table, struct an_abbreviation entry)
{
    if (table->entry_count == table->entry_room) {
        table->entry_room = table->entry_room == 0 ? 64 : table->entry_room * 2;
        table->entry = an_memory_resize(table->entry, table->entry_room, sizeof(*table->entry));
    }
    table->dense = table->dense && entry.code == table->entry_count + 1;
    table->entry[table->entry_count++] = entry;
}

static int entry_order(const void *left, const void *right)
{
    const struct an_abbreviation *a = left, *b = right;
    return (a->code > b->code) - (a->code < b->code);
}

/* Read one entry. Result: false at the end of the table. */
static bool entry_read(struct an_abbreviations *table, struct an_bytes *bytes)
{
    struct an_abbreviation entry = {.first = table->attribute_count};
    entry.code = an_bytes_unsigned(bytes);
    if (entry.code == 0)
        return false;
    uint64_t tag = an_bytes_unsigned(bytes);
    entry.tag = tag > UINT32_MAX ? UINT32_MAX : (uint32_t)tag;
    entry.has_children = an_bytes_u8(bytes) != 0;
    for (;;) {
        uint64_t name = an_bytes_unsigned(bytes);
        uint64_t form = an_bytes_unsigned(bytes);
        if ((name == 0 && form == 0) || bytes->cut || form > UINT16_MAX)
            break;
        struct an_abbreviated attribute = {.slot = slot_find(entry.tag, name),
                                           .form = (uint16_t)form};
        if (form == DW_FORM_implicit_const)
            attribute.constant = an_bytes_signed(bytes);
        attribute_add(table, attribute);
        entry.count++;
    }
    entry_add(table, entry);
    return !bytes->cut;
}

void an_abbreviations_read(struct an_abbreviations *table, struct an_bytes bytes)
{
    *table = (struct an_abbreviations){.dense = true};
    while (entry_read(table, &bytes))
        continue;
    if (!table->dense && table->entry_count != 0)
        qsort(table->entry, table->entry_count, sizeof(*table->entry), entry_order);
}

void an_abbreviations_release(struct an_abbreviations *table)
{
    free(table->entry);
    free(table->attribute);
}

const struct an_abbreviation *an_abbreviations_find(const struct an_abbreviations *table,
                                                    uint64_t code)
{
    if (table->dense)
        return code - 1 < table->entry_count ? &table->entry[code - 1] : NULL;
    struct an_abbreviation key = {.code = code};
    return bsearch(&key, table->entry, table->entry_count, sizeof(*table->entry), entry_order);
}
