/*
 * diff.c -- the edits of a source as a unified diff.
 */
#include "instrument/diff.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/trivia.h"

#define CONTEXT 3

/* Whole lines that are replaced by others: START to END, by the edits FIRST up to LAST. */
struct diff_change {
    uint32_t start, end;
    uint32_t first, last;
};

struct diff_writer {
    const struct in_edits *edits;
    const char *text;
    uint32_t bytes;
    FILE *stream;
    uint32_t edit;     /* the next one */
    uint32_t at, line; /* the next line that is in no hunk, and its number from 1 */
    int64_t grown;     /* lines more than there were, so far */
    /* The hunk that is being made. */
    FILE *hunk;
    uint32_t old_lines, new_lines;
};

static uint32_t diff_line_start(const struct diff_writer *writer, uint32_t at)
{
    const char *newline = memrchr(writer->text, '\n', at);
    return newline ? (uint32_t)(newline + 1 - writer->text) : 0;
}

/* Does the edit add whole lines before a line, or take whole lines away? */
static bool diff_is_of_lines(const struct diff_writer *writer, const struct in_edit *edit)
{
    size_t length = strlen(edit->text);
    if (diff_line_start(writer, edit->at) != edit->at)
        return false;
    if (edit->removed == 0)
        return length > 0 && edit->text[length - 1] == '\n';
    return length == 0 && writer->text[edit->at + edit->removed - 1] == '\n';
}

/* The change that the next edit is part of, with all edits of the same lines. */
static struct diff_change diff_next_change(const struct diff_writer *writer)
{
    struct diff_change change = {0, 0, writer->edit, writer->edit};
    for (; change.last < writer->edits->count; change.last++) {
        const struct in_edit *edit = &writer->edits->list[change.last];
        bool of_lines = diff_is_of_lines(writer, edit);
        bool first = change.last == change.first;
        if (!first && (edit->at >= change.end || of_lines))
            break;
        if (first)
            change.start = diff_line_start(writer, edit->at);
        change.end = edit->at + edit->removed;
        if (!of_lines)
            change.end = in_trivia_next_line(writer->text, writer->bytes, change.end);
        else if (first)
            return (struct diff_change){change.start, change.end, change.first, change.last + 1};
    }
    return change;
}

/* Lines of the hunk, each behind PREFIX. */
static void diff_put_lines(struct diff_writer *writer, char prefix, const char *text, size_t bytes)
{
    uint32_t lines = 0;
    while (bytes > 0) {
        const char *newline = memchr(text, '\n', bytes);
        size_t length = newline ? (size_t)(newline + 1 - text) : bytes;
        fputc(prefix, writer->hunk);
        fwrite(text, 1, length, writer->hunk);
        if (!newline)
            fputs("\n\\ No newline at end of file\n", writer->hunk);
        text += length;
        bytes -= length;
        lines++;
    }
    writer->old_lines += prefix != '+' ? lines : 0;
    writer->new_lines += prefix != '-' ? lines : 0;
}

static void diff_put_change(struct diff_writer *writer, const struct diff_change *change)
{
    char *changed = NULL;
    size_t bytes = 0;
    uint32_t at = change->start;
    FILE *stream = open_memstream(&changed, &bytes);
    for (uint32_t i = change->first; i < change->last; i++) {
        const struct in_edit *edit = &writer->edits->list[i];
        fwrite(writer->text + at, 1, edit->at - at, stream);
        fputs(edit->text, stream);
        at = edit->at + edit->removed;
    }
    fwrite(writer->text + at, 1, change->end - at, stream);
    fclose(stream);
    diff_put_lines(writer, '-', writer->text + change->start, change->end - change->start);
    diff_put_lines(writer, '+', changed, bytes);
    free(changed);
    writer->edit = change->last;
}

/* The start of the line that is COUNT lines before the line at AT, not before LIMIT. */
static uint32_t diff_back(const struct diff_writer *writer, uint32_t at, unsigned count,
                          uint32_t limit)
{
    while (count-- > 0 && at > limit)
        at = diff_line_start(writer, at - 1);
    return at;
}

static uint32_t diff_forward(const struct diff_writer *writer, uint32_t at, unsigned count)
{
    while (count-- > 0 && at < writer->bytes)
        at = in_trivia_next_line(writer->text, writer->bytes, at);
    return at;
}

/* Everything from START on until more than twice the context lies between two changes. */
static uint32_t diff_fill_hunk(struct diff_writer *writer, uint32_t start,
                               struct diff_change change)
{
    diff_put_lines(writer, ' ', writer->text + start, change.start - start);
    for (;;) {
        diff_put_change(writer, &change);
        uint32_t behind = change.end;
        if (writer->edit < writer->edits->count) {
            change = diff_next_change(writer);
            if (diff_forward(writer, behind, 2 * CONTEXT) >= change.start) {
                diff_put_lines(writer, ' ', writer->text + behind, change.start - behind);
                continue;
            }
        }
        uint32_t end = diff_forward(writer, behind, CONTEXT);
        diff_put_lines(writer, ' ', writer->text + behind, end - behind);
        return end;
    }
}

static void diff_write_hunk(struct diff_writer *writer)
{
    char *body = NULL;
    size_t body_bytes = 0;
    struct diff_change change = diff_next_change(writer);
    uint32_t start = diff_back(writer, change.start, CONTEXT, writer->at);
    for (; writer->at < start; writer->line++)
        writer->at = in_trivia_next_line(writer->text, writer->bytes, writer->at);
    writer->old_lines = writer->new_lines = 0;
    writer->hunk = open_memstream(&body, &body_bytes);
    writer->at = diff_fill_hunk(writer, start, change);
    fclose(writer->hunk);
    /* Of no lines at all the number is that of the line before. */
    fprintf(writer->stream, "@@ -%u,%u +%lld,%u @@\n", writer->line - (writer->old_lines == 0),
            writer->old_lines, (long long)writer->line + writer->grown - (writer->new_lines == 0),
            writer->new_lines);
    fwrite(body, 1, body_bytes, writer->stream);
    free(body);
    writer->line += writer->old_lines;
    writer->grown += (int64_t)writer->new_lines - writer->old_lines;
}

void in_diff_write(const char *name, const struct in_edits *edits, const char *text, uint32_t bytes,
                   FILE *stream)
{
    struct diff_writer writer = {
        .edits = edits, .text = text, .bytes = bytes, .stream = stream, .line = 1};
    if (edits->count > 0)
        fprintf(stream, "--- %s\n+++ %s\n", name, name);
    while (writer.edit < edits->count)
        diff_write_hunk(&writer);
}
