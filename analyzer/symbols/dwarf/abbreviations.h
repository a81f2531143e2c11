/*
 * abbreviations.h -- which attributes the entries of a unit have, and in what form.
 *
 * Most attributes are of no use for names and lines. The few that are have a slot; all others are
 * only stepped over.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_DWARF_ABBREVIATIONS_H
#define THAG_AN_DWARF_ABBREVIATIONS_H

#include "analyzer/symbols/dwarf/bytes.h"

enum an_slot {
    AN_SLOT_SIBLING,
    AN_SLOT_NAME,
    AN_SLOT_LINKAGE_NAME,
    AN_SLOT_LOW,
    AN_SLOT_HIGH,
    AN_SLOT_RANGES,
    AN_SLOT_ORIGIN,
    AN_SLOT_SPECIFICATION,
    AN_SLOT_CALL_FILE,
    AN_SLOT_CALL_LINE,
    /* of units only */
    AN_SLOT_STMT_LIST,
    AN_SLOT_LANGUAGE,
    AN_SLOT_COMP_DIR,
    AN_SLOT_DWO_NAME,
    AN_SLOT_DWO_ID,
    AN_SLOT_STR_OFFSETS_BASE,
    AN_SLOT_ADDR_BASE,
    AN_SLOT_RNGLISTS_BASE,
    AN_SLOT_RANGES_BASE,
    AN_SLOTS,
    AN_SLOT_NONE = AN_SLOTS,
};

struct an_abbreviated {
    uint8_t slot; /* enum an_slot */
    uint16_t form;
    int64_t constant; /* of DW_FORM_implicit_const */
};

struct an_abbreviation {
    uint64_t code; /* 0: none */
    uint32_t tag;
    bool has_children;
    uint32_t first, count; /* of its attributes */
};

struct an_abbreviations {
    struct an_abbreviation *entry; /* entry[code - 1] where codes are dense, else by code */
    uint32_t entry_count, entry_room;
    bool dense;
    struct an_abbreviated *attribute;
    uint32_t attribute_count, attribute_room;
};

/* Read the table that BYTES begin with; what is damaged ends it. */
void an_abbreviations_read(struct an_abbreviations *table, struct an_bytes bytes);
void an_abbreviations_release(struct an_abbreviations *table);

/* Result: NULL if there is no such code. */
const struct an_abbreviation *an_abbreviations_find(const struct an_abbreviations *table,
                                                    uint64_t code);

#endif
