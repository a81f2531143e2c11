/*
 * table.c -- aligned text tables for people.
 */
#include "analyzer/output/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyzer/output/cells.h"
#include "analyzer/output/escape.h"
#include "analyzer/support/memory.h"

#define TABLE_BAR_WIDTH 10u
#define TABLE_GAP       2u
/* On narrower terminals names need the room that bars would take. */
#define TABLE_BAR_LEAST 100u
/* Narrower than this, a name says nothing; then the line may be longer than the terminal. */
#define TABLE_NAME_LEAST 20u

struct table_cell {
    char *text;
    unsigned width;
};

struct an_table {
    struct an_table_column column[AN_TABLE_COLUMNS_MAX];
    unsigned column_count;
    struct {
        unsigned column;
        const char *words;
    } spare[AN_TABLE_COLUMNS_MAX];
    unsigned spare_count;
    struct table_cell *cell;
    size_t cell_count, cell_room;
};

struct an_table *an_table_new(const struct an_table_column *columns, unsigned count)
{
    struct an_table *table = an_memory_zeroed(1, sizeof(*table));
    memcpy(table->column, columns, count * sizeof(*columns));
    table->column_count = count;
    return table;
}

void an_table_free(struct an_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cell[i].text);
    free(table->cell);
    free(table);
}

void an_table_spare(struct an_table *table, unsigned column, const char *words)
{
    table->spare[table->spare_count].column = column;
    table->spare[table->spare_count++].words = words;
}

/* TEXT is taken over. */
static void table_add(struct an_table *table, char *text)
{
    if (table->cell_count == table->cell_room) {
        table->cell_room = table->cell_room ? table->cell_room * 2 : 64;
        table->cell = an_memory_resize(table->cell, table->cell_room, sizeof(*table->cell));
    }
    table->cell[table->cell_count++] = (struct table_cell){text, an_cells_width(text)};
}

void an_table_cell(struct an_table *table, const char *text)
{
    table_add(table, an_memory_text(text));
}

void an_table_name(struct an_table *table, const char *text, size_t bytes)
{
    char *safe = an_cells_safe(text, bytes);
    table_add(table, safe[0] ? safe : strcpy(safe, "-"));
}

void an_table_bar(struct an_table *table, uint64_t part, uint64_t whole,
                  const struct an_table_style *style)
{
    static const char *const eighth[] = {"",       "\u258f", "\u258e", "\u258d",
                                         "\u258c", "\u258b", "\u258a", "\u2589"};
    char text[TABLE_BAR_WIDTH * 3 + 4] = "";
    unsigned filled = 0; /* in eighths */
    bool fits = style->width == 0 || style->width >= TABLE_BAR_LEAST;
    if (whole && fits) {
        unsigned __int128 product = (unsigned __int128)part * TABLE_BAR_WIDTH * 8;
        filled = (unsigned)((product + whole / 2) / whole);
    }
    for (unsigned i = 0; i < filled / 8 && i < TABLE_BAR_WIDTH; i++)
        strcat(text, style->utf8 ? "\u2588" : "#");
    if (style->utf8 && filled < TABLE_BAR_WIDTH * 8)
        strcat(text, eighth[filled % 8]);
    an_table_cell(table, text);
}

static void table_print_blanks(FILE *out, unsigned count)
{
    fprintf(out, "%*s", (int)count, "");
}

/* The columns before the last one, with their gaps. */
static unsigned table_width_before_last(const struct an_table *table, const unsigned *width)
{
    unsigned before_last = 0;
    for (unsigned i = 0; i + 1 < table->column_count; i++)
        before_last += width[i] ? width[i] + TABLE_GAP : 0;
    return before_last;
}

