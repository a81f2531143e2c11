/*
 * reader.c -- answers from DWARF with libdw.
 *
 * libdw's own dwarf_getscopes() answers for one address, visits the unit anew each time and follows
 * the innermost inlined function to where it was written, not to where it was called. Here a unit
 * is walked once, with all addresses that lie in it.
 */
#include "analyzer/symbols/libdw/reader.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "analyzer/support/memory.h"
#include "analyzer/support/task.h"
#include "analyzer/symbols/libdw/function_names.h"
#include "analyzer/symbols/libdw/units.h"

struct an_libdw_reader {
    Dwarf *dwarf;
    Dwarf *shared; /* NULL: none */
    uint64_t lowest_code;
    uint64_t
        most_ranges; /* that a visit may read: entries of a damaged file may share a long list */
    struct an_libdw_units *units;
    struct an_libdw_names *names;
    uint64_t visits;
};

/* The questions that lie in one unit, and how to walk it. */
struct visit {
    struct an_libdw_reader *reader;
    struct an_inline_query **query; /* ascending */
    uint32_t count;
    bool lines;
    bool everywhere; /* also below functions that hold none of the addresses */
    Dwarf_Files *files;
    size_t file_count;
    const void *last; /* entry that was looked at; a damaged reference may lead back */
    uint64_t ranges_left;
};

/* The ranges of an entry, one after the other. */
struct span {
    Dwarf_Die *entry;
    ptrdiff_t at;
    Dwarf_Addr base, low, high;
};

struct an_libdw_reader *an_libdw_reader_new(const struct an_debug_source *source)
{
    struct an_libdw_reader *reader = an_memory_zeroed(1, sizeof(*reader));
    size_t bytes = 0;
    elf_rawfile(source->image->elf, &bytes);
    reader->most_ranges = (UINT64_C(1) << 20) + bytes + source->image->packed_dwarf_bytes;
    reader->lowest_code = an_elf_image_lowest_code(source->image);
    reader->names = an_libdw_names_new();
    reader->dwarf = dwarf_begin_elf(source->image->elf, DWARF_C_READ, NULL);
    /* libdw itself would only look on this machine, and take any file of that name. */
    if (reader->dwarf != NULL && source->shared != NULL) {
        reader->shared = dwarf_begin_elf(source->shared->elf, DWARF_C_READ, NULL);
        dwarf_setalt(reader->dwarf, reader->shared);
    }
    if (reader->dwarf != NULL && (source->shared == NULL || reader->shared != NULL))
        reader->units = an_libdw_units_new(reader->dwarf, reader->lowest_code);
    if (reader->units != NULL)
        return reader;
    an_libdw_reader_free(reader);
    return NULL;
}

void an_libdw_reader_free(struct an_libdw_reader *reader)
{
    if (reader == NULL)
        return;
    an_libdw_units_free(reader->units);
    an_libdw_names_free(reader->names);
    if (reader->dwarf != NULL)
        dwarf_end(reader->dwarf);
    if (reader->shared != NULL)
        dwarf_end(reader->shared);
    free(reader);
}

uint64_t an_libdw_reader_visits(const struct an_libdw_reader *reader)
{
    return reader->visits;
}

static bool span_next(struct visit *visit, struct span *span)
{
    while (visit->ranges_left != 0 && (span->at = dwarf_ranges(span->entry, span->at, &span->base,
                                                               &span->low, &span->high)) > 0) {
        visit->ranges_left--;
        if (span->low < span->high && span->low >= visit->reader->lowest_code)
            return true;
    }
    return false;
}

static uint32_t number_of(Dwarf_Die *entry, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_formudata(dwarf_attr(entry, name, &attribute), &value) != 0 || value > UINT32_MAX)
        return 0;
    return (uint32_t)value;
}

/* The frame so far innermost called the function that ENTRY is the inlined copy of. */
static void call_site_note(const struct visit *visit, struct an_inline_query *query,
                           Dwarf_Die *entry)
{
    struct an_inline_frame *caller = &query->frame[query->frame_count - 1];
    uint32_t file = number_of(entry, DW_AT_call_file);
    caller->line = number_of(entry, DW_AT_call_line);
    if (visit->files != NULL && file < visit->file_count)
        caller->file = dwarf_filesrc(visit->files, file, NULL, NULL);
}

/*
 * Enter a function or an inlined copy: all questions inside its code get a frame.
 * Result: whether there was any.
 */
static bool function_enter(struct visit *visit, Dwarf_Die *entry, bool inlined)
{
    struct span span = {.entry = entry};
    bool any = false;
    const char *name = NULL;
    while (span_next(visit, &span)) {
        for (uint32_t i = an_inline_query_first(visit->query, visit->count, span.low);
             i < visit->count && visit->query[i]->address < span.high; i++) {
            struct an_inline_query *query = visit->query[i];
            if (!any)
                name = an_libdw_function_name(visit->reader->names, entry);
            any = true;
            if (!inlined)
                query->frame_count = 0; /* a function within a function is its own */
            else if (query->frame_count == 0)
                continue;
            else if (visit->lines)
                call_site_note(visit, query, entry);
            an_inline_frame_push(query, name);
        }
    }
    return any;
}

