/*
 * json.c -- writes JSON (and fields of CSV) as it goes.
 */
#include "analyzer/output/json.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include <utf8proc.h>

#include "analyzer/output/amount.h"
#include "analyzer/output/escape.h"

static const char json_replacement[] = "\xef\xbf\xbd";

/* The length of the UTF-8 sequence at TEXT, or 0 if there is none. */
static size_t json_sequence(const char *text, size_t bytes)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)text,
                                               bytes > 4 ? 4 : (utf8proc_ssize_t)bytes, &code);
    return length > 0 ? (size_t)length : 0;
}

static void json_separate(struct an_json *json)
{
    if (json->keyed) {
        json->keyed = false;
        return;
    }
    if (json->filled[json->depth])
        putc(',', json->out);
    json->filled[json->depth] = true;
}

void an_json_begin(struct an_json *json, FILE *out)
{
    *json = (struct an_json){.out = out};
}

void an_json_end(struct an_json *json)
{
    assert(json->depth == 0);
    putc('\n', json->out);
}

static void json_open(struct an_json *json, char bracket)
{
    json_separate(json);
    putc(bracket, json->out);
    assert(json->depth < AN_JSON_DEPTH_MAX);
    json->filled[++json->depth] = false;
}

static void json_close(struct an_json *json, char bracket)
{
    assert(json->depth > 0 && !json->keyed);
    json->depth--;
    putc(bracket, json->out);
}

void an_json_object_open(struct an_json *json)
{
    json_open(json, '{');
}

void an_json_object_close(struct an_json *json)
{
    json_close(json, '}');
}

void an_json_list_open(struct an_json *json)
{
    json_open(json, '[');
}

void an_json_list_close(struct an_json *json)
{
    json_close(json, ']');
}

void an_json_line(struct an_json *json)
{
    if (json->filled[json->depth])
        putc(',', json->out);
    json->filled[json->depth] = false;
    putc('\n', json->out);
}

static void json_quote(FILE *out, const char *text, size_t bytes)
{
    putc('"', out);
    while (bytes) {
        unsigned char byte = (unsigned char)*text;
        size_t length = byte < 0x80 ? 1 : json_sequence(text, bytes);
        if (byte == '"' || byte == '\\')
            fprintf(out, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            fprintf(out, "\\u%04x", byte);
        else if (length)
            fwrite(text, 1, length, out);
        else
            fputs(json_replacement, out);
        length += length == 0;
        text += length;
        bytes -= length;
    }
    putc('"', out);
}

void an_json_key(struct an_json *json, const char *key)
{
    json_separate(json);
    json_quote(json->out, key, strlen(key));
    putc(':', json->out);
    json->keyed = true;
}

void an_json_text(struct an_json *json, const char *text, size_t bytes)
{
    json_separate(json);
    json_quote(json->out, text, bytes);
}

void an_json_number(struct an_json *json, uint64_t number)
{
    json_separate(json);
    fprintf(json->out, "%" PRIu64, number);
}

void an_json_amount(struct an_json *json, uint64_t amount, uint64_t scale)
{
    char text[AN_AMOUNT_MAX];
    json_separate(json);
    an_amount_exact(amount, scale, text);
    fputs(text, json->out);
}

void an_json_bool(struct an_json *json, bool truth)
{
    json_separate(json);
    fputs(truth ? "true" : "false", json->out);
}

void an_json_null(struct an_json *json)
{
    json_separate(json);
    fputs("null", json->out);
}

void an_json_pair_text(struct an_json *json, const char *key, const char *text)
{
    an_json_key(json, key);
    if (text)
        an_json_text(json, text, strlen(text));
    else
        an_json_null(json);
}

void an_json_pair_number(struct an_json *json, const char *key, uint64_t number)
{
    an_json_key(json, key);
    an_json_number(json, number);
}

void an_csv_text(FILE *out, const char *text, size_t bytes)
{
    bool quoted = bytes == 0;
    for (size_t i = 0; i < bytes && !quoted; i++)
        quoted = strchr(",\"\r\n ;", text[i]) != NULL; /* NUL is found too */
    if (quoted)
        putc('"', out);
    while (bytes) {
        uint32_t code;
        char utf8[4];
        size_t length = an_escape_next(text, bytes, &code);
        if (*text == '"')
            putc('"', out);
        if (*text == '\n' || *text == '\r' || *text == '\t') /* harmless within quotes */
            putc(*text, out);
        else
            fwrite(utf8, 1, an_escape_encode(code, utf8), out);
        text += length;
        bytes -= length;
    }
    if (quoted)
        putc('"', out);
}
