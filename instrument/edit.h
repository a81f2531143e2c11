/*
 * edit.h -- what is to be changed in a source, as a list of places.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_EDIT_H
#define THAG_IN_EDIT_H

#include <stdint.h>
#include <stdio.h>

/* At AT, REMOVED bytes go and TEXT comes. */
struct in_edit {
    uint32_t at, removed;
    const char *text; /* not owned; "" for nothing */
};

/* Always true: in the order of AT, and no two overlap. */
struct in_edits {
    struct in_edit *list;
    uint32_t count, room;
};

void in_edits_add(struct in_edits *edits, uint32_t at, uint32_t removed, const char *text);
void in_edits_release(struct in_edits *edits);

/* Put into order what was added in any. */
void in_edits_sort(struct in_edits *edits);

/* Write the source, changed. STREAM keeps its errors. */
void in_edits_write(const struct in_edits *edits, const char *text, uint32_t bytes, FILE *stream);

#endif
