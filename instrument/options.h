/*
 * options.h -- the command lines of thag_instrument and thag_uninstrument.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_OPTIONS_H
#define THAG_IN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "instrument/language.h"
#include "instrument/name_filter.h"

/* Exit statuses besides IN_EXIT_BAD_INPUT. */
#define IN_EXIT_FINE      0
#define IN_EXIT_DIFFERENT 1 /* --check: something would change; --strict: nothing was written */
#define IN_EXIT_USAGE     2

enum in_output {
    IN_OUTPUT_STREAM,   /* to standard output or -o */
    IN_OUTPUT_IN_PLACE, /* -i */
    IN_OUTPUT_DIFF,
    IN_OUTPUT_LIST,
    IN_OUTPUT_CHECK, /* nothing but the exit status */
};

struct in_options {
    const char *tool; /* its name */
    bool removes;     /* it is thag_uninstrument */
    char **files;     /* owned by argv */
    size_t file_count;
    enum in_output output;
    bool check;         /* the exit status says whether something would change */
    const char *suffix; /* of the copy that -i leaves; NULL: none */
    const char *path;   /* of -o */
    enum in_language language;
    bool keep_lines, strict, verbose, quiet;
    char flags[128]; /* of the macro, as in "time, mem_detail" */
    struct in_name_filter filter;
};

/*
 * Result:   -1: RET_OPTIONS is filled, ended by in_options_release(); else the exit status, after
 *           --help, --version, or a wrong word, of which stderr says what is wrong.
 */
int in_options_parse(int argc, char **argv, bool removes, struct in_options *ret_options);
void in_options_release(struct in_options *options);

#endif
