/*
 * reader.c -- the own reader of DWARF, for what libdw cannot read.
 *
 * A unit is walked once, with all addresses that lie in it.
 */
#include "analyzer/symbols/dwarf/reader.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"
#include "analyzer/support/task.h"
#include "analyzer/symbols/dwarf/constants.h"
#include "analyzer/symbols/dwarf/function_names.h"
#include "analyzer/symbols/dwarf/lines.h"
#include "analyzer/symbols/dwarf/split.h"
#include "analyzer/symbols/dwarf/unit_index.h"

struct an_dwarf_reader {
    struct an_dwarf *dwarf;
    struct an_dwarf *shared; /* owned; NULL: none */
    struct an_unit_index *index;
    struct an_split *split;
    struct an_function_names *names;
    struct an_ranges ranges; /* of the entry that is looked at */
    unsigned trouble;
    uint64_t visits;
};

/* The questions that lie in one unit, and how to walk it. */
struct visit {
    struct an_dwarf_reader *reader;
    struct an_unit *unit;
    struct an_inline_query **query; /* ascending */
    uint32_t count;
    bool lines;
    bool everywhere;              /* also below functions that hold none of the addresses */
    const struct an_lines *table; /* for the numbers of files; NULL: none */
};

struct an_dwarf_reader *an_dwarf_reader_new(const struct an_debug_source *source)
{
    struct an_dwarf_reader *reader = an_memory_zeroed(1, sizeof(*reader));
    reader->dwarf = an_dwarf_new(source->image, false, false);
    reader->index = an_unit_index_new(reader->dwarf);
    reader->split = an_split_new(source->places, source->module_path, source->image);
    reader->names = an_function_names_new();
    if (source->shared != NULL)
        reader->shared = an_dwarf_new(source->shared, false, false);
    else if (source->image->shared_link != NULL)
        reader->trouble |= AN_DWARF_SHARED;
    reader->dwarf->shared = reader->shared;
    return reader;
}

void an_dwarf_reader_free(struct an_dwarf_reader *reader)
{
    if (reader == NULL)
        return;
    an_function_names_free(reader->names);
    an_split_free(reader->split);
    an_unit_index_free(reader->index);
    an_dwarf_free(reader->dwarf);
    an_dwarf_free(reader->shared);
    free(reader->ranges.range);
    free(reader);
}

unsigned an_dwarf_reader_trouble(const struct an_dwarf_reader *reader)
{
    unsigned shared = reader->shared == NULL ? 0 : reader->shared->sections.trouble;
    return reader->trouble | reader->dwarf->sections.trouble | shared;
}

uint64_t an_dwarf_reader_visits(const struct an_dwarf_reader *reader)
{
    return reader->visits;
}

static uint32_t line_number(uint64_t line)
{
    return line > UINT32_MAX ? 0 : (uint32_t)line;
}

/* The frame so far innermost called the function that ENTRY is the inlined copy of. */
static void call_site_note(const struct visit *visit, struct an_inline_query *query,
                           const struct an_entry *entry)
{
    struct an_inline_frame *caller = &query->frame[query->frame_count - 1];
    caller->line = line_number(an_entry_number(entry, AN_SLOT_CALL_LINE));
    if (visit->table != NULL)
        caller->file = an_lines_file(visit->table, an_entry_number(entry, AN_SLOT_CALL_FILE));
}

/*
 * Enter a function or an inlined copy: all questions inside its code get a frame.
 * Result: whether there was any.
 */
