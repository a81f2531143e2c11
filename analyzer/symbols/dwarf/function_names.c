/*
 * function_names.c -- the name of a function as DWARF has it.
 *
 * Compilers leave out the mangled name of what is never called by it, a lambda that is always
 * inlined for one: then the scopes that it was written in have to do. Entries do not tell what they
 * lie in, so the scopes of such a unit are listed once.
 */
#include "analyzer/symbols/dwarf/function_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/dwarf/constants.h"

#define MOST_REFERENCES 16u  /* from a copy to what it was copied from */
#define MOST_SCOPES     100u /* around a function */
#define LONGEST_NAME    (64u << 10)

/* An entry that others lie in. */
struct scope {
    uint64_t begin, end; /* in .debug_info; what lies between is inside */
    uint32_t parent;     /* number + 1; 0: the unit */
};

/* All scopes of one unit, by begin. */
struct scopes {
    const struct an_unit *unit;
    struct scope *scope;
    uint32_t count, room;
    struct scopes *next;
};

/* A name that was put together. */
struct made_name {
    const struct an_unit *unit; /* NULL: an empty place */
    uint64_t offset;
    char *name; /* owned */
};

struct an_function_names {
    struct scopes *scopes;
    struct made_name *made; /* open hash */
    size_t made_count, made_room;
};

struct an_function_names *an_function_names_new(void)
{
    return an_memory_zeroed(1, sizeof(struct an_function_names));
}

void an_function_names_free(struct an_function_names *names)
{
    if (names == NULL)
        return;
    for (size_t i = 0; i < names->made_room; i++)
        free(names->made[i].name);
    while (names->scopes != NULL) {
        struct scopes *scopes = names->scopes;
        names->scopes = scopes->next;
        free(scopes->scope);
        free(scopes);
    }
    free(names->made);
    free(names);
}

static uint32_t scope_add(struct scopes *scopes, uint64_t begin, uint32_t parent)
{
    if (scopes->count == scopes->room) {
        scopes->room = scopes->room == 0 ? 64 : scopes->room * 2;
        scopes->scope = an_memory_resize(scopes->scope, scopes->room, sizeof(*scopes->scope));
    }
    scopes->scope[scopes->count++] = (struct scope){begin, UINT64_MAX, parent};
    return scopes->count;
}

/* List the entries of a unit that have others inside. */
static struct scopes *scopes_read(struct an_unit *unit)
{
    struct scopes *scopes = an_memory_zeroed(1, sizeof(*scopes));
    struct an_entry entry;
    uint32_t inside = 0; /* number + 1 of the scope that is read */
    uint64_t offset = unit->first;
    scopes->unit = unit;
    while (an_entry_read(unit, offset, &entry)) {
        if (entry.tag != 0 && entry.has_children)
            inside = scope_add(scopes, entry.offset, inside);
        offset = entry.next;
        if (entry.tag != 0 || inside == 0)
            continue;
        scopes->scope[inside - 1].end = offset;
        inside = scopes->scope[inside - 1].parent;
    }
    return scopes;
}

static const struct scopes *scopes_of(struct an_function_names *names, struct an_unit *unit)
{
    for (struct scopes *scopes = names->scopes; scopes != NULL; scopes = scopes->next) {
        if (scopes->unit == unit)
            return scopes;
    }
    struct scopes *scopes = scopes_read(unit);
    scopes->next = names->scopes;
    names->scopes = scopes;
    return scopes;
}

