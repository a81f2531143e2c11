/*
 * function_names.h -- the name of a function as DWARF has it.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_DWARF_FUNCTION_NAMES_H
#define THAG_AN_DWARF_FUNCTION_NAMES_H

#include "analyzer/symbols/dwarf/unit.h"

struct an_function_names;

struct an_function_names *an_function_names_new(void);
void an_function_names_free(struct an_function_names *names);

/*
 * The mangled name of the function that ENTRY is, or is a copy of; where there is no such name, its
 * own with the scopes around it where the language has scopes. NULL: it has no name.
 *
 * Lifetime: that of NAMES and of the file.
 */
const char *an_function_name(struct an_function_names *names, const struct an_entry *entry);

#endif
