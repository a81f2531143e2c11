/*
 * options.h -- every option of every command, parsed and explained by one table.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_OPTIONS_H
#define THAG_AN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/input/input.h"
#include "analyzer/model/filter.h"
#include "analyzer/model/order.h"
#include "analyzer/model/statistics.h"
#include "analyzer/output/palettes.h"

enum an_option {
    AN_OPTION_VALUE,
    AN_OPTION_UNIT,
    AN_OPTION_BY,
    AN_OPTION_SORT,
    AN_OPTION_TOP,
    AN_OPTION_DEPTH,
    AN_OPTION_ORDER,
    AN_OPTION_LINES,
    AN_OPTION_NO_LINES,
    AN_OPTION_NO_INLINE,
    AN_OPTION_RAW,
    AN_OPTION_THREAD,
    AN_OPTION_FACT,
    AN_OPTION_NO_FACT,
    AN_OPTION_INCLUDE,
    AN_OPTION_FOCUS,
    AN_OPTION_EXCLUDE,
    AN_OPTION_EXCLUDE_SELF,
    AN_OPTION_SHOW_FROM,
    AN_OPTION_HIDE,
    AN_OPTION_IGNORE_CASE,
    AN_OPTION_TO,
    AN_OPTION_FORMAT,
    AN_OPTION_OUTPUT,
    AN_OPTION_FORCE,
    AN_OPTION_DIRECTORY,
    AN_OPTION_PALETTE,
    AN_OPTION_OPEN,
    AN_OPTION_NO_OPEN,
    AN_OPTION_TITLE,
    AN_OPTION_CSP,
    AN_OPTION_WIDTH,
    AN_OPTION_NORMALIZE,
    AN_OPTION_FAIL_ABOVE,
    AN_OPTION_FAIL_ABOVE_BYTES,
    AN_OPTION_SUPPRESS,
    AN_OPTION_FOLLOW,
    AN_OPTION_EVERY,
    AN_OPTION_FAMILY,
    AN_OPTION_SYSROOT,
    AN_OPTION_DEBUG_DIR,
    AN_OPTION_DEBUGINFOD,
    AN_OPTION_NO_DEMANGLE,
    AN_OPTION_ALL_INLINES,
    AN_OPTION_CUT_HASHES,
    AN_OPTION_SHORT_NAMES,
    AN_OPTION_TYPE,
    AN_OPTION_DETAIL,
    AN_OPTION_ONLY,
    AN_OPTION_EXCEPT,
    AN_OPTION_SET,
    AN_OPTION_HELP,
    AN_OPTION_COUNT,
};

/* A set of options. */
#define AN_OPTION_BIT(name) (UINT64_C(1) << AN_OPTION_##name)

/* Which stacks, and how their frames read. */
#define AN_OPTIONS_STACKS                                                                          \
    (AN_OPTION_BIT(LINES) | AN_OPTION_BIT(NO_LINES) | AN_OPTION_BIT(NO_INLINE) |                   \
     AN_OPTION_BIT(THREAD) | AN_OPTION_BIT(FACT) | AN_OPTION_BIT(NO_FACT) |                        \
     AN_OPTION_BIT(INCLUDE) | AN_OPTION_BIT(FOCUS) | AN_OPTION_BIT(EXCLUDE) |                      \
     AN_OPTION_BIT(EXCLUDE_SELF) | AN_OPTION_BIT(SHOW_FROM) | AN_OPTION_BIT(HIDE) |                \
     AN_OPTION_BIT(IGNORE_CASE) | AN_OPTION_BIT(SYSROOT) | AN_OPTION_BIT(DEBUG_DIR) |              \
     AN_OPTION_BIT(DEBUGINFOD) | AN_OPTION_BIT(HELP))
/* What every command takes that reads a profile. */
#define AN_OPTIONS_READ                                                                            \
    (AN_OPTIONS_STACKS | AN_OPTION_BIT(VALUE) | AN_OPTION_BIT(UNIT) | AN_OPTION_BIT(RAW))