void an_table_lay_out(const struct an_table *table, const struct an_table_style *style,
                      struct an_table_layout *ret_layout)
{
    unsigned last = table->column_count - 1;
    unsigned *width = ret_layout->width;
    ret_layout->left_out = 0;
    ret_layout->utf8 = style->utf8;
    for (unsigned i = 0; i < table->column_count; i++)
        width[i] = an_cells_width(table->column[i].title);
    for (size_t i = 0; i < table->cell_count; i++) {
        unsigned column = (unsigned)(i % table->column_count);
        if (table->cell[i].width > width[column])
            width[column] = table->cell[i].width;
    }
    unsigned before_last = table_width_before_last(table, width);
    unsigned names = width[last] < TABLE_NAME_LEAST ? width[last] : TABLE_NAME_LEAST;
    while (style->width && before_last + names > style->width &&
           ret_layout->left_out < table->spare_count) {
        width[table->spare[ret_layout->left_out++].column] = 0;
        before_last = table_width_before_last(table, width);
    }
    unsigned room = style->width > before_last + TABLE_NAME_LEAST ? style->width - before_last
                                                                  : TABLE_NAME_LEAST;
    if (style->width && width[last] > room)
        width[last] = room;
}

static struct table_cell table_at(const struct an_table *table, size_t row, unsigned column)
{
    if (row != AN_TABLE_TITLES)
        return table->cell[row * table->column_count + column];
    const char *title = table->column[column].title;
    return (struct table_cell){(char *)title, an_cells_width(title)};
}

void an_table_print_row(const struct an_table *table, const struct an_table_layout *layout,
                        size_t row, FILE *out)
{
    unsigned pending = 0; /* blanks that only count if something follows */
    for (unsigned i = 0; i < table->column_count; i++) {
        struct table_cell cell = table_at(table, row, i);
        unsigned width = layout->width[i];
        unsigned blanks = cell.width < width ? width - cell.width : 0;
        bool right = table->column[i].align == AN_ALIGN_RIGHT;
        if (width == 0) /* nothing is in it */
            continue;
        if (cell.text[0])
            table_print_blanks(out, pending + (right ? blanks : 0));
        an_cells_print_cut(out, cell.text, width, layout->utf8);
        pending = cell.text[0] ? TABLE_GAP + (right ? 0 : blanks) : pending + width + TABLE_GAP;
    }
}

size_t an_table_row_count(const struct an_table *table)
{
    return table->cell_count / table->column_count;
}

unsigned an_table_column_count(const struct an_table *table)
{
    return table->column_count;
}

const char *an_table_text(const struct an_table *table, size_t row, unsigned column)
{
    return table->cell[row * table->column_count + column].text;
}

void an_table_print(const struct an_table *table, const struct an_table_style *style, FILE *out)
{
    struct an_table_layout layout;
    size_t count = an_table_row_count(table);
    an_table_lay_out(table, style, &layout);
    fputs(style->colour ? "\033[1m" : "", out);
    an_table_print_row(table, &layout, AN_TABLE_TITLES, out);
    fputs(style->colour ? "\033[0m\n" : "\n", out);
    for (size_t row = 0; row < count; row++) {
        an_table_print_row(table, &layout, row, out);
        putc('\n', out);
    }
    for (unsigned i = 0; i < layout.left_out; i++)
        fprintf(out, "%s%s", i ? ", " : "no room here for ", table->spare[i].words);
    fputs(layout.left_out ? "\n" : "", out);
}

struct an_table_style an_table_style_of(FILE *out)
{
    struct an_table_style style = {.utf8 = an_cells_locale_is_utf8()};
    if (!isatty(fileno(out)))
        return style;
    struct winsize size;
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    style.width = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
    style.colour =
        !(no_colour && *no_colour) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
    return style;
}

void an_table_print_name(FILE *out, const char *text, size_t bytes)
{
    while (bytes) {
        char utf8[4];
        uint32_t code;
        size_t length = an_escape_next(text, bytes, &code);
        fwrite(utf8, 1, an_escape_encode(code, utf8), out);
        text += length;
        bytes -= length;
    }
}
