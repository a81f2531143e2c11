/*
 * edit.c -- what is to be changed in a source, as a list of places.
 */
#include "instrument/edit.h"

#include <stdlib.h>

#include "instrument/memory.h"

void in_edits_add(struct in_edits *edits, uint32_t at, uint32_t removed, const char *text)
{
    edits->list = in_memory_grow(edits->list, edits->count, &edits->room, sizeof(struct in_edit));
    edits->list[edits->count++] = (struct in_edit){at, removed, text};
}

void in_edits_release(struct in_edits *edits)
{
    free(edits->list);
    *edits = (struct in_edits){NULL, 0, 0};
}

static int edits_compare(const void *a, const void *b)
{
    const struct in_edit *left = a, *right = b;
    return left->at < right->at ? -1 : left->at > right->at;
}

void in_edits_sort(struct in_edits *edits)
{
    if (edits->count > 1)
        qsort(edits->list, edits->count, sizeof(struct in_edit), edits_compare);
}

void in_edits_write(const struct in_edits *edits, const char *text, uint32_t bytes, FILE *stream)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < edits->count; i++) {
        const struct in_edit *edit = &edits->list[i];
        fwrite(text + at, 1, edit->at - at, stream);
        fputs(edit->text, stream);
        at = edit->at + edit->removed;
    }
    fwrite(text + at, 1, bytes - at, stream);
}
