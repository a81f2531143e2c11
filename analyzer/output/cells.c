/*
 * cells.c -- the columns that text takes on a terminal, and cutting it between characters.
 */
#include "analyzer/output/cells.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <utf8proc.h>

#include "analyzer/output/escape.h"
#include "analyzer/support/memory.h"

unsigned an_cells_code_width(uint32_t code)
{
    int width = utf8proc_charwidth((utf8proc_int32_t)code);
    return width > 0 ? (unsigned)width : 0;
}

unsigned an_cells_width(const char *text)
{
    size_t bytes = strlen(text);
    unsigned width = 0;
    while (bytes) {
        uint32_t code;
        size_t length = an_escape_next(text, bytes, &code);
        width += an_cells_code_width(code);
        text += length;
        bytes -= length;
    }
    return width;
}

char *an_cells_safe(const char *text, size_t bytes)
{
    /* At worst each byte becomes U+FFFD or a picture of itself, of three bytes. */
    char *safe = an_memory_array(bytes + 1, 3);
    size_t at = 0;
    while (bytes) {
        uint32_t code;
        size_t length = an_escape_next(text, bytes, &code);
        at += an_escape_encode(code, safe + at);
        text += length;
        bytes -= length;
    }
    safe[at] = '\0';
    return safe;
}

size_t an_cells_start(const char *text, unsigned width)
{
    size_t bytes = strlen(text), at = 0;
    unsigned used = 0;
    while (at < bytes) {
        uint32_t code;
        size_t length = an_escape_next(text + at, bytes - at, &code);
        used += an_cells_code_width(code);
        if (used > width)
            break;
        at += length;
    }
    return at;
}

size_t an_cells_end(const char *text, unsigned width)
{
    size_t bytes = strlen(text), at = 0;
    unsigned left = an_cells_width(text);
    while (at < bytes) {
        uint32_t code;
        size_t length = an_escape_next(text + at, bytes - at, &code);
        unsigned columns = an_cells_code_width(code);
        /* A mark whose character is gone goes, too. */
        if (left <= width && (columns || at == 0))
            break;
        left -= columns;
        at += length;
    }
    return at;
}

void an_cells_print_cut(FILE *out, const char *text, unsigned width, bool utf8)
{
    unsigned mark = utf8 ? 1 : 2;
    if (an_cells_width(text) <= width) {
        fputs(text, out);
        return;
    }
    if (width <= mark) {
        fwrite(text, 1, an_cells_start(text, width), out);
        return;
    }
    unsigned head = (width - mark) / 2;
    fwrite(text, 1, an_cells_start(text, head), out);
    fputs(utf8 ? "\u2026" : "..", out);
    fputs(text + an_cells_end(text, width - mark - head), out);
}

/* The bytes of the next line of TEXT: up to its newline, or to the last blank that fits. */
static size_t cells_line(const char *text, unsigned width)
{
    size_t line = strcspn(text, "\n"), fits = an_cells_start(text, width), blank = fits;
    if (fits >= line)
        return line;
    while (blank && text[blank] != ' ')
        blank--;
    /* A word that is too long stays whole. */
    return blank ? blank : strcspn(text, " \n");
}

void an_cells_print_wrapped(FILE *out, const char *text, unsigned width)
{
    while (*text) {
        size_t bytes = cells_line(text, width);
        fwrite(text, 1, bytes, out);
        text += bytes;
        if (*text == ' ' || *text == '\n') {
            putc('\n', out);
            text++;
        }
    }
}

bool an_cells_locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *locale = getenv(names[i]);
        if (locale && *locale) {
            const char *set = strchr(locale, '.');
            return !set || strcasecmp(set + 1, "utf-8") == 0 || strcasecmp(set + 1, "utf8") == 0;
        }
    }
    return true;
}
