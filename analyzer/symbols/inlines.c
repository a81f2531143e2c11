/*
 * inlines.c -- what was inlined at an address, and the source lines, from DWARF.
 *
 * libdw's own dwarf_getscopes() answers for one address, visits the unit anew each time and follows
 * the innermost inlined function to where it was written, not to where it was called. Here a unit
 * is walked once, with all addresses that lie in it.
 */
#include "analyzer/symbols/inlines.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

/* Scopes nest this deep at most in what is read; compilers stay far below. */
#define DEEPEST_SCOPE 400u

/* Part of a unit's code, for files whose compiler wrote no .debug_aranges (clang). */
struct unit_range {
    uint64_t low, high;
    Dwarf_Off unit;
};

/* A name that DWARF does not have and that was put together. */
struct made_name {
    void *die;
    char *name; /* owned */
};

struct an_inlines {
    Dwarf *dwarf;
    struct made_name *made; /* open hash */
    size_t made_count, made_room;
    Dwarf_Aranges *table; /* NULL: none */
    bool ranges_known;
    struct unit_range *range;
    size_t range_count, range_room;
};

/* The questions that lie in one unit, and how to walk it. */
struct visit {
    struct an_inlines *inlines;
    struct an_inline_query **query; /* ascending */
    uint32_t count;
    bool lines;
    bool everywhere; /* also below functions that hold none of the addresses */
    Dwarf_Files *files;
    size_t file_count;
};

struct an_inlines *an_inlines_new(Dwarf *dwarf)
{
    struct an_inlines *inlines = an_memory_zeroed(1, sizeof(*inlines));
    inlines->dwarf = dwarf;
    if (dwarf_getaranges(dwarf, &inlines->table, NULL) != 0)
        inlines->table = NULL;
    return inlines;
}

void an_inlines_free(struct an_inlines *inlines)
{
    if (inlines == NULL)
        return;
    for (size_t i = 0; i < inlines->made_room; i++)
        free(inlines->made[i].name);
    free(inlines->made);
    free(inlines->range);
    free(inlines);
}

static void range_add(struct an_inlines *inlines, uint64_t low, uint64_t high, Dwarf_Off unit)
{
    if (high <= low)
        return;
    if (inlines->range_count == inlines->range_room) {
        inlines->range_room = inlines->range_room == 0 ? 64 : inlines->range_room * 2;
        inlines->range =
            an_memory_resize(inlines->range, inlines->range_room, sizeof(*inlines->range));
    }
    inlines->range[inlines->range_count++] = (struct unit_range){low, high, unit};
}

