/*
 * value.c -- what the attribute of an entry holds.
 */
#include "analyzer/symbols/dwarf/value.h"

#include "analyzer/symbols/dwarf/constants.h"

static bool value_set(struct an_value *value, enum an_value_kind kind, uint64_t number)
{
    *value = (struct an_value){.number = number, .kind = kind};
    return true;
}

static bool block_skip(struct an_bytes *bytes, uint64_t count, struct an_value *value)
{
    an_bytes_skip(bytes, count);
    return value_set(value, AN_VALUE_OTHER, 0);
}

static bool text_read(struct an_bytes *bytes, struct an_value *value)
{
    const char *text = an_bytes_text(bytes);
    return value_set(value, AN_VALUE_TEXT, (uintptr_t)text);
}

/* References and numbers of the forms that depend on nothing. */
static bool plain_read(const struct an_unit *unit, unsigned form, struct an_bytes *bytes,
                       struct an_value *value)
{
    switch (form) {
    case DW_FORM_data1:
        return value_set(value, AN_VALUE_NUMBER, an_bytes_u8(bytes));
    case DW_FORM_data2:
        return value_set(value, AN_VALUE_NUMBER, an_bytes_u16(bytes));
    case DW_FORM_data4:
        return value_set(value, AN_VALUE_NUMBER, an_bytes_u32(bytes));
    case DW_FORM_data8:
        return value_set(value, AN_VALUE_NUMBER, an_bytes_number(bytes, 8));
    case DW_FORM_udata:
        return value_set(value, AN_VALUE_NUMBER, an_bytes_unsigned(bytes));
    case DW_FORM_sdata:
        return value_set(value, AN_VALUE_NUMBER, (uint64_t)an_bytes_signed(bytes));
    case DW_FORM_flag:
        return value_set(value, AN_VALUE_OTHER, an_bytes_u8(bytes));
    case DW_FORM_flag_present:
        return value_set(value, AN_VALUE_OTHER, 1);
    case DW_FORM_ref1:
        return value_set(value, AN_VALUE_ENTRY, unit->begin + an_bytes_u8(bytes));
    case DW_FORM_ref2:
        return value_set(value, AN_VALUE_ENTRY, unit->begin + an_bytes_u16(bytes));
    case DW_FORM_ref4:
        return value_set(value, AN_VALUE_ENTRY, unit->begin + an_bytes_u32(bytes));
    case DW_FORM_ref8:
        return value_set(value, AN_VALUE_ENTRY, unit->begin + an_bytes_number(bytes, 8));
    case DW_FORM_ref_udata:
        return value_set(value, AN_VALUE_ENTRY, unit->begin + an_bytes_unsigned(bytes));
    case DW_FORM_ref_sup4:
        return value_set(value, AN_VALUE_ENTRY_SHARED, an_bytes_u32(bytes));
    case DW_FORM_ref_sup8:
        return value_set(value, AN_VALUE_ENTRY_SHARED, an_bytes_number(bytes, 8));
    default:
        return false;
    }
}

/* Forms whose size is the unit's, and numbers of entries in tables. */
static bool sized_read(const struct an_unit *unit, unsigned form, struct an_bytes *bytes,
                       struct an_value *value)
{
    unsigned size = unit->offset_bytes;
    switch (form) {
    case DW_FORM_addr:
        return value_set(value, AN_VALUE_ADDRESS, an_bytes_number(bytes, unit->address_bytes));
    case DW_FORM_strp:
        return value_set(value, AN_VALUE_TEXT_IN_STR, an_bytes_number(bytes, size));
    case DW_FORM_line_strp:
        return value_set(value, AN_VALUE_TEXT_IN_LINE_STR, an_bytes_number(bytes, size));
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
        return value_set(value, AN_VALUE_TEXT_SHARED, an_bytes_number(bytes, size));
    case DW_FORM_GNU_ref_alt:
        return value_set(value, AN_VALUE_ENTRY_SHARED, an_bytes_number(bytes, size));
    case DW_FORM_sec_offset:
        return value_set(value, AN_VALUE_OFFSET, an_bytes_number(bytes, size));
    case DW_FORM_ref_addr:
        size = unit->version == 2 ? unit->address_bytes : size;
        return value_set(value, AN_VALUE_ENTRY, an_bytes_number(bytes, size));
    case DW_FORM_addrx:
    case DW_FORM_GNU_addr_index:
        return value_set(value, AN_VALUE_ADDRESS_INDEX, an_bytes_unsigned(bytes));
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
        size = form - DW_FORM_addrx1 + 1;
        return value_set(value, AN_VALUE_ADDRESS_INDEX, an_bytes_number(bytes, size));
    case DW_FORM_strx:
    case DW_FORM_GNU_str_index:
        return value_set(value, AN_VALUE_TEXT_INDEX, an_bytes_unsigned(bytes));
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
        size = form - DW_FORM_strx1 + 1;
        return value_set(value, AN_VALUE_TEXT_INDEX, an_bytes_number(bytes, size));
    case DW_FORM_rnglistx:
        return value_set(value, AN_VALUE_LIST_INDEX, an_bytes_unsigned(bytes));
    default:
        return false;
    }
}

