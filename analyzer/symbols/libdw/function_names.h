/*
 * function_names.h -- the name of a function as DWARF has it, read with libdw.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_LIBDW_FUNCTION_NAMES_H
#define THAG_AN_LIBDW_FUNCTION_NAMES_H

#include <elfutils/libdw.h>

struct an_libdw_names;

struct an_libdw_names *an_libdw_names_new(void);
void an_libdw_names_free(struct an_libdw_names *names);

/*
 * The mangled name of a function or an inlined copy; if it has none, its name with the scopes it
 * was written in, where the language has some.
 *
 * Result:   NULL if there is none.
 * Lifetime: that of NAMES and of the Dwarf.
 */
const char *an_libdw_function_name(struct an_libdw_names *names, const Dwarf_Die *function);

#endif
