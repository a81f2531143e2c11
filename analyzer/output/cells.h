/*
 * cells.h -- the columns that text takes on a terminal, and cutting it between characters.
 *
 * Widths are those of Unicode, whatever the locale: 2 for wide characters, 0 for marks that combine
 * with the character before them, which are never parted from it.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_CELLS_H
#define THAG_AN_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The columns of one code point (as an_escape_next() gives it), and of a text. */
unsigned an_cells_code_width(uint32_t code);
unsigned an_cells_width(const char *text);

/* Text of any origin as a terminal can show it, see escape.h. Freed by free(). */
char *an_cells_safe(const char *text, size_t bytes);

/* How many bytes of TEXT, from its start, fit WIDTH columns. */
size_t an_cells_start(const char *text, unsigned width);

/* Where the end of TEXT begins that fits WIDTH columns. */
size_t an_cells_end(const char *text, unsigned width);

/*
 * Print TEXT, its middle replaced by a mark if it takes more than WIDTH columns: both ends of a
 * name tell more than its start alone, namespace and method.
 */
void an_cells_print_cut(FILE *out, const char *text, unsigned width, bool utf8);

/* Print TEXT with newlines in place of blanks, so that lines take at most WIDTH columns if they
 * can. */
void an_cells_print_wrapped(FILE *out, const char *text, unsigned width);

/* True unless the locale's variables name another character set than UTF-8. */
bool an_cells_locale_is_utf8(void);

#endif