static bool rare_read(unsigned form, struct an_bytes *bytes, struct an_value *value)
{
    switch (form) {
    case DW_FORM_string:
        return text_read(bytes, value);
    case DW_FORM_block:
    case DW_FORM_exprloc:
        return block_skip(bytes, an_bytes_unsigned(bytes), value);
    case DW_FORM_block1:
        return block_skip(bytes, an_bytes_u8(bytes), value);
    case DW_FORM_block2:
        return block_skip(bytes, an_bytes_u16(bytes), value);
    case DW_FORM_block4:
        return block_skip(bytes, an_bytes_u32(bytes), value);
    case DW_FORM_data16:
        return block_skip(bytes, 16, value);
    case DW_FORM_ref_sig8:
        return block_skip(bytes, 8, value);
    case DW_FORM_loclistx:
        return value_set(value, AN_VALUE_OTHER, an_bytes_unsigned(bytes));
    default:
        return false;
    }
}

bool an_value_read(const struct an_unit *unit, const struct an_abbreviated *attribute,
                   struct an_bytes *bytes, struct an_value *ret_value)
{
    uint64_t form = attribute->form;
    if (form == DW_FORM_implicit_const)
        return value_set(ret_value, AN_VALUE_NUMBER, (uint64_t)attribute->constant);
    while (form == DW_FORM_indirect)
        form = an_bytes_unsigned(bytes);
    if (form > UINT16_MAX)
        return false;
    return plain_read(unit, (unsigned)form, bytes, ret_value) ||
           sized_read(unit, (unsigned)form, bytes, ret_value) ||
           rare_read((unsigned)form, bytes, ret_value);
}

const char *an_unit_text(const struct an_unit *unit, uint64_t index)
{
    struct an_dwarf_sections *sections = &unit->dwarf->sections;
    if (index > UINT32_MAX)
        return NULL;
    struct an_bytes table = an_bytes_from(an_dwarf_section(sections, AN_DWARF_STR_OFFSETS),
                                          unit->str_offsets_base + index * unit->offset_bytes);
    uint64_t offset = an_bytes_number(&table, unit->offset_bytes);
    return table.cut ? NULL : an_dwarf_section_text(sections, AN_DWARF_STR, offset);
}

const char *an_value_text(const struct an_unit *unit, const struct an_value *value)
{
    struct an_dwarf *dwarf = unit->dwarf;
    switch (value->kind) {
    case AN_VALUE_TEXT:
        return (const char *)(uintptr_t)value->number;
    case AN_VALUE_TEXT_IN_STR:
        return an_dwarf_section_text(&dwarf->sections, AN_DWARF_STR, value->number);
    case AN_VALUE_TEXT_IN_LINE_STR:
        return an_dwarf_section_text(&dwarf->sections, AN_DWARF_LINE_STR, value->number);
    case AN_VALUE_TEXT_SHARED:
        return dwarf->shared == NULL
                   ? NULL
                   : an_dwarf_section_text(&dwarf->shared->sections, AN_DWARF_STR, value->number);
    case AN_VALUE_TEXT_INDEX:
        return an_unit_text(unit, value->number);
    default:
        return NULL;
    }
}

bool an_unit_address(const struct an_unit *unit, uint64_t index, uint64_t *ret_address)
{
    const struct an_unit *owner = unit->skeleton == NULL ? unit : unit->skeleton;
    struct an_bytes table = an_dwarf_section(&owner->dwarf->sections, AN_DWARF_ADDR);
    if (index > UINT32_MAX)
        return false;
    table = an_bytes_from(table, owner->addr_base + index * owner->address_bytes);
    uint64_t address = an_bytes_number(&table, owner->address_bytes);
    if (table.cut)
        return false;
    *ret_address = address;
    return true;
}

bool an_value_address(const struct an_unit *unit, const struct an_value *value,
                      uint64_t *ret_address)
{
    if (value->kind == AN_VALUE_ADDRESS_INDEX)
        return an_unit_address(unit, value->number, ret_address);
    if (value->kind != AN_VALUE_ADDRESS)
        return false;
    *ret_address = value->number;
    return true;
}
