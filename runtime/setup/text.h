/*
 * text.h -- short texts without stdio, locale or heap: paths, messages, numbers.
 *
 * A text lives in a fixed buffer. What does not fit is cut and `cut` is set: callers that need the
 * whole (paths) check it, callers that print do not care.
 *
 * Context of all functions: setup (and safe in a hook).
 */
#ifndef THAG_RT_TEXT_H
#define THAG_RT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_TEXT_BYTES = 4608 }; /* PATH_MAX and a file name's worth of suffix */

/* Always true: bytes < RT_TEXT_BYTES, and at[bytes] is NUL. */
struct rt_text {
    size_t bytes;
    bool cut;
    char at[RT_TEXT_BYTES];
};

void rt_text_clear(struct rt_text *text);
void rt_text_add(struct rt_text *text, const char *string);
void rt_text_add_bytes(struct rt_text *text, const char *bytes, size_t count);
void rt_text_add_number(struct rt_text *text, uint64_t number);

/* At least WIDTH digits, zeros in front. */
void rt_text_add_padded(struct rt_text *text, uint64_t number, unsigned width);

/* The words of an errno value that a file can meet, or its number. */
void rt_text_add_error(struct rt_text *text, int error);

/* The part behind the last slash. */
const char *rt_text_base_name(const char *path);

/* As strcasecmp() == 0, for ASCII, whatever the locale. */
bool rt_text_same_word(const char *a, size_t a_bytes, const char *b);

#endif
