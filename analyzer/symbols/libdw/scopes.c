/*
 * scopes.c -- what an entry of DWARF lies in.
 */
#include "analyzer/symbols/libdw/scopes.h"

#include <stdlib.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/inline_query.h"

struct scope {
    Dwarf_Die entry;
    const void *end; /* what lies before it is inside; NULL: as of the parent */
    uint32_t parent;
};

struct an_libdw_scopes {
    struct scope *scope; /* by entry; the unit is the first */
    uint32_t count, room;
};

static uint32_t scope_add(struct an_libdw_scopes *scopes, const Dwarf_Die *entry, uint32_t parent)
{
    if (scopes->count == scopes->room) {
        scopes->room = scopes->room == 0 ? 64 : scopes->room * 2;
        scopes->scope = an_memory_resize(scopes->scope, scopes->room, sizeof(*scopes->scope));
    }
    scopes->scope[scopes->count] = (struct scope){.entry = *entry, .parent = parent};
    return scopes->count++;
}

/*
 * The entry behind ENTRY and all inside it, if it lies behind LAST, the last that was looked at: a
 * damaged reference may lead back.
 */
static bool sibling_find(Dwarf_Die *entry, const void *last, Dwarf_Die *ret_next)
{
    return dwarf_siblingof(entry, ret_next) == 0 &&
           (const char *)ret_next->addr > (const char *)last;
}

static void scopes_read(struct an_libdw_scopes *scopes, const Dwarf_Die *unit)
{
    Dwarf_Die at = *unit, next;
    uint32_t inside[AN_DEEPEST_SCOPE], depth = 0;
    for (;;) {
        const void *last = at.addr;
        if (depth < AN_DEEPEST_SCOPE && dwarf_haschildren(&at) > 0) {
            inside[depth] = scope_add(scopes, &at, depth == 0 ? 0 : inside[depth - 1]);
            depth++;
            if (dwarf_child(&at, &next) == 0 && (const char *)next.addr > (const char *)last) {
                at = next;
                continue;
            }
            at = scopes->scope[inside[depth - 1]].entry;
        }
        uint32_t open = depth;
        while (depth != 0 && !sibling_find(&at, last, &next))
            at = scopes->scope[inside[--depth]].entry;
        if (depth == 0)
            return;
        for (uint32_t i = depth; i < open; i++)
            scopes->scope[inside[i]].end = next.addr;
        at = next;
    }
}

struct an_libdw_scopes *an_libdw_scopes_new(const Dwarf_Die *unit)
{
    struct an_libdw_scopes *scopes = an_memory_zeroed(1, sizeof(*scopes));
    scopes_read(scopes, unit);
    if (scopes->count == 0)
        scope_add(scopes, unit, 0);
    for (uint32_t i = 1; i < scopes->count; i++) {
        if (scopes->scope[i].end == NULL)
            scopes->scope[i].end = scopes->scope[scopes->scope[i].parent].end;
    }
    return scopes;
}

void an_libdw_scopes_free(struct an_libdw_scopes *scopes)
{
    if (scopes == NULL)
        return;
    free(scopes->scope);
    free(scopes);
}

uint32_t an_libdw_scope_around(const struct an_libdw_scopes *scopes, const Dwarf_Die *entry)
{
    const char *wanted = entry->addr;
    uint32_t low = 0, high = scopes->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((const char *)scopes->scope[middle].entry.addr < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t around = low == 0 ? 0 : low - 1;
    while (around != 0 && scopes->scope[around].end != NULL &&
           (const char *)scopes->scope[around].end <= wanted)
        around = scopes->scope[around].parent;
    return around;
}

uint32_t an_libdw_scope_parent(const struct an_libdw_scopes *scopes, uint32_t scope)
{
    return scopes->scope[scope].parent;
}

Dwarf_Die an_libdw_scope_entry(const struct an_libdw_scopes *scopes, uint32_t scope)
{
    return scopes->scope[scope].entry;
}
