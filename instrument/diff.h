/*
 * diff.h -- the edits of a source as a unified diff.
 *
 * The edits say what changes; no two texts are compared.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_DIFF_H
#define THAG_IN_DIFF_H

#include <stdint.h>
#include <stdio.h>

#include "instrument/edit.h"

/* Nothing if there are no edits. NAME stands in the head, for patch -p0. */
void in_diff_write(const char *name, const struct in_edits *edits, const char *text, uint32_t bytes,
                   FILE *stream);

#endif
