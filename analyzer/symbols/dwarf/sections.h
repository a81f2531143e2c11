/*
 * sections.h -- the sections of DWARF in one ELF file, unpacked when they are first asked for.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_DWARF_SECTIONS_H
#define THAG_AN_DWARF_SECTIONS_H

#include "analyzer/symbols/dwarf/bytes.h"
#include "analyzer/symbols/elf_image.h"

enum an_dwarf_section {
    AN_DWARF_INFO,
    AN_DWARF_ABBREV,
    AN_DWARF_LINE,
    AN_DWARF_LINE_STR,
    AN_DWARF_STR,
    AN_DWARF_STR_OFFSETS,
    AN_DWARF_ADDR,
    AN_DWARF_RANGES,
    AN_DWARF_RNGLISTS,
    AN_DWARF_ARANGES,
    AN_DWARF_CU_INDEX,
    AN_DWARF_SECTIONS,
};

/* What keeps debug data from being read; bits. */
enum an_dwarf_trouble {
    AN_DWARF_VERSION = 1, /* a version of DWARF that is not known */
    AN_DWARF_PACKING = 2, /* a section is packed in a way that is not known */
    AN_DWARF_DAMAGE = 4,  /* it contradicts itself */
    AN_DWARF_SPLIT = 8,   /* a .dwo file, or its unit in the .dwp file, is missing */
    AN_DWARF_SHARED = 16, /* the file with the shared parts (dwz) is missing */
};

struct an_dwarf_part {
    Elf_Scn *section; /* NULL: none */
    struct an_bytes bytes;
    void *unpacked; /* owned */
    bool loaded;
};

struct an_dwarf_sections {
    struct an_elf_image *image;
    struct an_dwarf_part part[AN_DWARF_SECTIONS];
    unsigned trouble;
};

/* Find the sections; SPLIT asks for those of .dwo and .dwp files. IMAGE has to live longer. */
void an_dwarf_sections_init(struct an_dwarf_sections *sections, struct an_elf_image *image,
                            bool split);
void an_dwarf_sections_release(struct an_dwarf_sections *sections);

/* The content of a section, empty if there is none that can be read. Lifetime: the sections'. */
struct an_bytes an_dwarf_section(struct an_dwarf_sections *sections, enum an_dwarf_section which);

/* The text at OFFSET of a section of texts; NULL: none. */
const char *an_dwarf_section_text(struct an_dwarf_sections *sections, enum an_dwarf_section which,
                                  uint64_t offset);

#endif
