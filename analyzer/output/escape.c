/*
 * escape.c -- one decoder, two ways to quote what it lets through.
 */
#include "analyzer/output/escape.h"

#include <stdbool.h>
#include <string.h>

/* Directional overrides could make one name look like another. */
static bool reorders_text(uint32_t code)
{
    return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0x200E || code == 0x200F || code == 0x061C;
}

static uint32_t code_made_safe(uint32_t code)
{
    if (code < 0x20)
        return 0x2400 + code;
    if (code == 0x7F)
        return 0x2421;
    if (code < 0x7F)
        return code;
    if (code < 0xA0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return AN_TEXT_BAD;
    if ((code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF))
        return AN_TEXT_BAD;
    return reorders_text(code) ? AN_TEXT_BAD : code;
}

/* The length that a first byte promises, with the smallest code point of that length. */
static size_t sequence_length(unsigned char first, uint32_t *ret_smallest)
{
    if (first >= 0xC2 && first <= 0xDF) {
        *ret_smallest = 0x80;
        return 2;
    }
    if (first >= 0xE0 && first <= 0xEF) {
        *ret_smallest = 0x800;
        return 3;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        *ret_smallest = 0x10000;
        return 4;
    }
    return 0;
}

size_t an_escape_next(const char *text, size_t bytes, uint32_t *ret_code)
{
    const unsigned char *byte = (const unsigned char *)text;
    uint32_t smallest = 0;

    if (byte[0] < 0x80) {
        *ret_code = code_made_safe(byte[0]);
        return 1;
    }
    size_t length = sequence_length(byte[0], &smallest);
    uint32_t code = length != 0 ? byte[0] & (0x7Fu >> length) : 0;
    size_t have = 1;
    while (have < length && have < bytes && (byte[have] & 0xC0) == 0x80)
        code = code << 6 | (byte[have++] & 0x3F);
    if (length == 0 || have < length || code < smallest || code > 0x10FFFF) {
        /* Only the first byte is given up: what follows may be good text. */
        *ret_code = AN_TEXT_BAD;
        return 1;
    }
    *ret_code = code_made_safe(code);
    return length;
}

size_t an_escape_encode(uint32_t code, char ret_utf8[4])
{
    if (code < 0x80) {
        ret_utf8[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        ret_utf8[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    ret_utf8[0] = (char)((0xF00u >> length & 0xFFu) | code);
    return length;
}

static void text_write(FILE *out, const char *text, size_t bytes, const char *(*quote)(uint32_t))
{
    while (bytes > 0) {
        uint32_t code;
        size_t used = an_escape_next(text, bytes, &code);
        const char *quoted = quote(code);

        if (quoted != NULL) {
            fputs(quoted, out);
        } else {
            char utf8[4];
            size_t length = an_escape_encode(code, utf8);
            fwrite(utf8, 1, length, out);
        }
        text += used;
        bytes -= used;
    }
}

static const char *xml_quote(uint32_t code)
{
    switch (code) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static const char *json_quote(uint32_t code)
{
    switch (code) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '<':
        return "\\u003c";
    case '>':
        return "\\u003e";
    case '&':
        return "\\u0026";
    default:
        return NULL;
    }
}

void an_escape_xml(FILE *out, const char *text, size_t bytes)
{
    text_write(out, text, bytes, xml_quote);
}

void an_escape_json(FILE *out, const char *text, size_t bytes)
{
    putc('"', out);
    text_write(out, text, bytes, json_quote);
    putc('"', out);
}
