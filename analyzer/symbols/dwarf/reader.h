/*
 * reader.h -- the own reader of DWARF, for what libdw cannot read (see inlines.c).
 *
 * Context: tool. One thread.
 */
#ifndef THAG_AN_DWARF_READER_H
#define THAG_AN_DWARF_READER_H

#include "analyzer/symbols/dwarf/sections.h"
#include "analyzer/symbols/inline_query.h"

struct an_dwarf_reader;

/* SOURCE is read any time until an_dwarf_reader_free(). */
struct an_dwarf_reader *an_dwarf_reader_new(const struct an_debug_source *source);
void an_dwarf_reader_free(struct an_dwarf_reader *reader);

/* As an_inlines_answer(). */
void an_dwarf_reader_answer(struct an_dwarf_reader *reader, struct an_inline_query *query,
                            uint32_t count, bool lines, struct an_progress *progress);

/* Bits of enum an_dwarf_trouble: what could not be read so far. */
unsigned an_dwarf_reader_trouble(const struct an_dwarf_reader *reader);

/* How many times a unit was visited. */
uint64_t an_dwarf_reader_visits(const struct an_dwarf_reader *reader);

#endif
