/*
 * unit_index.h -- which unit of DWARF an address belongs to.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_DWARF_UNIT_INDEX_H
#define THAG_AN_DWARF_UNIT_INDEX_H

#include "analyzer/symbols/dwarf/unit.h"

struct an_unit_index;

/* DWARF has to live longer. */
struct an_unit_index *an_unit_index_new(struct an_dwarf *dwarf);
void an_unit_index_free(struct an_unit_index *index);

/* Result: NULL if the address is no unit's. */
struct an_unit *an_unit_index_find(struct an_unit_index *index, uint64_t address);

#endif
