/*
 * table.c -- aligned text tables for people.
 */
#include "analyzer/output/table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <utf8proc.h>

#include "analyzer/output/escape.h"
#include "analyzer/support/memory.h"

#define TABLE_BAR_WIDTH 10u
#define TABLE_GAP       2u
/* Narrower than this, a name says nothing; then the line may be longer than the terminal. */
#define TABLE_NAME_LEAST 20u

struct table_cell {
    char *text;
    unsigned width;
};

struct an_table {
    struct an_table_column column[AN_TABLE_COLUMNS_MAX];
    unsigned column_count;
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

static unsigned table_code_width(uint32_t code)
{
    int width = utf8proc_charwidth((utf8proc_int32_t)code);
    return width > 0 ? (unsigned)width : 0;
}

static unsigned table_text_width(const char *text)
{
    size_t bytes = strlen(text);
    unsigned width = 0;
    while (bytes) {
        uint32_t code;
        size_t length = an_escape_next(text, bytes, &code);
        width += table_code_width(code);
        text += length;
        bytes -= length;
    }
    return width;
}

/* TEXT is taken over. */
static void table_add(struct an_table *table, char *text)
{
    if (table->cell_count == table->cell_room) {
        table->cell_room = table->cell_room ? table->cell_room * 2 : 64;
        table->cell = an_memory_resize(table->cell, table->cell_room, sizeof(*table->cell));
    }
    table->cell[table->cell_count++] = (struct table_cell){text, table_text_width(text)};
}

void an_table_cell(struct an_table *table, const char *text)
{
    table_add(table, an_memory_text(text));
}

void an_table_name(struct an_table *table, const char *text, size_t bytes)
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
    table_add(table, at ? safe : strcpy(safe, "-"));
}

void an_table_bar(struct an_table *table, uint64_t part, uint64_t whole,
                  const struct an_table_style *style)
{
    static const char *const eighth[] = {"",       "\u258f", "\u258e", "\u258d",
                                         "\u258c", "\u258b", "\u258a", "\u2589"};
    char text[TABLE_BAR_WIDTH * 3 + 4] = "";
    unsigned filled = 0; /* in eighths */
    if (whole) {
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

/* As many characters from the start of TEXT as fit WIDTH. Result: their bytes. */
static size_t table_fitting_start(const char *text, size_t bytes, unsigned width)
{
    size_t at = 0;
    unsigned used = 0;
    while (at < bytes) {
        uint32_t code;
        size_t length = an_escape_next(text + at, bytes - at, &code);
        used += table_code_width(code);
        if (used > width)
            break;
        at += length;
    }
    return at;
}

/* The same from the end. Result: where they begin. */
static size_t table_fitting_end(const char *text, size_t bytes, unsigned width)
{
    unsigned left = table_text_width(text);
    size_t at = 0;
    while (at < bytes && left > width) {
        uint32_t code;
        at += an_escape_next(text + at, bytes - at, &code);
        left -= table_code_width(code);
    }
    return at;
}

/* Both ends of a name tell more than its start alone: namespace and method. */
static void table_print_cut(FILE *out, const struct table_cell *cell, unsigned width, bool utf8)
{
    size_t bytes = strlen(cell->text);
    unsigned mark = utf8 ? 1 : 2;
    unsigned head = (width - mark) / 2;
    fwrite(cell->text, 1, table_fitting_start(cell->text, bytes, head), out);
    fputs(utf8 ? "\u2026" : "..", out);
    fputs(cell->text + table_fitting_end(cell->text, bytes, width - mark - head), out);
}

static void table_print_row(const struct an_table *table, const struct table_cell *row,
                            const unsigned *width, const struct an_table_style *style, FILE *out)
{
    unsigned pending = 0; /* blanks that only count if something follows */
    for (unsigned i = 0; i < table->column_count; i++) {
        unsigned shown = row[i].width < width[i] ? row[i].width : width[i];
        unsigned blanks = width[i] - shown;
        bool right = table->column[i].align == AN_ALIGN_RIGHT;
        if (row[i].text[0])
            table_print_blanks(out, pending + (right ? blanks : 0));
        if (row[i].width > width[i])
            table_print_cut(out, &row[i], width[i], style->utf8);
        else
            fputs(row[i].text, out);
        pending =
            row[i].text[0] ? TABLE_GAP + (right ? 0 : blanks) : pending + width[i] + TABLE_GAP;
    }
}

static void table_measure(const struct an_table *table, const struct an_table_style *style,
                          unsigned *ret_width)
{
    unsigned before_last = 0, last = table->column_count - 1;
    for (unsigned i = 0; i < table->column_count; i++)
        ret_width[i] = table_text_width(table->column[i].title);
    for (size_t i = 0; i < table->cell_count; i++) {
        unsigned column = (unsigned)(i % table->column_count);
        if (table->cell[i].width > ret_width[column])
            ret_width[column] = table->cell[i].width;
    }
    for (unsigned i = 0; i < last; i++)
        before_last += ret_width[i] + TABLE_GAP;
    unsigned room = style->width > before_last + TABLE_NAME_LEAST ? style->width - before_last
                                                                  : TABLE_NAME_LEAST;
    if (style->width && ret_width[last] > room)
        ret_width[last] = room;
}

void an_table_print(const struct an_table *table, const struct an_table_style *style, FILE *out)
{
    unsigned width[AN_TABLE_COLUMNS_MAX];
    struct table_cell title[AN_TABLE_COLUMNS_MAX];
    table_measure(table, style, width);
    for (unsigned i = 0; i < table->column_count; i++)
        title[i] = (struct table_cell){(char *)table->column[i].title,
                                       table_text_width(table->column[i].title)};
    fputs(style->colour ? "\033[1m" : "", out);
    table_print_row(table, title, width, style, out);
    fputs(style->colour ? "\033[0m\n" : "\n", out);
    for (size_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count) {
        table_print_row(table, &table->cell[i], width, style, out);
        putc('\n', out);
    }
}

static bool table_locale_is_utf8(void)
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

struct an_table_style an_table_style_of(FILE *out)
{
    struct an_table_style style = {.utf8 = table_locale_is_utf8()};
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
