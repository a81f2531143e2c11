/*
 * inline_query.h -- a question about an address and its answer, as both readers of DWARF know them.
 *
 * Context: tool. One thread.
 */
#ifndef THAG_AN_INLINE_QUERY_H
#define THAG_AN_INLINE_QUERY_H

#include "analyzer/symbols/debug_search.h"
#include "analyzer/symbols/progress.h"

/* Scopes nest this deep at most in what is read; compilers stay far below. */
#define AN_DEEPEST_SCOPE 400u

/*
 * One function at an address. LINE of an outer function is where it calls the next one, LINE of
 * the innermost function is the address' own.
 */
struct an_inline_frame {
    const char *name; /* mangled if there is such a name; NULL: unknown. Lifetime: the reader's */
    const char *file; /* as in DWARF, a name or a path; NULL: unknown. Lifetime: the reader's */
    uint32_t line;    /* 0: unknown */
};

/* One question. FRAME is owned by the caller and freed by free(). */
struct an_inline_query {
    uint64_t address;
    struct an_inline_frame *frame; /* the physical function first, then inward */
    uint32_t frame_count;          /* 0: DWARF knows no function there */
};

/* Where the debug data of a module is. Nothing of it is owned. */
struct an_debug_source {
    struct an_elf_image *image;
    struct an_elf_image *shared; /* what dwz took out of it; NULL: nothing, or it is missing */
    const struct an_debug_places *places;
    const char *module_path; /* as recorded */
};

/* Add a frame without file and line, unless there are as many as scopes may nest. */
void an_inline_frame_push(struct an_inline_query *query, const char *name);

/* The number of the first of COUNT questions, ascending by address, that is not below ADDRESS. */
uint32_t an_inline_query_first(struct an_inline_query *const *query, uint32_t count,
                               uint64_t address);

#endif