static bool function_enter(const struct visit *visit, const struct an_entry *entry, bool inlined)
{
    struct an_ranges *ranges = &visit->reader->ranges;
    bool any = false;
    const char *name = NULL;
    an_entry_ranges(entry, ranges);
    for (uint32_t at = 0; at < ranges->count; at++) {
        for (uint32_t i = an_inline_query_first(visit->query, visit->count, ranges->range[at].low);
             i < visit->count && visit->query[i]->address < ranges->range[at].high; i++) {
            struct an_inline_query *query = visit->query[i];
            if (!any)
                name = an_function_name(visit->reader->names, entry);
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

static bool block_holds_any(const struct visit *visit, const struct an_entry *entry)
{
    struct an_ranges *ranges = &visit->reader->ranges;
    an_entry_ranges(entry, ranges);
    for (uint32_t at = 0; at < ranges->count; at++) {
        uint32_t first = an_inline_query_first(visit->query, visit->count, ranges->range[at].low);
        if (first < visit->count && visit->query[first]->address < ranges->range[at].high)
            return true;
    }
    return ranges->count == 0;
}

/* Whether to look at what lies below an entry; functions that hold an address are entered. */
static bool scope_enter(const struct visit *visit, const struct an_entry *entry)
{
    switch (entry->tag) {
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

/* Walk a list of entries that begins at OFFSET. Result: where it ends. */
static uint64_t scope_walk(const struct visit *visit, uint64_t offset, unsigned depth)
{
    struct an_entry entry;
    while (an_entry_read(visit->unit, offset, &entry)) {
        if (entry.tag == 0)
            return entry.next;
        if (scope_enter(visit, &entry) && entry.has_children && depth < AN_DEEPEST_SCOPE)
            offset = scope_walk(visit, entry.next, depth + 1);
        else
            offset = an_entry_behind(&entry);
    }
    return visit->unit->end;
}

static void on_row(void *context, struct an_range range, uint64_t file, uint64_t line)
{
    const struct visit *visit = context;
    uint32_t number = line_number(line);
    for (uint32_t i = an_inline_query_first(visit->query, visit->count, range.low);
         number != 0 && i < visit->count && visit->query[i]->address < range.high; i++) {
        struct an_inline_query *query = visit->query[i];
        if (query->frame_count == 0)
            an_inline_frame_push(query, NULL);
        struct an_inline_frame *innermost = &query->frame[query->frame_count - 1];
        innermost->line = number;
        innermost->file = an_lines_file(visit->table, file);
    }
}

/* Walk the unit again, everywhere, for the questions that have no frame yet. */
static void rest_answer(struct visit *visit, uint64_t begin)
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
        scope_walk(visit, begin, 0);
    }
    visit->query = all;
    visit->count = count;
    free(rest);
}

static void unit_answer(struct visit *visit)
{
    struct an_dwarf_reader *reader = visit->reader;
    struct an_unit *unit = visit->unit, *split = NULL;
    struct an_entry first;
    struct an_lines lines = {0}, split_lines = {0};
    reader->visits++;
    if (!an_unit_open(unit, NULL))
        return;
    /* Split DWARF: the unit in the program only tells where the real one is. */
    if (unit->dwo_name != NULL) {
        split = an_split_find(reader->split, unit);
        if (split == NULL)
            reader->trouble |= AN_DWARF_SPLIT;
        else
            visit->unit = split;
    }
    bool has_lines = visit->lines && an_lines_open(&lines, unit);
    bool has_split = visit->lines && split != NULL && an_lines_open(&split_lines, split);
    visit->table = has_split ? &split_lines : has_lines ? &lines : NULL;
    if (an_entry_read(visit->unit, visit->unit->first, &first) && first.has_children) {
        scope_walk(visit, first.next, 0);
        rest_answer(visit, first.next);
    }
    visit->table = &lines;
    if (has_lines)
        an_lines_run(&lines, on_row, visit);
    an_lines_release(&lines);
    an_lines_release(&split_lines);
}

struct located {
    struct an_unit *unit;
    struct an_inline_query *query;
};

static int located_order(const void *left, const void *right)
{
    const struct located *a = left, *b = right;
    if (a->unit->begin != b->unit->begin)
        return a->unit->begin < b->unit->begin ? -1 : 1;
    return (a->query->address > b->query->address) - (a->query->address < b->query->address);
}

void an_dwarf_reader_answer(struct an_dwarf_reader *reader, struct an_inline_query *query,
                            uint32_t count, bool lines, struct an_progress *progress)
{
    struct located *located = an_memory_array((size_t)count + 1, sizeof(*located));
    struct an_inline_query **of_unit = an_memory_array((size_t)count + 1, sizeof(*of_unit));
    uint32_t found = 0;
    an_dwarf_work_set(reader->dwarf);
    if (reader->shared != NULL)
        an_dwarf_work_set(reader->shared);
    for (uint32_t i = 0; i < count; i++) {
        struct an_unit *unit = an_unit_index_find(reader->index, query[i].address);
        if (unit != NULL)
            located[found++] = (struct located){unit, &query[i]};
    }
    qsort(located, found, sizeof(*located), located_order);
    for (uint32_t first = 0, next; first < found && an_task_is_wanted(); first = next) {
        for (next = first; next < found && located[next].unit == located[first].unit; next++)
            of_unit[next - first] = located[next].query;
        struct visit visit = {.reader = reader,
                              .unit = located[first].unit,
                              .query = of_unit,
                              .count = next - first,
                              .lines = lines};
        unit_answer(&visit);
        an_progress_more(progress, next - first);
    }
    free(of_unit);
    free(located);
}