static int range_order(const void *left, const void *right)
{
    const struct unit_range *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

/* Read the code ranges of all units; only done when .debug_aranges has no answer. */
static void ranges_read(struct an_inlines *inlines)
{
    Dwarf_Off offset = 0, next = 0;
    size_t header_bytes = 0;
    inlines->ranges_known = true;
    while (dwarf_nextcu(inlines->dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0 &&
           next > offset) {
        Dwarf_Die unit;
        Dwarf_Addr base = 0, low = 0, high = 0;
        if (dwarf_offdie(inlines->dwarf, offset + header_bytes, &unit) != NULL) {
            for (ptrdiff_t at = 0; (at = dwarf_ranges(&unit, at, &base, &low, &high)) > 0;)
                range_add(inlines, low, high, offset + header_bytes);
        }
        offset = next;
    }
    if (inlines->range_count != 0)
        qsort(inlines->range, inlines->range_count, sizeof(*inlines->range), range_order);
}

static bool unit_find(struct an_inlines *inlines, uint64_t address, Dwarf_Die *ret_unit)
{
    Dwarf_Arange *arange =
        inlines->table == NULL ? NULL : dwarf_getarange_addr(inlines->table, address);
    Dwarf_Off unit = 0;
    if (arange != NULL && dwarf_getarangeinfo(arange, NULL, NULL, &unit) == 0 &&
        dwarf_offdie(inlines->dwarf, unit, ret_unit) != NULL)
        return true;
    if (!inlines->ranges_known)
        ranges_read(inlines);
    size_t low = 0, high = inlines->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (inlines->range[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low != 0 && address < inlines->range[low - 1].high &&
           dwarf_offdie(inlines->dwarf, inlines->range[low - 1].unit, ret_unit) != NULL;
}

static void made_grow(struct an_inlines *inlines)
{
    size_t room = inlines->made_room == 0 ? 64 : inlines->made_room * 2;
    struct made_name *made = an_memory_zeroed(room, sizeof(*made));
    for (size_t i = 0; i < inlines->made_room; i++) {
        if (inlines->made[i].die == NULL)
            continue;
        size_t at = (uintptr_t)inlines->made[i].die * 0x9e3779b97f4a7c15u >> 32 & (room - 1);
        while (made[at].die != NULL)
            at = (at + 1) & (room - 1);
        made[at] = inlines->made[i];
    }
    free(inlines->made);
    inlines->made = made;
    inlines->made_room = room;
}

/* "outer::{class}::name" from the scopes that a function was written in. */
static char *name_qualify(Dwarf_Die *function, const char *name)
{
    Dwarf_Die *scope = NULL;
    int count = dwarf_getscopes_die(function, &scope);
    size_t bytes = strlen(name) + 1;
    for (int i = 1; i < count; i++) {
        const char *part = dwarf_diename(&scope[i]);
        bytes += 2 + (part == NULL ? sizeof("(anonymous namespace)") : strlen(part));
    }
    char *text = an_memory_array(bytes, 1), *to = text;
    for (int i = count - 1; i >= 1; i--) {
        int tag = dwarf_tag(&scope[i]);
        const char *part = dwarf_diename(&scope[i]);
        if (tag != DW_TAG_namespace && tag != DW_TAG_class_type && tag != DW_TAG_structure_type &&
            tag != DW_TAG_union_type && tag != DW_TAG_subprogram)
            continue;
        if (part == NULL)
            part = tag == DW_TAG_namespace           ? "(anonymous namespace)"
                   : strcmp(name, "operator()") == 0 ? "{lambda}"
                                                     : "{unnamed}";
        to = stpcpy(stpcpy(to, part), "::");
    }
    strcpy(to, name);
    free(scope);
    return text;
}

static bool language_qualifies(Dwarf_Die *function)
{
    Dwarf_Die unit;
    int language = dwarf_srclang(dwarf_diecu(function, &unit, NULL, NULL));
    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14 ||
           language == DW_LANG_Rust || language == DW_LANG_D;
}

/*
 * Compilers leave out the linkage name of what is never called by it, a lambda that is always
 * inlined for one. To find the scopes around it costs a walk of its unit, so it is done once.
 */
static const char *name_make(struct an_inlines *inlines, Dwarf_Die *die, const char *name)
{
    Dwarf_Die origin = *die;
    Dwarf_Attribute attribute;
    static const unsigned links[] = {DW_AT_abstract_origin, DW_AT_specification};
    for (int i = 0; i < 2; i++) {
        if (dwarf_attr(&origin, links[i], &attribute) != NULL)
            dwarf_formref_die(&attribute, &origin);
    }
    if (!language_qualifies(&origin))
        return name;
    if (inlines->made_count * 2 >= inlines->made_room)
        made_grow(inlines);
    size_t mask = inlines->made_room - 1;
    size_t at = (uintptr_t)origin.addr * 0x9e3779b97f4a7c15u >> 32 & mask;
    while (inlines->made[at].die != NULL && inlines->made[at].die != origin.addr)
        at = (at + 1) & mask;
    if (inlines->made[at].die == NULL) {
        inlines->made[at] = (struct made_name){origin.addr, name_qualify(&origin, name)};
        inlines->made_count++;
    }
    return inlines->made[at].name;
}

static const char *function_name(struct an_inlines *inlines, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    static const unsigned linkage[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
    for (int i = 0; i < 2; i++) {
        const char *name = dwarf_formstring(dwarf_attr_integrate(die, linkage[i], &attribute));
        if (name != NULL && name[0] != '\0')
            return name;
    }
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
    return name == NULL || name[0] == '\0' ? NULL : name_make(inlines, die, name);
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) != 0 || value > UINT32_MAX)
        return 0;
    return (uint32_t)value;
}

static void frame_push(struct an_inline_query *query, const char *name)
{
    if (query->frame_count > DEEPEST_SCOPE)
        return;
    if ((query->frame_count & (query->frame_count + 1)) == 0)
        query->frame = an_memory_resize(query->frame, (size_t)query->frame_count * 2 + 2,
                                        sizeof(*query->frame));
    query->frame[query->frame_count++] = (struct an_inline_frame){.name = name};
}

/* The frame so far innermost called the function that DIE is the inlined copy of. */
static void call_site_note(const struct visit *visit, struct an_inline_query *query, Dwarf_Die *die)
{
    struct an_inline_frame *caller = &query->frame[query->frame_count - 1];
    uint32_t file = number_of(die, DW_AT_call_file);
    caller->line = number_of(die, DW_AT_call_line);
    if (visit->files != NULL && file < visit->file_count)
        caller->file = dwarf_filesrc(visit->files, file, NULL, NULL);
}

static uint32_t query_first(const struct visit *visit, uint64_t address)
{
    uint32_t low = 0, high = visit->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (visit->query[middle]->address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Enter a function or an inlined copy: all questions inside its code get a frame.
 * Result: whether there was any.
 */
static bool function_enter(const struct visit *visit, Dwarf_Die *die, bool inlined)
{
    Dwarf_Addr base = 0, low = 0, high = 0;
    bool any = false;
    const char *name = NULL;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;) {
        for (uint32_t i = query_first(visit, low);
             i < visit->count && visit->query[i]->address < high; i++) {
            struct an_inline_query *query = visit->query[i];
            if (!any)
                name = function_name(visit->inlines, die);
            any = true;
            if (!inlined)
                query->frame_count = 0; /* a function within a function is its own */
            else if (query->frame_count == 0)
                continue;
            else if (visit->lines)
                call_site_note(visit, query, die);
            frame_push(query, name);
        }
    }
    return any;
}

static bool block_holds_any(const struct visit *visit, Dwarf_Die *die)
{
    Dwarf_Addr base = 0, low = 0, high = 0;
    bool ranged = false;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;) {
        uint32_t first = query_first(visit, low);
        ranged = true;
        if (first < visit->count && visit->query[first]->address < high)
            return true;
    }
    return !ranged;
}

static void scope_walk(const struct visit *visit, Dwarf_Die *parent, unsigned depth);

static void scope_look(const struct visit *visit, Dwarf_Die *die, unsigned depth)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
        if (function_enter(visit, die, false) || visit->everywhere)
            scope_walk(visit, die, depth + 1);
        break;
    case DW_TAG_inlined_subroutine:
        if (function_enter(visit, die, true))
            scope_walk(visit, die, depth + 1);
        break;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        if (visit->everywhere || block_holds_any(visit, die))
            scope_walk(visit, die, depth + 1);
        break;
    case DW_TAG_namespace:
    case DW_TAG_module:
        scope_walk(visit, die, depth + 1);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        if (visit->everywhere)
            scope_walk(visit, die, depth + 1);
        break;
    default:
        break;
    }
}

static void scope_walk(const struct visit *visit, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die die, next;
    if (depth > DEEPEST_SCOPE || dwarf_haschildren(parent) <= 0 || dwarf_child(parent, &die) != 0)
        return;
    for (;;) {
        scope_look(visit, &die, depth);
        /* A damaged sibling reference may lead back. */
        if (dwarf_siblingof(&die, &next) != 0 || next.addr <= die.addr)
            return;
        die = next;
    }
}

static void lines_answer(const struct visit *visit, Dwarf_Die *unit)
{
    for (uint32_t i = 0; i < visit->count; i++) {
        struct an_inline_query *query = visit->query[i];
        Dwarf_Line *line = dwarf_getsrc_die(unit, query->address);
        int number = 0;
        if (line == NULL || dwarf_lineno(line, &number) != 0 || number <= 0)
            continue;
        if (query->frame_count == 0)
            frame_push(query, NULL);
        struct an_inline_frame *innermost = &query->frame[query->frame_count - 1];
        innermost->line = (uint32_t)number;
        innermost->file = dwarf_linesrc(line, NULL, NULL);
    }
}

static void unit_answer(struct visit *visit, Dwarf_Die *unit)
{
    Dwarf_Die split, whole;
    uint8_t kind = 0;
    Dwarf_Die *scopes = unit;
    /* Split DWARF: the unit in the program only tells where the real one is. */
    if (dwarf_cu_info(unit->cu, NULL, &kind, &whole, &split, NULL, NULL, NULL) == 0 &&
        kind == DW_UT_skeleton && split.addr != NULL)
        scopes = &split;
    if (visit->lines && dwarf_getsrcfiles(scopes, &visit->files, &visit->file_count) != 0)
        visit->files = NULL;
    visit->everywhere = false;
    scope_walk(visit, scopes, 0);
    struct an_inline_query **all = visit->query;
    uint32_t count = visit->count, left = 0;
    struct an_inline_query **rest = an_memory_array(count, sizeof(*rest));
    for (uint32_t i = 0; i < count; i++) {
        if (all[i]->frame_count == 0)
            rest[left++] = all[i];
    }
    if (left != 0) {
        visit->query = rest;
        visit->count = left;
        visit->everywhere = true;
        scope_walk(visit, scopes, 0);
    }
    visit->query = all;
    visit->count = count;
    free(rest);
    if (visit->lines)
        lines_answer(visit, unit);
}

struct located {
    Dwarf_Off unit;
    Dwarf_Die die;
    struct an_inline_query *query;
};

static int located_order(const void *left, const void *right)
{
    const struct located *a = left, *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return (a->query->address > b->query->address) - (a->query->address < b->query->address);
}

void an_inlines_answer(struct an_inlines *inlines, struct an_inline_query *query, uint32_t count,
                       bool lines)
{
    struct located *located = an_memory_array((size_t)count + 1, sizeof(*located));
    struct an_inline_query **of_unit = an_memory_array((size_t)count + 1, sizeof(*of_unit));
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!unit_find(inlines, query[i].address, &located[found].die))
            continue;
        located[found].unit = dwarf_dieoffset(&located[found].die);
        located[found++].query = &query[i];
    }
    qsort(located, found, sizeof(*located), located_order);
    for (uint32_t first = 0, next; first < found; first = next) {
        for (next = first; next < found && located[next].unit == located[first].unit; next++)
            of_unit[next - first] = located[next].query;
        struct visit visit = {
            .inlines = inlines, .query = of_unit, .count = next - first, .lines = lines};
        unit_answer(&visit, &located[first].die);
    }
    free(of_unit);
    free(located);
}
