/*
 * function_names.c -- the name of a function as DWARF has it, read with libdw.
 *
 * Compilers leave out the mangled name of what is never called by it, a lambda that is always
 * inlined for one: then the scopes that it was written in have to do.
 */
#include "analyzer/symbols/libdw/function_names.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/libdw/scopes.h"

#define MOST_REFERENCES 16u  /* from a copy to what it was copied from */
#define MOST_SCOPES     100u /* around a function */
#define LONGEST_NAME    (64u << 10)

/* Newer than some versions of dwarf.h. */
#define LANGUAGE_C_PLUS_PLUS_17 0x2b
#define LANGUAGE_C_PLUS_PLUS_20 0x2c

struct unit_scopes {
    const void *unit;
    struct an_libdw_scopes *scopes;
    struct unit_scopes *next;
};

/* A name that was put together. */
struct made_name {
    const void *function; /* NULL: an empty place */
    char *name;           /* owned */
};

struct an_libdw_names {
    struct unit_scopes *scopes;
    struct made_name *made; /* open hash */
    size_t made_count, made_room;
};

struct an_libdw_names *an_libdw_names_new(void)
{
    return an_memory_zeroed(1, sizeof(struct an_libdw_names));
}

void an_libdw_names_free(struct an_libdw_names *names)
{
    if (names == NULL)
        return;
    for (size_t i = 0; i < names->made_room; i++)
        free(names->made[i].name);
    while (names->scopes != NULL) {
        struct unit_scopes *scopes = names->scopes;
        names->scopes = scopes->next;
        an_libdw_scopes_free(scopes->scopes);
        free(scopes);
    }
    free(names->made);
    free(names);
}

static const struct an_libdw_scopes *scopes_of(struct an_libdw_names *names, const Dwarf_Die *unit)
{
    for (struct unit_scopes *scopes = names->scopes; scopes != NULL; scopes = scopes->next) {
        if (scopes->unit == unit->addr)
            return scopes->scopes;
    }
    struct unit_scopes *scopes = an_memory_zeroed(1, sizeof(*scopes));
    *scopes = (struct unit_scopes){unit->addr, an_libdw_scopes_new(unit), names->scopes};
    names->scopes = scopes;
    return scopes->scopes;
}

static const char *text_of(Dwarf_Die *entry, unsigned name)
{
    Dwarf_Attribute attribute;
    const char *text = dwarf_formstring(dwarf_attr(entry, name, &attribute));
    return text == NULL || text[0] == '\0' ? NULL : text;
}

/* From a copy to the original, from a definition to the declaration. */
static bool origin_follow(Dwarf_Die *entry)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (dwarf_attr(entry, DW_AT_abstract_origin, &attribute) == NULL &&
        dwarf_attr(entry, DW_AT_specification, &attribute) == NULL)
        return false;
    if (dwarf_formref_die(&attribute, &origin) == NULL)
        return false;
    *entry = origin;
    return true;
}

/* What a scope adds to a name; NULL: nothing. */
static const char *scope_name(Dwarf_Die *scope, const char *function)
{
    const char *name = text_of(scope, DW_AT_name);
    switch (dwarf_tag(scope)) {
    case DW_TAG_namespace:
        return name == NULL ? "(anonymous namespace)" : name;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        if (name == NULL)
            return strcmp(function, "operator()") == 0 ? "{lambda}" : "{unnamed}";
        return name;
    case DW_TAG_subprogram:
        return name == NULL && origin_follow(scope) ? text_of(scope, DW_AT_name) : name;
    default:
        return NULL;
    }
}

/* "outer::{class}::name" from the scopes that a function was written in. */
static char *name_qualify(struct an_libdw_names *names, Dwarf_Die *function, const char *name)
{
    Dwarf_Die unit;
    const char *part[MOST_SCOPES];
    uint32_t count = 0;
    size_t bytes = strlen(name) + 1;
    if (dwarf_diecu(function, &unit, NULL, NULL) == NULL)
        return an_memory_text(name);
    const struct an_libdw_scopes *scopes = scopes_of(names, &unit);
    for (uint32_t at = an_libdw_scope_around(scopes, function); at != 0 && count < MOST_SCOPES;
         at = an_libdw_scope_parent(scopes, at)) {
        Dwarf_Die scope = an_libdw_scope_entry(scopes, at);
        const char *text = scope_name(&scope, name);
        if (text == NULL)
            continue;
        bytes += strlen(text) + 2;
        if (bytes > LONGEST_NAME)
            return an_memory_text(name);
        part[count++] = text;
    }
    char *text = an_memory_array(bytes, 1), *to = text;
    while (count-- != 0)
        to = stpcpy(stpcpy(to, part[count]), "::");
    strcpy(to, name);
    return text;
}

static size_t made_place(const struct made_name *made, size_t room, const void *function)
{
    size_t at = (uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (room - 1);
    while (made[at].function != NULL && made[at].function != function)
        at = (at + 1) & (room - 1);
    return at;
}

static void made_grow(struct an_libdw_names *names)
{
    size_t room = names->made_room == 0 ? 64 : names->made_room * 2;
    struct made_name *made = an_memory_zeroed(room, sizeof(*made));
    for (size_t i = 0; i < names->made_room; i++) {
        const struct made_name *old = &names->made[i];
        if (old->function != NULL)
            made[made_place(made, room, old->function)] = *old;
    }
    free(names->made);
    names->made = made;
    names->made_room = room;
}

static const char *name_make(struct an_libdw_names *names, Dwarf_Die *function, const char *name)
{
    if (names->made_count * 2 >= names->made_room)
        made_grow(names);
    size_t at = made_place(names->made, names->made_room, function->addr);
    if (names->made[at].function == NULL) {
        names->made[at] = (struct made_name){function->addr, name_qualify(names, function, name)};
        names->made_count++;
    }
    return names->made[at].name;
}

/* Asked of the copy: units of parts that several share say nothing of a language. */
static bool language_has_scopes(const Dwarf_Die *function)
{
    Dwarf_Die entry = *function, unit;
    if (dwarf_diecu(&entry, &unit, NULL, NULL) == NULL)
        return false;
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case LANGUAGE_C_PLUS_PLUS_17:
    case LANGUAGE_C_PLUS_PLUS_20:
    case DW_LANG_Rust:
    case DW_LANG_D:
        return true;
    default:
        return false;
    }
}

const char *an_libdw_function_name(struct an_libdw_names *names, const Dwarf_Die *function)
{
    Dwarf_Die at = *function;
    const char *name = NULL;
    for (unsigned i = 0; i < MOST_REFERENCES; i++) {
        const char *linkage = text_of(&at, DW_AT_linkage_name);
        if (linkage == NULL)
            linkage = text_of(&at, DW_AT_MIPS_linkage_name);
        if (linkage != NULL)
            return linkage;
        if (name == NULL)
            name = text_of(&at, DW_AT_name);
        if (!origin_follow(&at))
            break;
    }
    if (name == NULL)
        return NULL;
    return language_has_scopes(function) ? name_make(names, &at, name) : name;
}
