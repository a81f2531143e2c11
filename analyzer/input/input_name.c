/*
 * input_name.c -- what a file's name says about what is in it.
 */
#include "analyzer/input/input.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

/* The length of a name without SUFFIX, or BYTES if it does not end so. */
static size_t name_without(const char *name, size_t bytes, const char *suffix)
{
    size_t length = strlen(suffix);
    if (bytes > length && memcmp(name + bytes - length, suffix, length) == 0)
        return bytes - length;
    return bytes;
}

static size_t name_without_coding(const char *name, size_t bytes)
{
    size_t shorter = name_without(name, bytes, ".gz");
    return shorter < bytes ? shorter : name_without(name, bytes, ".zst");
}

static const char *name_of_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The longer endings come before those that they end in. */
static enum an_kind name_split_kind(const char *name, size_t *bytes)
{
    static const struct {
        const char *suffix;
        enum an_kind kind;
    } rows[] = {
        {"-inclusive", AN_KIND_INCLUSIVE},
        {"-sample", AN_KIND_SAMPLE},
        {"-memory_detail_dealloc", AN_KIND_DEALLOC},
        {"-memory_detail", AN_KIND_MEMORY_DETAIL},
        {"-memory", AN_KIND_MEMORY},
    };
    size_t shorter = name_without_coding(name, *bytes);
    size_t stem = name_without(name, shorter, ".thag");
    if (stem < shorter) {
        *bytes = stem;
        return AN_KIND_RECORDING;
    }
    stem = name_without(name, shorter, ".folded");
    if (stem == shorter)
        return AN_KIND_UNKNOWN;
    *bytes = stem;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        *bytes = name_without(name, stem, rows[i].suffix);
        if (*bytes < stem)
            return rows[i].kind;
    }
    return AN_KIND_TIME;
}

enum an_kind an_input_kind(const char *path)
{
    const char *name = name_of_path(path);
    size_t bytes = strlen(name);
    return name_split_kind(name, &bytes);
}

static unsigned two_digits(const char *text)
{
    return (unsigned)(text[0] - '0') * 10 + (unsigned)(text[1] - '0');
}

/* Whether the digits of "-YYYYMMDD-HHMMSS" are a moment that there can be. */
static bool stamp_is_possible(const char *text)
{
    static const unsigned char days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned year = two_digits(text + 1) * 100 + two_digits(text + 3);
    unsigned month = two_digits(text + 5), day = two_digits(text + 7);
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1] ||
        (month == 2 && day == 29 && !leap))
        return false;
    return two_digits(text + 10) < 24 && two_digits(text + 12) < 60 && two_digits(text + 14) <= 60;
}

/* "-YYYYMMDD-HHMMSS", and then the end or a dash. */
static bool name_is_stamp(const char *text)
{
    static const char pattern[] = "-dddddddd-dddddd";
    for (size_t i = 0; pattern[i]; i++) {
        if (pattern[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != pattern[i])
            return false;
    }
    return (text[sizeof(pattern) - 1] == '\0' || text[sizeof(pattern) - 1] == '-') &&
           stamp_is_possible(text);
}

char *an_input_base(const char *path, int *ret_stamp)
{
    const char *name = name_of_path(path);
    size_t bytes = strlen(name);
    name_split_kind(name, &bytes);
    char *base = an_memory_text_part(name, bytes);
    *ret_stamp = -1;
    /* The last one: a program's own name may hold something like it. */
    for (size_t i = bytes; i-- > 0;) {
        if (name_is_stamp(base + i)) {
            *ret_stamp = (int)i;
            break;
        }
    }
    return base;
}