static bool block_holds_any(struct visit *visit, Dwarf_Die *entry)
{
    struct span span = {.entry = entry};
    bool ranged = false;
    while (span_next(visit, &span)) {
        uint32_t first = an_inline_query_first(visit->query, visit->count, span.low);
        ranged = true;
        if (first < visit->count && visit->query[first]->address < span.high)
            return true;
    }
    return !ranged;
}

/* Whether to look at what lies below an entry; functions that hold an address are entered. */
static bool scope_enter(struct visit *visit, Dwarf_Die *entry)
{
    switch (dwarf_tag(entry)) {
    case DW_TAG_subprogram:
        return function_enter(visit, entry, false) || visit->everywhere;
    case DW_TAG_inlined_subroutine:
        return function_enter(visit, entry, true);
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        return visit->everywhere || block_holds_any(visit, entry);
    case DW_TAG_namespace:
    case DW_TAG_module:
        return true;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        return visit->everywhere;
    default:
        return false;
    }
}

static void scope_walk(struct visit *visit, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die entry, next;
    if (depth > AN_DEEPEST_SCOPE || dwarf_haschildren(parent) <= 0 ||
        dwarf_child(parent, &entry) != 0)
        return;
    while ((const char *)entry.addr > (const char *)visit->last) {
        visit->last = entry.addr;
        if (scope_enter(visit, &entry))
            scope_walk(visit, &entry, depth + 1);
        if (dwarf_siblingof(&entry, &next) != 0)
            return;
        entry = next;
    }
}

static void unit_walk(struct visit *visit, Dwarf_Die *unit)
{
    visit->last = unit->addr;
    visit->ranges_left = visit->reader->most_ranges;
    scope_walk(visit, unit, 0);
}

/* Walk the unit again, everywhere, for the questions that have no frame yet. */
static void rest_answer(struct visit *visit, Dwarf_Die *unit)
{
    struct an_inline_query **all = visit->query;
    uint32_t count = visit->count, left = 0;
    struct an_inline_query **rest = an_memory_array((size_t)count + 1, sizeof(*rest));
    for (uint32_t i = 0; i < count; i++) {
        if (all[i]->frame_count == 0)
            rest[left++] = all[i];
    }
    if (left != 0) {
        visit->query = rest;
        visit->count = left;
        visit->everywhere = true;
        unit_walk(visit, unit);
    }
    visit->query = all;
    visit->count = count;
    free(rest);
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
            an_inline_frame_push(query, NULL);
        struct an_inline_frame *innermost = &query->frame[query->frame_count - 1];
        innermost->line = (uint32_t)number;
        innermost->file = dwarf_linesrc(line, NULL, NULL);
    }
}

static void unit_answer(struct visit *visit, Dwarf_Die *unit)
{
    Dwarf_Die split = {0};
    uint8_t kind = 0;
    Dwarf_Die *scopes = unit;
    visit->reader->visits++;
    /* Split DWARF: the unit in the program only tells where the real one is. */
    if (dwarf_cu_info(unit->cu, NULL, &kind, NULL, &split, NULL, NULL, NULL) == 0 &&
        kind == DW_UT_skeleton && split.addr != NULL)
        scopes = &split;
    if (visit->lines && dwarf_getsrcfiles(scopes, &visit->files, &visit->file_count) != 0)
        visit->files = NULL;
    unit_walk(visit, scopes);
    rest_answer(visit, scopes);
    if (visit->lines)
        lines_answer(visit, unit);
}

struct located {
    Dwarf_Die *unit;
    struct an_inline_query *query;
};

static int located_order(const void *left, const void *right)
{
    const struct located *a = left, *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return (a->query->address > b->query->address) - (a->query->address < b->query->address);
}

void an_libdw_reader_answer(struct an_libdw_reader *reader, struct an_inline_query *query,
                            uint32_t count, bool lines, struct an_progress *progress)
{
    struct located *located = an_memory_array((size_t)count + 1, sizeof(*located));
    struct an_inline_query **of_unit = an_memory_array((size_t)count + 1, sizeof(*of_unit));
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        Dwarf_Die *unit = an_libdw_units_find(reader->units, query[i].address);
        if (unit != NULL)
            located[found++] = (struct located){unit, &query[i]};
    }
    qsort(located, found, sizeof(*located), located_order);
    for (uint32_t first = 0, next; first < found && an_task_is_wanted(); first = next) {
        for (next = first; next < found && located[next].unit == located[first].unit; next++)
            of_unit[next - first] = located[next].query;
        struct visit visit = {
            .reader = reader, .query = of_unit, .count = next - first, .lines = lines};
        unit_answer(&visit, located[first].unit);
        an_progress_more(progress, next - first);
    }
    free(of_unit);
    free(located);
}
