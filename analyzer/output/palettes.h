/*
 * palettes.h -- the colours of frames.
 *
 * A palette has 256 steps, each with a colour for light and one for dark pages. A function's step
 * is a hash of its name, so it keeps its colour in every frame, file and run.
 *
 * Always true: the label colour has a contrast of at least 4.5:1 on every step, light and dark.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_PALETTES_H
#define THAG_AN_PALETTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The first ten are those of the menu, in its order. */
enum an_palette {
    AN_PALETTE_AQUA,
    AN_PALETTE_BLUE,
    AN_PALETTE_GREEN,
    AN_PALETTE_HOT,
    AN_PALETTE_MEM,
    AN_PALETTE_ORANGE,
    AN_PALETTE_PURPLE,
    AN_PALETTE_RED,
    AN_PALETTE_YELLOW,
    AN_PALETTE_RUST,
    AN_PALETTE_MODULE,    /* by the module's name, not the function's */
    AN_PALETTE_SELF_HEAT, /* by a frame's own share */
    AN_PALETTE_COLOURBLIND,
    AN_PALETTE_COUNT,
};

enum an_theme { AN_THEME_LIGHT, AN_THEME_DARK };

/* The name as --palette takes it, and the words for people. */
const char *an_palette_name(enum an_palette palette);
const char *an_palette_title(enum an_palette palette);

/* False if NAME is no palette's name; RET_PALETTE is then untouched. */
bool an_palette_find(const char *name, enum an_palette *ret_palette);

/*
 * The step of a function or module. Template arguments and the compiler's clone suffixes do not
 * count: all instances of a function look alike.
 */
uint8_t an_palette_step(const char *name, size_t bytes);

/* The step of a frame with SELF of a graph's TOTAL in AN_PALETTE_SELF_HEAT: the root of the share.
 */
uint8_t an_palette_heat(uint64_t self, uint64_t total);

/* Colours as 0xRRGGBB: of a step, and of the labels on it. */
uint32_t an_palette_colour(enum an_palette palette, uint8_t step, enum an_theme theme);
uint32_t an_palette_label_colour(enum an_theme theme);

/*
 * The colour of a frame that GREW or shrank by STEP (0: not at all): red and blue, which all kinds
 * of colour blindness tell apart, or orange and blue where AN_PALETTE_COLOURBLIND is chosen.
 */
uint32_t an_palette_delta_colour(enum an_palette palette, bool grew, uint8_t step,
                                 enum an_theme theme);

/* The two palettes of that, [shrank, grew], as a JSON list. */
void an_palette_deltas_write_json(enum an_palette palette, FILE *out);

/* All palettes as a JSON list, for the page to compute the same colours. */
void an_palettes_write_json(FILE *out);

#endif
