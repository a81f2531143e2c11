/*
 * unit.h -- the units of DWARF in one file, their entries, and what the attributes mean.
 *
 * Words used here:
 *   unit      what one run of the compiler wrote, a tree of entries.
 *   skeleton  the unit that is left in a program whose debug data is split; the split unit, in a
 *             .dwo or .dwp file, refers to the addresses of its skeleton.
 *   shared    a file of dwz with what several files have in common; entries refer into it.
 *
 * Everything is damaged until checked: whatever cannot be read is absent.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_DWARF_UNIT_H
#define THAG_AN_DWARF_UNIT_H

#include "analyzer/symbols/dwarf/abbreviations.h"
#include "analyzer/symbols/dwarf/sections.h"

#define AN_DWARF_TABLES 64u /* of abbreviations that are kept */

struct an_unit {
    struct an_dwarf *dwarf;
    uint64_t begin, first, end; /* in .debug_info: header, first entry, behind the last */
    uint64_t abbreviations;     /* in .debug_abbrev */
    uint32_t table;             /* private: where its abbreviations were last */
    uint16_t version;
    uint8_t kind; /* DW_UT_* */
    uint8_t address_bytes, offset_bytes;
    bool opened;
    uint16_t language;
    uint64_t dwo_id;
    uint64_t low; /* base of its ranges */
    uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
    uint64_t line_base; /* of a unit in a package: its part of .debug_line */
    uint64_t lines;     /* UINT64_MAX: none */
    const char *comp_dir, *dwo_name;
    struct an_unit *skeleton; /* of a split unit */
    struct an_unit *split;    /* of a skeleton, once it was sought; NULL: nowhere */
    bool split_sought;
};

struct an_dwarf {
    struct an_dwarf_sections sections;
    struct an_unit *unit; /* by begin */
    uint32_t unit_count, unit_room;
    struct an_dwarf *shared; /* NULL: none. Borrowed */
    uint64_t lowest_code;    /* no code is mapped below; what the linker dropped stands there */
    uint64_t work_left;      /* bounds what damaged data can cost; see an_dwarf_work_set */
    struct an_kept_table {
        uint64_t offset;
        struct an_abbreviations table;
        bool used;
    } kept[AN_DWARF_TABLES];
    uint32_t kept_next;
};

enum an_value_kind {
    AN_VALUE_NUMBER,
    AN_VALUE_ADDRESS,
    AN_VALUE_ADDRESS_INDEX,
    AN_VALUE_OFFSET,     /* in a section that the attribute implies */
    AN_VALUE_LIST_INDEX, /* of a list of ranges */
    AN_VALUE_TEXT,       /* the number is the text's place in memory */
    AN_VALUE_TEXT_INDEX,
    AN_VALUE_TEXT_IN_STR,
    AN_VALUE_TEXT_IN_LINE_STR,
    AN_VALUE_TEXT_SHARED,
    AN_VALUE_ENTRY, /* in .debug_info of the same file */
    AN_VALUE_ENTRY_SHARED,
    AN_VALUE_OTHER,
};

struct an_value {
    uint64_t number;
    enum an_value_kind kind;
};

/* One entry. */
struct an_entry {
    struct an_unit *unit;
    uint64_t offset;  /* in .debug_info */
    uint64_t next;    /* behind its attributes */
    uint32_t tag;     /* 0: the end of a list of entries */
    uint32_t present; /* a bit per slot */
    bool has_children;
    struct an_value value[AN_SLOTS]; /* where present */
};

#define AN_ENTRY_HAS(entry, slot) (((entry)->present >> (slot)&1) != 0)

struct an_range {
    uint64_t low, high; /* low < high */
};

/* A list that is used again and again. Released by free() of RANGE. */
struct an_ranges {
    struct an_range *range;
    uint32_t count, room;
};

/*
 * Prepare the DWARF of a file; IMAGE has to live longer. SPLIT: of a .dwo or .dwp file. PACKAGE:
 * of a .dwp file, whose units are found by its index and are not among UNIT.
 */
struct an_dwarf *an_dwarf_new(struct an_elf_image *image, bool split, bool package);
void an_dwarf_free(struct an_dwarf *dwarf);

/*
 * Allow as much work as a whole reading of the file can need. With less than nothing left ranges
 * and entries are absent: lists and trees that refer to each other can stand for endless ones.
 */
void an_dwarf_work_set(struct an_dwarf *dwarf);

/* The unit whose header or entries hold OFFSET of .debug_info; NULL: none. */
struct an_unit *an_unit_at(struct an_dwarf *dwarf, uint64_t offset);

/*
 * Read the header at OFFSET into RET_UNIT. Result: where the next unit begins, 0 if there is none.
 * RET_UNIT's version is 0 if it cannot be used.
 */
uint64_t an_unit_header(struct an_dwarf *dwarf, uint64_t offset, struct an_unit *ret_unit);

/* Read the first entry, once: bases, language, where the split unit is. RET_ENTRY may be NULL. */
bool an_unit_open(struct an_unit *unit, struct an_entry *ret_entry);

/* Read the entry at OFFSET. Result: false if there is none. */
bool an_entry_read(struct an_unit *unit, uint64_t offset, struct an_entry *ret_entry);

/* Where the entry behind ENTRY and all that is below it begins. */
uint64_t an_entry_behind(const struct an_entry *entry);

/* The text of an attribute; NULL: none. Lifetime: the sections'. */
const char *an_entry_text(const struct an_entry *entry, enum an_slot slot);
uint64_t an_entry_number(const struct an_entry *entry, enum an_slot slot);

/* Follow a reference. Result: false if it leads nowhere. */
bool an_entry_follow(const struct an_entry *entry, enum an_slot slot, struct an_entry *ret_entry);

/* The code of an entry, empty if it has none. RANGES is reused. */
void an_entry_ranges(const struct an_entry *entry, struct an_ranges *ranges);

/* The address with number INDEX in a unit's table of addresses. */
bool an_unit_address(const struct an_unit *unit, uint64_t index, uint64_t *ret_address);

/* The text with number INDEX in a unit's table of texts. */
const char *an_unit_text(const struct an_unit *unit, uint64_t index);

#endif
