/*
 * table.h -- aligned text tables for people.
 *
 * Cells may hold anything: what a terminal could take for a command is replaced, and widths are
 * those of the characters as they are shown.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_TABLE_H
#define THAG_AN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define AN_TABLE_COLUMNS_MAX 12

enum an_align { AN_ALIGN_RIGHT, AN_ALIGN_LEFT };

struct an_table_column {
    const char *title;
    enum an_align align;
};

/* How a stream is written to. */
struct an_table_style {
    unsigned width; /* columns of the terminal, 0: no limit */
    bool colour;
    bool utf8; /* bars may be drawn with block characters */
};

struct an_table;

/* COLUMNS is copied, its titles are not. Freed by an_table_free(). */
struct an_table *an_table_new(const struct an_table_column *columns, unsigned count);
void an_table_free(struct an_table *table);

/*
 * COLUMN may be left out where a terminal has no room for it and for names; those named first go
 * first. WORDS, which are not copied, say then what is not shown.
 */
void an_table_spare(struct an_table *table, unsigned column, const char *words);

/* Add the next cell; rows fill from left to right. */
void an_table_cell(struct an_table *table, const char *text);
void an_table_name(struct an_table *table, const char *text, size_t bytes);
/* A bar for PART of WHOLE, ten characters wide; none where STYLE's terminal is narrow. */
void an_table_bar(struct an_table *table, uint64_t part, uint64_t whole,
                  const struct an_table_style *style);

/* What can be spared is left out, and the last column cut in its middle, to fit STYLE's width. */
void an_table_print(const struct an_table *table, const struct an_table_style *style, FILE *out);

/* What stands in a table, row by row from 0; a row counts once its cells are all there. */
size_t an_table_row_count(const struct an_table *table);
unsigned an_table_column_count(const struct an_table *table);
/* Lifetime: until an_table_free(). */
const char *an_table_text(const struct an_table *table, size_t row, unsigned column);

/*
 * The widths of a table's columns, for those who show single rows; 0: nothing is in it, or it is
 * left out. Good until a cell is added.
 */
struct an_table_layout {
    unsigned width[AN_TABLE_COLUMNS_MAX];
    unsigned left_out; /* of the columns that can be spared, in their order */
    bool utf8;
};
void an_table_lay_out(const struct an_table *table, const struct an_table_style *style,
                      struct an_table_layout *ret_layout);

/* Print a row, or the titles (AN_TABLE_TITLES), as an_table_print() does, without a newline. */
#define AN_TABLE_TITLES SIZE_MAX
void an_table_print_row(const struct an_table *table, const struct an_table_layout *layout,
                        size_t row, FILE *out);

/*
 * What fits a stream: colour and a width on a terminal only, no colour if NO_COLOR is set or TERM
 * is "dumb"; blocks unless the locale's variables name another character set than UTF-8.
 */
struct an_table_style an_table_style_of(FILE *out);

/* Print text of unknown origin so that a terminal shows it and does nothing else. */
void an_table_print_name(FILE *out, const char *text, size_t bytes);

#endif
