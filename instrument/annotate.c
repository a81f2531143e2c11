/*
 * annotate.c -- the edits that put the macros into a source, and those that take them out.
 */
#include "instrument/annotate.h"

#include "instrument/functions.h"
#include "instrument/include_line.h"

/* --- in --- */

/* Does an #include that is there serve all of the functions from FIRST to LAST? */
static bool annotate_has_include(const struct in_scan *scan, uint32_t first, uint32_t last)
{
    for (uint32_t i = 0; i < scan->include_count; i++) {
        if (scan->includes[i].start < first && scan->includes[i].branch_end >= last)
            return true;
    }
    return false;
}

static void annotate_functions(const struct in_scan *scan, const struct in_annotate_texts *texts,
                               struct in_edits *edits, struct in_annotate_counts *counts)
{
    for (uint32_t i = 0; i < scan->function_count; i++) {
        const struct in_function *function = &scan->functions[i];
        switch (in_functions_action(scan, function)) {
        case IN_ACTION_ANNOTATE:
            in_edits_add(edits, function->brace_end, 0, texts->profiled);
            break;
        case IN_ACTION_ENABLE:
            in_edits_add(edits, function->brace_end, 0, texts->enable);
            break;
        case IN_ACTION_ALREADY:
            counts->already++;
            break;
        case IN_ACTION_SKIP:
            counts->skipped++;
            break;
        case IN_ACTION_NONE:
            break;
        }
    }
    counts->functions = edits->count;
}

void in_annotate(const struct in_scan *scan, const struct in_annotate_texts *texts, uint32_t place,
                 bool possible, struct in_edits *ret_edits, struct in_annotate_counts *ret_counts)
{
    struct in_edits edits = {NULL, 0, 0};
    struct in_annotate_counts counts = {0, 0, 0, 0, false};
    annotate_functions(scan, texts, &edits, &counts);
    if (edits.count > 0 &&
        !annotate_has_include(scan, edits.list[0].at, edits.list[edits.count - 1].at)) {
        if (possible) {
            in_edits_add(&edits, place, 0, texts->include_line);
            in_edits_sort(&edits);
        } else {
            counts.functions = 0;
            counts.no_place = true;
            in_edits_release(&edits);
        }
    }
    *ret_edits = edits;
    *ret_counts = counts;
}

/* --- out --- */

/* Is the mark right behind its function's brace, or behind marks that are, as we write it? */
static bool annotate_is_ours(const struct in_scan *scan, const struct in_mark *mark,
                             const struct in_edits *edits)
{
    uint32_t behind = scan->functions[mark->function].brace_end;
    if (edits->count > 0) {
        const struct in_edit *last = &edits->list[edits->count - 1];
        if (last->at >= behind && last->at + last->removed == mark->start - 1)
            behind = mark->start - 1;
    }
    return mark->start == behind + 1 && scan->text[behind] == ' ';
}

/* Result: how many marks go. */
static uint32_t annotate_remove_marks(const struct in_scan *scan, struct in_edits *edits,
                                      struct in_annotate_counts *counts)
{
    uint32_t removed = 0, last_function = IN_NONE;
    for (uint32_t i = 0; i < scan->mark_count; i++) {
        const struct in_mark *mark = &scan->marks[i];
        uint32_t start = mark->start, end = mark->end;
        if (mark->function == IN_NONE || scan->functions[mark->function].dropped ||
            (scan->functions[mark->function].reasons & IN_REASON_FILTER))
            continue;
        if (annotate_is_ours(scan, mark, edits))
            start--;
        else if (!in_include_line_bounds(scan->text, scan->bytes, &start, &end))
            continue;
        in_edits_add(edits, start, end - start, "");
        counts->functions += mark->function != last_function;
        last_function = mark->function;
        removed++;
    }
    return removed;
}

/* Includes on a line of their own go if nothing is left that needs them. */
static void annotate_remove_includes(const struct in_scan *scan, struct in_edits *edits,
                                     uint32_t first_end)
{
    for (uint32_t i = 0; i < scan->include_count; i++) {
        uint32_t start, end;
        if (in_include_line_is_whole(scan, &scan->includes[i], &start, &end) && start >= first_end)
            in_edits_add(edits, start, end - start, "");
    }
}

void in_unannotate(const struct in_scan *scan, struct in_edits *ret_edits,
                   struct in_annotate_counts *ret_counts)
{
    struct in_edits edits = {NULL, 0, 0};
    struct in_annotate_counts counts = {0, 0, 0, 0, false};
    uint32_t removed = annotate_remove_marks(scan, &edits, &counts);
    struct in_include_line place = in_include_line_make(scan->text, scan->bytes, false);
    uint32_t ours = in_include_line_bytes(scan->text, scan->bytes);
    counts.left = scan->macro_words - removed;
    /* Where we put the line it goes in any case: we may have put it there. */
    if (ours > 0)
        in_edits_add(&edits, place.at, ours, "");
    if (counts.left == 0)
        annotate_remove_includes(scan, &edits, ours > 0 ? place.at + ours : 0);
    in_edits_sort(&edits);
    *ret_edits = edits;
    *ret_counts = counts;
}
