/*
 * inlines.h -- what was inlined at an address, and the source lines, from DWARF.
 *
 * Context: tool. One thread.
 */
#ifndef THAG_AN_INLINES_H
#define THAG_AN_INLINES_H

#include "analyzer/symbols/debug_search.h"
#include "analyzer/symbols/dwarf/sections.h"
#include "analyzer/symbols/progress.h"

/*
 * One function at an address. LINE of an outer function is where it calls the next one, LINE of
 * the innermost function is the address' own.
 */
struct an_inline_frame {
    const char *name; /* mangled if there is such a name; NULL: unknown. Lifetime: the inlines' */
    const char *file; /* as in DWARF, a name or a path; NULL: unknown. Lifetime: the inlines' */
    uint32_t line;    /* 0: unknown */
};

/* One question. FRAME is owned by the caller and freed by free(). */
struct an_inline_query {
    uint64_t address;
    struct an_inline_frame *frame; /* the physical function first, then inward */
    uint32_t frame_count;          /* 0: DWARF knows no function there */
};

struct an_inlines;

/*
 * Ready to answer from the DWARF of IMAGE, of what it shares with other files, and of its split
 * units, wherever PLACES says that these may be. MODULE_PATH as recorded. All have to live longer.
 */
struct an_inlines *an_inlines_new(struct an_elf_image *image, const struct an_debug_places *places,
                                  const char *module_path);
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

/* Bits of enum an_dwarf_trouble: what could not be read so far. */
unsigned an_inlines_trouble(const struct an_inlines *inlines);

/* How many times a unit was visited. */
uint64_t an_inlines_visits(const struct an_inlines *inlines);

#endif