/* What every command takes that writes something. */
#define AN_OPTIONS_WRITE (AN_OPTION_BIT(OUTPUT) | AN_OPTION_BIT(FORCE))
/* What only tells how something is shown: where nothing is shown so, it asks for nothing. */
#define AN_OPTIONS_SHOW                                                                            \
    (AN_OPTION_BIT(ORDER) | AN_OPTION_BIT(TOP) | AN_OPTION_BIT(BY) | AN_OPTION_BIT(PALETTE) |      \
     AN_OPTION_BIT(TITLE) | AN_OPTION_BIT(OPEN) | AN_OPTION_BIT(NO_OPEN))
/* Scripts give all commands that read the same options: each accepts what the others take. */
#define AN_OPTIONS_COMMON                                                                          \
    (AN_OPTIONS_READ | AN_OPTIONS_WRITE | AN_OPTIONS_SHOW | AN_OPTION_BIT(FORMAT))

enum an_format { AN_FORMAT_TEXT, AN_FORMAT_CSV, AN_FORMAT_JSON, AN_FORMAT_HTML, AN_FORMAT_SVG };

enum an_width { AN_WIDTH_MAX, AN_WIDTH_AFTER, AN_WIDTH_BEFORE };

enum an_target {
    AN_TARGET_FOLDED,
    AN_TARGET_JSON,
    AN_TARGET_CSV,
    AN_TARGET_SPEEDSCOPE,
    AN_TARGET_CHROME,
    AN_TARGET_PPROF,
};

struct an_options {
    uint64_t given; /* the options that the user wrote */
    char **files;   /* owned by argv */
    size_t file_count;

    struct an_input_options input;
    struct an_filter *filter;
    unsigned keep_facts, drop_facts; /* of enum an_fact, in the filter as well */
    enum an_value value;
    enum an_by by;
    enum an_sort sort;
    enum an_order_by order;
    enum an_format format;
    enum an_target to;
    enum an_width width;
    enum an_palette palette;
    uint64_t top; /* rows; 0: all */
    uint64_t depth;
    uint64_t fail_above_permille;
    uint64_t fail_above_bytes;
    const char *output; /* a file, or of AN_OPTION_DIRECTORY a directory */
    const char *title;
    const char *suppress;
    bool force;
    bool open;
    bool normalize;
    bool follow;
    uint64_t every_ns; /* between two rounds of --follow */
    bool family;
    const char *type;  /* of recording; NULL: not given */
    bool detail;       /* record every event */
    const char **keys; /* "KEY=VALUE" as given, checked; released with the options */
    size_t key_count;
};

struct an_command {
    const char *name;
    const char *operands; /* as in "FILE..." */
    const char *operand;  /* what one of them is; NULL: "file" */
    const char *summary;  /* a line without a full stop */
    uint64_t options;     /* AN_OPTION_BIT() of all it takes */
    uint64_t ignores;     /* and of those that it only accepts, beside its own */
    /* Result: the exit status. */
    int (*run)(const struct an_options *options);
    unsigned files_min, files_max;
    /* Operands are a command line of their own: words behind the first are no options of ours. */
    bool runs_operands;
};

/* True if the user wrote the option. */
static inline bool an_options_given(const struct an_options *options, enum an_option option)
{
    return options->given >> option & 1;
}

/*
 * Parse the words behind a command's name.
 *
 * Inputs:   ARGV[0] is the command's name.
 * Result:   -1: RET_OPTIONS is filled, run the command, then an_options_release(); else the exit
 *           status: 0 after --help, 2 after a wrong word, of which stderr says what is wrong.
 */
int an_options_parse(const struct an_command *command, int argc, char **argv,
                     struct an_options *ret_options);
void an_options_release(struct an_options *options);

/* Print what --help prints. */
void an_options_print_help(const struct an_command *command);

#endif
