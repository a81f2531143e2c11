/*
 * json.h -- writes JSON as it goes: nothing is kept but where the commas belong.
 *
 * Names come from profiled programs: bytes that are no UTF-8 become U+FFFD, control characters
 * \u escapes, so that the result is always valid.
 *
 * Context of all functions: tool. Write errors stay in the stream, see ferror().
 */
#ifndef THAG_AN_JSON_H
#define THAG_AN_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define AN_JSON_DEPTH_MAX 16

struct an_json {
    FILE *out;
    unsigned depth;
    bool filled[AN_JSON_DEPTH_MAX + 1]; /* something was written at this depth */
    bool keyed;                         /* a key was just written */
};

void an_json_begin(struct an_json *json, FILE *out);

/* End the text with a newline; all objects and lists must be closed. */
void an_json_end(struct an_json *json);

/* The key of the next value, in an object. */
void an_json_key(struct an_json *json, const char *key);

void an_json_object_open(struct an_json *json);
void an_json_object_close(struct an_json *json);
void an_json_list_open(struct an_json *json);
void an_json_list_close(struct an_json *json);

/* Begin a new line before the next value: files with a line per record are kind to readers. */
void an_json_line(struct an_json *json);

void an_json_text(struct an_json *json, const char *text, size_t bytes);
void an_json_number(struct an_json *json, uint64_t number);
/* AMOUNT / SCALE, exactly. SCALE is a power of ten. */
void an_json_amount(struct an_json *json, uint64_t amount, uint64_t scale);
void an_json_bool(struct an_json *json, bool truth);
void an_json_null(struct an_json *json);

/* A key with a text; TEXT == NULL: null. */
void an_json_pair_text(struct an_json *json, const char *key, const char *text);
void an_json_pair_number(struct an_json *json, const char *key, uint64_t number);

/*
 * One field of a CSV line, quoted where it must be. It may end on a terminal: but for line ends and
 * tabs, what escape.h calls unsafe is replaced as there.
 */
void an_csv_text(FILE *out, const char *text, size_t bytes);

#endif
