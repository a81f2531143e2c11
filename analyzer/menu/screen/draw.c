/*
 * draw.c -- text and colours on the screen.
 *
 * Widths are those of cells.h, and every character is put at its column: where the C library takes
 * another width for one, the rest of the line does not move.
 */
#include "analyzer/menu/screen/screen_parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "analyzer/output/cells.h"
#include "analyzer/output/escape.h"
#include "analyzer/support/memory.h"

/* A character and the marks on it; ncurses keeps that many. */
#define DRAW_CHARACTER_MAX 5

struct draw_character {
    wchar_t code[DRAW_CHARACTER_MAX + 1];
    unsigned width;
};

/* Result: the bytes of the character at the start of TEXT, with its marks. */
static size_t draw_next(const struct screen *screen, const char *text,
                        struct draw_character *ret_character)
{
    size_t bytes = strlen(text), at = 0, count = 0;
    ret_character->width = 0;
    while (at < bytes) {
        uint32_t code;
        size_t length = an_escape_next(text + at, bytes - at, &code);
        unsigned width = an_cells_code_width(code);
        if (count && width)
            break;
        if (!screen->utf8 && code > 0x7e)
            code = '?';
        if (count < DRAW_CHARACTER_MAX)
            ret_character->code[count++] = (wchar_t)code;
        ret_character->width += width;
        at += length;
    }
    ret_character->code[count] = L'\0';
    return at;
}

static void draw_blanks(const struct screen_text *text, int from)
{
    for (int x = from; x < text->x + text->width; x++) {
        cchar_t blank;
        setcchar(&blank, L" ", text->attributes, text->pair, NULL);
        mvadd_wchnstr(text->y, x, &blank, 1);
    }
}

void screen_draw(const struct screen *screen, const struct screen_text *text)
{
    int x = text->x;
    unsigned skip = text->skip;
    const char *at = text->text;
    if (text->y < 0 || text->y >= LINES)
        return;
    while (*at) {
        struct draw_character character;
        size_t bytes = draw_next(screen, at, &character);
        at += bytes;
        if (skip) {
            skip -= skip < character.width ? skip : character.width;
            continue;
        }
        if (character.width == 0)
            continue; /* a mark without a character to stand on */
        if (x + (int)character.width > text->x + text->width || x + (int)character.width > COLS)
            break;
        cchar_t cell;
        setcchar(&cell, character.code, text->attributes, text->pair, NULL);
        mvadd_wchnstr(text->y, x, &cell, 1);
        x += (int)character.width;
    }
    draw_blanks(text, x);
}

void screen_draw_line(const struct screen *screen, int y, int x, attr_t attributes,
                      const char *text)
{
    struct screen_text line = {
        .y = y, .x = x, .width = COLS - x, .attributes = attributes, .text = text};
    screen_draw(screen, &line);
}

void screen_draw_heading(const struct screen *screen)
{
    const char *place = screen->front.place ? screen->front.place : "";
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    fputs(" thag_profile  ", out);
    an_cells_print_cut(out, place, COLS > 16 ? (unsigned)COLS - 16 : 1, screen->utf8);
    fclose(out);
    screen_draw_line(screen, 0, 0, A_REVERSE, text);
    free(text);
}

static int channel(uint32_t colour, int shift)
{
    return (int)(colour >> shift & 0xff);
}

static int colour_distance(uint32_t a, uint32_t b)
{
    int sum = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        int difference = channel(a, shift) - channel(b, shift);
        sum += difference * difference;
    }
    return sum;
}

/* Number 16..255 of the usual 256 colours: a cube of 6 steps a side, then 24 greys. */
static uint32_t colour_of_number(int number)
{
    static const uint32_t steps[] = {0, 95, 135, 175, 215, 255};
    if (number >= 232) {
        uint32_t grey = 8 + 10 * (uint32_t)(number - 232);
        return grey << 16 | grey << 8 | grey;
    }
    number -= 16;
    return steps[number / 36] << 16 | steps[number / 6 % 6] << 8 | steps[number % 6];
}

static uint32_t colour_of_eight(int number)
{
    return (number & 1 ? 0xcd0000u : 0) | (number & 2 ? 0x00cd00u : 0) |
           (number & 4 ? 0x0000cdu : 0);
}

/* The terminal's colour nearest to 0xRRGGBB. */
static int colour_nearest(uint32_t colour)
{
    int first = COLORS >= 256 ? 16 : 0, last = COLORS >= 256 ? 255 : 7, best = first;
    int least = INT_MAX;
    /* Terminals that take a colour itself for its number. */
    if (COLORS > 0xffff)
        return (int)colour;
    for (int number = first; number <= last; number++) {
        int distance =
            colour_distance(colour, last > 7 ? colour_of_number(number) : colour_of_eight(number));
        if (distance < least) {
            least = distance;
            best = number;
        }
    }
    return best;
}

short screen_ground_pair(struct screen *screen, uint32_t ground)
{
    if (!screen->colour || COLORS < 8)
        return 0;
    struct screen_pair wanted = {COLOR_BLACK, colour_nearest(ground)};
    for (int i = 0; i < screen->pair_count; i++) {
        if (screen->pair[i].ground == wanted.ground)
            return (short)(i + 1);
    }
    if (screen->pair_count + 1 >= COLOR_PAIRS || screen->pair_count >= SHRT_MAX - 1)
        return 0;
    screen->pair =
        an_memory_resize(screen->pair, (size_t)screen->pair_count + 1, sizeof(*screen->pair));
    screen->pair[screen->pair_count++] = wanted;
    init_extended_pair(screen->pair_count, wanted.text, wanted.ground);
    return (short)screen->pair_count;
}
