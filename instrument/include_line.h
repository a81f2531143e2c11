/*
 * include_line.h -- where "#include <thag_profiler.h>" goes, and how it is written.
 *
 * It is the first line, so that no function stands before it; the header includes nothing and so
 * may come before whatever the source defines for its own headers. Only a byte-order mark, a line
 * with #! and C++'s "module;" must stay in front.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_INCLUDE_LINE_H
#define THAG_IN_INCLUDE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "instrument/scan.h"

struct in_include_line {
    bool possible; /* false: "module;" shares its line with other code */
    uint32_t at;   /* offset of the line that it goes before */
    char text[80]; /* with its end of line */
};

/*
 * Inputs:   KEEP_LINES: with a #line that keeps the numbers of the lines behind it.
 */
struct in_include_line in_include_line_make(const char *text, uint32_t bytes, bool keep_lines);

/* How many bytes at the place are such lines, each with its #line; 0: there is none. */
uint32_t in_include_line_bytes(const char *text, uint32_t bytes);

/*
 * Is this #include on a line of its own, so that the line can go?
 * RET_START, RET_END: the line with its end.
 */
bool in_include_line_is_whole(const struct in_scan *scan, const struct in_header_include *include,
                              uint32_t *ret_start, uint32_t *ret_end);

/* If nothing but blanks is around START to END on their lines: the lines with their end. */
bool in_include_line_bounds(const char *text, uint32_t bytes, uint32_t *start, uint32_t *end);

#endif