/* The number + 1 of the innermost scope around an entry. */
static uint32_t scope_around(const struct scopes *scopes, uint64_t offset)
{
    uint32_t low = 0, high = scopes->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (scopes->scope[middle].begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    while (low != 0 && scopes->scope[low - 1].end <= offset)
        low = scopes->scope[low - 1].parent;
    return low;
}

/* What a scope adds to a name; NULL: nothing. */
static const char *scope_name(const struct an_entry *scope, const char *function)
{
    const char *name = an_entry_text(scope, AN_SLOT_NAME);
    struct an_entry origin;
    switch (scope->tag) {
    case DW_TAG_namespace:
        return name == NULL ? "(anonymous namespace)" : name;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        if (name == NULL)
            return strcmp(function, "operator()") == 0 ? "{lambda}" : "{unnamed}";
        return name;
    case DW_TAG_subprogram:
        if (name == NULL && (an_entry_follow(scope, AN_SLOT_ORIGIN, &origin) ||
                             an_entry_follow(scope, AN_SLOT_SPECIFICATION, &origin)))
            name = an_entry_text(&origin, AN_SLOT_NAME);
        return name;
    default:
        return NULL;
    }
}

/* "outer::{class}::name" from the scopes that a function was written in. */
static char *name_qualify(struct an_function_names *names, const struct an_entry *function,
                          const char *name)
{
    const struct scopes *scopes = scopes_of(names, function->unit);
    const char *part[MOST_SCOPES];
    uint32_t count = 0;
    size_t bytes = strlen(name) + 1;
    for (uint32_t at = scope_around(scopes, function->offset); at != 0 && count < MOST_SCOPES;
         at = scopes->scope[at - 1].parent) {
        struct an_entry scope;
        if (!an_entry_read(function->unit, scopes->scope[at - 1].begin, &scope))
            break;
        const char *text = scope_name(&scope, name);
        if (text == NULL)
            continue;
        bytes += strlen(text) + 2;
        if (bytes > LONGEST_NAME)
            break;
        part[count++] = text;
    }
    if (bytes > LONGEST_NAME)
        return an_memory_text(name);
    char *text = an_memory_array(bytes, 1), *to = text;
    while (count-- != 0)
        to = stpcpy(stpcpy(to, part[count]), "::");
    strcpy(to, name);
    return text;
}

static size_t made_place(const struct made_name *made, size_t room, const struct an_unit *unit,
                         uint64_t offset)
{
    uint64_t hash = ((uintptr_t)unit ^ offset) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = hash >> 32 & (room - 1);
    while (made[at].unit != NULL && (made[at].unit != unit || made[at].offset != offset))
        at = (at + 1) & (room - 1);
    return at;
}

static void made_grow(struct an_function_names *names)
{
    size_t room = names->made_room == 0 ? 64 : names->made_room * 2;
    struct made_name *made = an_memory_zeroed(room, sizeof(*made));
    for (size_t i = 0; i < names->made_room; i++) {
        const struct made_name *old = &names->made[i];
        if (old->unit != NULL)
            made[made_place(made, room, old->unit, old->offset)] = *old;
    }
    free(names->made);
    names->made = made;
    names->made_room = room;
}

static const char *name_make(struct an_function_names *names, const struct an_entry *function,
                             const char *name)
{
    if (names->made_count * 2 >= names->made_room)
        made_grow(names);
    size_t at = made_place(names->made, names->made_room, function->unit, function->offset);
    if (names->made[at].unit == NULL) {
        names->made[at] = (struct made_name){function->unit, function->offset,
                                             name_qualify(names, function, name)};
        names->made_count++;
    }
    return names->made[at].name;
}

static bool language_has_scopes(const struct an_unit *unit)
{
    switch (unit->language) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case DW_LANG_C_plus_plus_17:
    case DW_LANG_C_plus_plus_20:
    case DW_LANG_Rust:
    case DW_LANG_D:
        return true;
    default:
        return false;
    }
}

const char *an_function_name(struct an_function_names *names, const struct an_entry *entry)
{
    struct an_entry at = *entry, next;
    bool scopes = language_has_scopes(entry->unit);
    const char *name = NULL;
    for (unsigned i = 0; i < MOST_REFERENCES; i++) {
        const char *linkage = an_entry_text(&at, AN_SLOT_LINKAGE_NAME);
        if (linkage != NULL && linkage[0] != '\0')
            return linkage;
        if (name == NULL)
            name = an_entry_text(&at, AN_SLOT_NAME);
        if (!an_entry_follow(&at, AN_SLOT_ORIGIN, &next) &&
            !an_entry_follow(&at, AN_SLOT_SPECIFICATION, &next))
            break;
        at = next;
    }
    if (name == NULL || name[0] == '\0')
        return NULL;
    return scopes ? name_make(names, &at, name) : name;
}
