/*
 * list.h -- the table of functions that --list prints. Context: tool.
 */
#ifndef THAG_IN_LIST_H
#define THAG_IN_LIST_H

#include <stdio.h>

#include "instrument/scan.h"

/* A position as people count: lines and columns (bytes) from 1. */
struct in_position {
    uint32_t at, line, line_start;
};

/* Go on from POSITION (zeroed at the start of a source) to the larger offset AT. */
void in_position_move(struct in_position *position, const char *text, uint32_t at);

/* One line a function of a settled scan: LINE:COLUMN, offset, name, action; tabs between. */
void in_list_write(const struct in_scan *scan, FILE *stream);

#endif
