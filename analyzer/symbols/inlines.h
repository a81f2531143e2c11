/*
 * inlines.h -- what was inlined at an address, and the source lines, from DWARF.
 *
 * Context: tool. One thread.
 */
#ifndef THAG_AN_INLINES_H
#define THAG_AN_INLINES_H

#include "analyzer/symbols/dwarf/sections.h"
#include "analyzer/symbols/inline_query.h"

/* Who reads; both say the same of what both can read. */
enum an_inlines_reader {
    AN_INLINES_BY_EITHER,     /* libdw where it can */
    AN_INLINES_BY_OWN_READER, /* for tests */
};

struct an_inlines;

/*
 * Ready to answer from the DWARF of IMAGE, of what it shares with other files, and of its split
 * units, wherever PLACES says that these may be. MODULE_PATH as recorded. All have to live longer.
 */
struct an_inlines *an_inlines_new(struct an_elf_image *image, const struct an_debug_places *places,
                                  const char *module_path, enum an_inlines_reader reader);
void an_inlines_free(struct an_inlines *inlines);

/*
 * Answer questions; each unit of DWARF is visited once however many of them lie in it.
 *
 * Inputs:   QUERY is in ascending order of address, with no frames. LINES asks for file and line.
 *           PROGRESS is told how many were answered.
 * Never:    loops or recurses without bound on damaged DWARF.
 */
void an_inlines_answer(struct an_inlines *inlines, struct an_inline_query *query, uint32_t count,
                       bool lines, struct an_progress *progress);

/* Whether libdw is what reads. */
bool an_inlines_by_libdw(const struct an_inlines *inlines);

/* Bits of enum an_dwarf_trouble: what could not be read so far. */
unsigned an_inlines_trouble(const struct an_inlines *inlines);

/* How many times a unit was visited. */
uint64_t an_inlines_visits(const struct an_inlines *inlines);

#endif
