/*
 * lines.h -- the table that tells the source line of each instruction of a unit.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_DWARF_LINES_H
#define THAG_AN_DWARF_LINES_H

#include "analyzer/symbols/dwarf/unit.h"

struct an_lines {
    const struct an_dwarf *dwarf;
    struct an_bytes program;
    uint8_t address_bytes, offset_bytes;
    uint8_t instruction_bytes, line_range, opcode_base;
    int8_t line_base;
    uint8_t operands[256]; /* of each standard opcode */
    const char **file;     /* owned; NULL where there is no name */
    uint32_t file_count, file_room;
    uint32_t first_file; /* number of file[0]: 0 in DWARF 5, else 1 */
};

/* Instructions from LOW to HIGH are of LINE in FILE, by numbers of the table. */
typedef void an_lines_row(void *context, struct an_range range, uint64_t file, uint64_t line);

/* Read the head of a unit's table. Result: false if there is none; to be released in any case. */
bool an_lines_open(struct an_lines *lines, struct an_unit *unit);
void an_lines_release(struct an_lines *lines);

/* The name of a file as it was written down, with or without directory; NULL: unknown. */
const char *an_lines_file(const struct an_lines *lines, uint64_t number);

/* Tell all rows, in any order. Those of dropped code are left out. */
void an_lines_run(const struct an_lines *lines, an_lines_row *row, void *context);

#endif
