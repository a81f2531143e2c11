/*
 * statistics.h -- a call tree as a table: one row per function, stack, file or module.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_STATISTICS_H
#define THAG_AN_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/model/tree.h"

/* AN_BY_PROCESS: a row per outermost frame, of a profile that was read by process. */
enum an_by { AN_BY_FUNCTION, AN_BY_STACK, AN_BY_FILE, AN_BY_MODULE, AN_BY_PROCESS };

/* By which column rows are sorted; equal ones by the next that differs, at last by their text. */
enum an_sort {
    AN_SORT_SELF,
    AN_SORT_TOTAL,
    AN_SORT_CALLS,
    AN_SORT_AVERAGE,
    AN_SORT_MIN,
    AN_SORT_MAX,
    AN_SORT_NAME,
};

struct an_statistics_row {
    uint32_t node;  /* AN_BY_STACK: the stack's last node */
    uint32_t name;  /* else: of KEYS, the text of the row */
    uint64_t self;  /* own amounts of all nodes of the row */
    uint64_t total; /* own and below; a node under another one of the row is not counted again */
    uint64_t calls; /* calls or allocations, whichever goes with the value */
    struct an_call_facts facts; /* of its calls, if HAS_FACTS */
    struct an_size_facts sizes; /* of its own allocations, if HAS_SIZES */
};

struct an_statistics {
    enum an_by by;
    enum an_value value;
    enum an_value calls_value; /* what CALLS counts; only if HAS_CALLS */
    bool has_calls;
    bool has_average; /* TOTAL or SELF per CALLS means something */
    bool has_facts;   /* single calls are known, and VALUE is their time */
    bool has_sizes;   /* single allocations are known, and VALUE is their bytes */
    bool has_self;    /* false for AN_INCLUSIVE: its amounts are totals */
    uint64_t whole;   /* what shares are shares of: the sum over the tree */
    struct an_names *keys;
    struct an_statistics_row *row;
    uint32_t row_count;
};

/* Rows without any amount and any call are left out. Freed by an_statistics_free(). */
struct an_statistics *an_statistics_new(const struct an_tree *tree, enum an_value value,
                                        enum an_by by);
void an_statistics_free(struct an_statistics *statistics);

/* Sort the rows: largest first, names upwards. TREE is the one that they were made from. */
void an_statistics_sort(struct an_statistics *statistics, const struct an_tree *tree,
                        enum an_sort sort);

/* "main;f;g", as tools for folded files take it. Freed by free(). */
char *an_stack_text(const struct an_tree *tree, uint32_t node, size_t *ret_bytes);

/* What a row is of, freed by free(). TREE is the one that the rows were made from. */
char *an_statistics_text(const struct an_statistics *statistics, const struct an_tree *tree,
                         const struct an_statistics_row *row, size_t *ret_bytes);

/* Of times TOTAL / CALLS, else SELF / CALLS, rounded to the nearest; 0 without calls. */
uint64_t an_statistics_average(const struct an_statistics *statistics,
                               const struct an_statistics_row *row);

/*
 * Is the row's own time below what the clock can tell? Then what the recorder cost was at least as
 * much as what is left, and the true time lies anywhere up to self + facts.cost.
 */
bool an_statistics_is_below(const struct an_statistics *statistics,
                            const struct an_statistics_row *row);

/* One call or one allocation of a row. */
struct an_statistics_single {
    uint64_t least, shortest; /* the least lies between these; equal: it is known exactly */
    uint64_t longest;
};

/*
 * What is known of the row's single calls, or of its own single allocations.
 * Result: false if nothing is, or not of all of them; RET_SINGLE is then untouched.
 */
bool an_statistics_single(const struct an_statistics *statistics,
                          const struct an_statistics_row *row,
                          struct an_statistics_single *ret_single);

/* False if NAME is none of "function", "stack", "file", "module", "process"; RET_BY is then
 * untouched. */
bool an_by_find(const char *name, enum an_by *ret_by);
const char *an_by_name(enum an_by by);

/* The same for "self", "total", "calls", "average", "min", "max", "name". */
bool an_sort_find(const char *name, enum an_sort *ret_sort);

/*
 * The file in a frame of the form "function (file.c:LINE)".
 * Result: its first byte in NAME, or NULL if the frame is not of this form.
 */
const char *an_frame_file(const char *name, size_t bytes, size_t *ret_bytes);

#endif
