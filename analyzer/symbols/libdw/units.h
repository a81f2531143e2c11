/*
 * units.h -- the units of a program's DWARF, and which of them an address belongs to, with libdw.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_LIBDW_UNITS_H
#define THAG_AN_LIBDW_UNITS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct an_libdw_units;

/*
 * List the units of DWARF, which has to live longer. No code lies below LOWEST_CODE.
 *
 * Result: NULL if libdw cannot read each of them, and find the .dwo file of each that has one.
 */
struct an_libdw_units *an_libdw_units_new(Dwarf *dwarf, uint64_t lowest_code);
void an_libdw_units_free(struct an_libdw_units *units);

/* The unit whose code an address is. Result: NULL if there is none. Lifetime: the units'. */
Dwarf_Die *an_libdw_units_find(struct an_libdw_units *units, uint64_t address);

#endif
