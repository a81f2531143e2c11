/*
 * inlines.h -- what was inlined at an address, and the source lines, from DWARF.
 *
 * Context: tool. One thread.
 */
#ifndef THAG_AN_INLINES_H
#define THAG_AN_INLINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * One function at an address. LINE of an outer function is where it calls the next one, LINE of
 * the innermost function is the address' own.
 */
struct an_inline_frame {
    const char *name; /* mangled if there is such a name; NULL: unknown. Lifetime: the inlines' */
    const char *file; /* path as in DWARF; NULL: unknown. Lifetime: the Dwarf's */
    uint32_t line;    /* 0: unknown */
};

/* One question. FRAME is owned by the caller and freed by free(). */
struct an_inline_query {
    uint64_t address;
    struct an_inline_frame *frame; /* the physical function first, then inward */
    uint32_t frame_count;          /* 0: DWARF knows no function there */
};

struct an_inlines;

/* Ready to answer from DWARF, which has to live longer. */
struct an_inlines *an_inlines_new(Dwarf *dwarf);
void an_inlines_free(struct an_inlines *inlines);

/*
 * Answer questions; each unit of DWARF is visited once however many of them lie in it.
 *
 * Inputs:   QUERY is in ascending order of address, with no frames. LINES asks for file and line.
 * Never:    loops or recurses without bound on damaged DWARF.
 */
void an_inlines_answer(struct an_inlines *inlines, struct an_inline_query *query, uint32_t count,
                       bool lines);

#endif
