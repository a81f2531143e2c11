/*
 * include_line.c -- where "#include <thag_profiler.h>" goes, and how it is written.
 */
#include "instrument/include_line.h"

#include <stdio.h>
#include <string.h>

#include "instrument/lexer.h"
#include "instrument/trivia.h"

#define INCLUDE "#include <thag_profiler.h>"

/* --- places --- */

static const char *include_line_end(const char *text, uint32_t bytes)
{
    const char *newline = memchr(text, '\n', bytes);
    return newline && newline > text && newline[-1] == '\r' ? "\r\n" : "\n";
}

/* Is the rest of this line blank, but for a comment that ends on it? */
static bool include_line_rest_is_blank(const char *text, uint32_t bytes, uint32_t at)
{
    uint32_t line_end = in_trivia_next_line(text, bytes, at);
    struct in_lexer ahead = {text, bytes, at, false, true};
    if (text[line_end - 1] != '\n' || in_lexer_next(&ahead).start < line_end)
        return false;
    const char *comment = memmem(text + at, line_end - at, "/*", 2);
    return in_trivia_line_end(text, bytes, at) == line_end - 1 &&
           (!comment || in_trivia_block_end(text, bytes, (uint32_t)(comment - text)) < line_end);
}

/* Behind the line of a leading "module;", else AT. */
static uint32_t include_line_behind_module(const char *text, uint32_t bytes, uint32_t at,
                                           bool *ret_possible)
{
    struct in_lexer lexer;
    in_lexer_start(&lexer, text, bytes, true);
    struct in_token token = in_lexer_next(&lexer);
    bool module = in_lexer_is(&lexer, &token, "module") && in_lexer_next(&lexer).sign == ';';
    *ret_possible = !module || include_line_rest_is_blank(text, bytes, lexer.at);
    return module ? in_trivia_next_line(text, bytes, lexer.at) : at;
}

static uint32_t include_line_place(const char *text, uint32_t bytes, bool *ret_possible)
{
    uint32_t at = in_trivia_script_end(text, bytes);
    return include_line_behind_module(text, bytes, at, ret_possible);
}

/* "#line 3" before the third line. */
static int include_line_number_text(const char *text, uint32_t at, char *ret_text, size_t room)
{
    unsigned number = 1;
    for (uint32_t i = 0; i < at; i++)
        number += text[i] == '\n';
    return snprintf(ret_text, room, "#line %u", number);
}

/* The length of LINE and an end of line at AT, or 0. */
static uint32_t include_line_match(const char *text, uint32_t bytes, uint32_t at, const char *line)
{
    uint32_t length = (uint32_t)strlen(line);
    if (bytes - at <= length || memcmp(text + at, line, length) != 0)
        return 0;
    if (text[at + length] == '\n')
        return length + 1;
    return text[at + length] == '\r' && text[at + length + 1] == '\n' ? length + 2 : 0;
}

struct in_include_line in_include_line_make(const char *text, uint32_t bytes, bool keep_lines)
{
    struct in_include_line line = {.possible = true};
    char number[32];
    const char *end = include_line_end(text, bytes);
    line.at = include_line_place(text, bytes, &line.possible);
    include_line_number_text(text, line.at, number, sizeof(number));
    /* What looks like ours would be taken away with the include: so there is one of ours, too. */
    keep_lines |= include_line_match(text, bytes, line.at, number) > 0;
    snprintf(line.text, sizeof(line.text), "%s%s%s%s", INCLUDE, end, keep_lines ? number : "",
             keep_lines ? end : "");
    return line;
}

uint32_t in_include_line_bytes(const char *text, uint32_t bytes)
{
    bool possible;
    char number[32];
    uint32_t place = include_line_place(text, bytes, &possible), at = place, include;
    if (!possible)
        return 0;
    include_line_number_text(text, place, number, sizeof(number));
    /* All of several: else the second would be the first the next time. */
    while ((include = include_line_match(text, bytes, at, INCLUDE)) > 0) {
        at += include;
        at += include_line_match(text, bytes, at, number);
    }
    return at - place;
}

/* --- lines of their own --- */

static bool include_line_is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

bool in_include_line_bounds(const char *text, uint32_t bytes, uint32_t *start, uint32_t *end)
{
    uint32_t first = *start, last = *end;
    while (first > 0 && include_line_is_blank(text[first - 1]))
        first--;
    while (include_line_is_blank(text[last]))
        last++;
    if (text[last] == '\r' && text[last + 1] == '\n')
        last++;
    if ((first > 0 && text[first - 1] != '\n') || (last < bytes && text[last] != '\n'))
        return false;
    /* A line that is spliced to the one before it is no line of its own. */
    uint32_t before = first > 1 ? first - 2 : 0;
    while (before > 0 && (include_line_is_blank(text[before]) || text[before] == '\r'))
        before--;
    if (first > 1 && text[before] == '\\')
        return false;
    *start = first;
    *end = last < bytes ? last + 1 : last;
    return true;
}

bool in_include_line_is_whole(const struct in_scan *scan, const struct in_header_include *include,
                              uint32_t *ret_start, uint32_t *ret_end)
{
    /* The directive without blanks must be just these. */
    static const char *const forms[] = {"#include<thag_profiler.h>", "#include\"thag_profiler.h\""};
    char packed[32];
    size_t length = 0;
    for (uint32_t at = include->start; at < include->end; at++) {
        char byte = scan->text[at];
        if (include_line_is_blank(byte) || byte == '\r')
            continue;
        if (length == sizeof(packed) - 1)
            return false;
        packed[length++] = byte;
    }
    packed[length] = '\0';
    if (strcmp(packed, forms[0]) != 0 && strcmp(packed, forms[1]) != 0)
        return false;
    *ret_start = include->start;
    *ret_end = include->end;
    return in_include_line_bounds(scan->text, scan->bytes, ret_start, ret_end);
}
