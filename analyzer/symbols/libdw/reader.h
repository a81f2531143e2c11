/*
 * reader.h -- answers from DWARF with libdw.
 *
 * Context: tool. One thread.
 */
#ifndef THAG_AN_LIBDW_READER_H
#define THAG_AN_LIBDW_READER_H

#include "analyzer/symbols/inline_query.h"

struct an_libdw_reader;

/*
 * SOURCE is read any time until an_libdw_reader_free().
 *
 * Result: NULL if libdw cannot read all units, or find all .dwo files.
 */
struct an_libdw_reader *an_libdw_reader_new(const struct an_debug_source *source);
void an_libdw_reader_free(struct an_libdw_reader *reader);

/* As an_inlines_answer(). */
void an_libdw_reader_answer(struct an_libdw_reader *reader, struct an_inline_query *query,
                            uint32_t count, bool lines, struct an_progress *progress);

/* How many times a unit was visited. */
uint64_t an_libdw_reader_visits(const struct an_libdw_reader *reader);

#endif
