/*
 * value.h -- what the attribute of an entry holds.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_DWARF_VALUE_H
#define THAG_AN_DWARF_VALUE_H

#include "analyzer/symbols/dwarf/unit.h"

/* Read the value of an attribute, or step over it. Result: false for a form that is not known. */
bool an_value_read(const struct an_unit *unit, const struct an_abbreviated *attribute,
                   struct an_bytes *bytes, struct an_value *ret_value);

/* The text that a value stands for; NULL: none. */
const char *an_value_text(const struct an_unit *unit, const struct an_value *value);

/* The address that a value stands for. */
bool an_value_address(const struct an_unit *unit, const struct an_value *value,
                      uint64_t *ret_address);

#endif
