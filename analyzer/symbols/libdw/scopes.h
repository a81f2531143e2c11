/*
 * scopes.h -- what an entry of DWARF lies in, which entries do not tell: all scopes of a unit.
 *
 * libdw's own dwarf_getscopes_die() walks the unit anew for each entry, and recurses as deep as the
 * file says.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_LIBDW_SCOPES_H
#define THAG_AN_LIBDW_SCOPES_H

#include <elfutils/libdw.h>
#include <stdint.h>

struct an_libdw_scopes;

/* List the entries of a unit that have others inside. */
struct an_libdw_scopes *an_libdw_scopes_new(const Dwarf_Die *unit);
void an_libdw_scopes_free(struct an_libdw_scopes *scopes);

/* The number of the innermost scope around an entry of the unit; 0: the unit itself. */
uint32_t an_libdw_scope_around(const struct an_libdw_scopes *scopes, const Dwarf_Die *entry);

/* The scope around a scope that is not 0. */
uint32_t an_libdw_scope_parent(const struct an_libdw_scopes *scopes, uint32_t scope);
Dwarf_Die an_libdw_scope_entry(const struct an_libdw_scopes *scopes, uint32_t scope);

#endif
