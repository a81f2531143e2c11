/*
 * palettes.c -- a table of hues, and integer arithmetic only: the same colours on every machine.
 */
#include "analyzer/output/palettes.h"

#include <string.h>

/* How a step becomes a colour. */
enum spread {
    BY_HASH, /* the low four bits move the hue, the high four the lightness */
    BY_HUES, /* the low bits choose one of a list of hues */
    BY_RAMP, /* all moves together from the first end to the second */
};

#define HUE_MAX 8

/* Percentages, each from its value at the first end to that at the second. */
struct shade {
    uint8_t saturation[2];
    uint8_t lightness[2];
};

struct palette {
    const char *name;
    const char *title;
    enum spread spread;
    uint8_t hue_count;
    uint16_t hue[HUE_MAX]; /* degrees; two ends unless BY_HUES */
    struct shade shade[2]; /* by theme */
};

/* clang-format off */
static const struct palette palettes[AN_PALETTE_COUNT] = {
    [AN_PALETTE_AQUA] = {"aqua", "Aqua", BY_HASH, 2, {168, 196},
        {{{46, 62}, {66, 80}}, {{36, 44}, {25, 33}}}},
    [AN_PALETTE_BLUE] = {"blue", "Blue", BY_HASH, 2, {203, 226},
        {{{62, 80}, {70, 83}}, {{40, 52}, {31, 40}}}},
    [AN_PALETTE_GREEN] = {"green", "Green", BY_HASH, 2, {94, 142},
        {{{38, 52}, {64, 79}}, {{32, 40}, {24, 33}}}},
    [AN_PALETTE_HOT] = {"hot", "Hot", BY_HASH, 2, {8, 50},
        {{{84, 96}, {68, 77}}, {{56, 66}, {23, 29}}}},
    [AN_PALETTE_MEM] = {"mem", "Mem (green to teal)", BY_HASH, 2, {120, 178},
        {{{36, 50}, {66, 79}}, {{32, 42}, {23, 32}}}},
    [AN_PALETTE_ORANGE] = {"orange", "Orange", BY_HASH, 2, {22, 38},
        {{{82, 95}, {66, 77}}, {{58, 72}, {25, 34}}}},
    [AN_PALETTE_PURPLE] = {"purple", "Purple", BY_HASH, 2, {264, 304},
        {{{48, 64}, {74, 85}}, {{28, 38}, {36, 46}}}},
    [AN_PALETTE_RED] = {"red", "Red", BY_HASH, 2, {350, 372},
        {{{74, 88}, {72, 82}}, {{44, 56}, {32, 42}}}},
    [AN_PALETTE_YELLOW] = {"yellow", "Yellow", BY_HASH, 2, {45, 58},
        {{{72, 90}, {60, 75}}, {{50, 64}, {20, 27}}}},
    [AN_PALETTE_RUST] = {"rust", "Rust", BY_HASH, 2, {12, 27},
        {{{46, 64}, {64, 76}}, {{44, 56}, {27, 36}}}},
    [AN_PALETTE_MODULE] = {"module", "By module", BY_HASH, 2, {0, 345},
        {{{46, 60}, {73, 82}}, {{34, 44}, {25, 31}}}},
    [AN_PALETTE_SELF_HEAT] = {"self-heat", "By own share", BY_RAMP, 2, {54, 4},
        {{{42, 88}, {90, 66}}, {{8, 72}, {22, 36}}}},
    /* Hues that stay apart with each kind of colour blindness, after Okabe and Ito. */
    [AN_PALETTE_COLOURBLIND] = {"colourblind", "Colour-blind safe", BY_HUES, 6,
        {41, 202, 164, 56, 26, 327},
        {{{62, 80}, {68, 80}}, {{40, 54}, {21, 28}}}},
};
/* clang-format on */

/* From the same neutral colour, so that no difference looks the same on both sides. */
/* clang-format off */
static const struct palette shrank = {"shrank", "Shrank", BY_RAMP, 2, {214, 214},
    {{{14, 84}, {92, 70}}, {{10, 56}, {22, 42}}}};
static const struct palette grew_red = {"grew", "Grew", BY_RAMP, 2, {2, 2},
    {{{14, 88}, {92, 72}}, {{10, 58}, {22, 40}}}};
static const struct palette grew_orange = {"grew", "Grew", BY_RAMP, 2, {30, 30},
    {{{14, 92}, {92, 66}}, {{10, 72}, {22, 31}}}};
/* clang-format on */

static const struct palette *delta_palette(enum an_palette palette, bool grew)
{
    if (!grew)
        return &shrank;
    return palette == AN_PALETTE_COLOURBLIND ? &grew_orange : &grew_red;
}

static const uint32_t label_colours[2] = {
    [AN_THEME_LIGHT] = 0x16181d,
    [AN_THEME_DARK] = 0xf3f4f6,
};

const char *an_palette_name(enum an_palette palette)
{
    return palettes[palette].name;
}

const char *an_palette_title(enum an_palette palette)
{
    return palettes[palette].title;
}

bool an_palette_find(const char *name, enum an_palette *ret_palette)
{
    for (int i = 0; i < AN_PALETTE_COUNT; i++) {
        if (strcmp(palettes[i].name, name) == 0) {
            *ret_palette = (enum an_palette)i;
            return true;
        }
    }
    return false;
}

/* True if TEXT starts with what gcc or clang put behind the name of a function's variant. */
static bool is_clone_suffix(const char *text, size_t bytes)
{
    static const char *const marks[] = {
        ".isra.", ".part.", ".constprop.", ".cold", ".lto_priv.", ".llvm.", " [clone ",
    };

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        size_t length = strlen(marks[i]);
        if (bytes >= length && memcmp(text, marks[i], length) == 0)
            return true;
    }
    return false;
}

/* `<` opens template arguments, unless it belongs to operator<, <<, <= or <=>. */
static bool opens_arguments(const char *name, size_t at)
{
    static const char word[] = "operator";
    const size_t length = sizeof(word) - 1;

    while (at > 0 && name[at - 1] == '<')
        at--;
    return at < length || memcmp(name + at - length, word, length) != 0;
}

static uint32_t hash_byte(uint32_t hash, char byte)
{
    return (hash ^ (unsigned char)byte) * 16777619u;
}

uint8_t an_palette_step(const char *name, size_t bytes)
{
    const uint32_t start = 2166136261u;
    uint32_t hash = start;
    uint32_t depth = 0;
    size_t counted = 0;

    for (size_t i = 0; i < bytes; i++) {
        if (depth == 0 && is_clone_suffix(name + i, bytes - i))
            break;
        if (name[i] == '<' && opens_arguments(name, i)) {
            depth++;
        } else if (name[i] == '>' && depth > 0) {
            depth--;
        } else if (depth == 0) {
            hash = hash_byte(hash, name[i]);
            counted++;
        }
    }
    /* "<module>" and the like are brackets only. */
    if (counted == 0) {
        hash = start;
        for (size_t i = 0; i < bytes; i++)
            hash = hash_byte(hash, name[i]);
    }
    hash ^= hash >> 16;
    return (uint8_t)(hash ^ hash >> 8);
}

uint8_t an_palette_heat(uint64_t self, uint64_t total)
{
    if (total == 0)
        return 0;
    unsigned __int128 square = (unsigned __int128)self * 255 * 255;
    uint32_t step = 0;

    while (step < 255 && (unsigned __int128)(step + 1) * (step + 1) * total <= square)
        step++;
    return (uint8_t)step;
}

/* From A to B in STEPS steps, in thousandths. */
static int32_t between(int32_t a, int32_t b, int32_t step, int32_t steps)
{
    return a * 1000 + (b - a) * 1000 * step / steps;
}

/* One channel of a colour; all in thousandths of a degree or of a percent. */
static uint32_t hsl_channel(int32_t hue, int64_t saturation, int64_t lightness, int32_t offset)
{
    const int64_t whole = 100000;
    int64_t k = (offset * 30000LL + hue) % 360000; /* 12 sectors of 30 degrees */
    int64_t low = lightness < whole - lightness ? lightness : whole - lightness;
    int64_t reach = saturation * low / whole;
    int64_t sector = k;
    int64_t factor = sector - 90000 < 270000 - sector ? sector - 90000 : 270000 - sector;

    if (factor > 30000)
        factor = 30000;
    if (factor < -30000)
        factor = -30000;
    int64_t channel = lightness - reach * factor / 30000;
    return (uint32_t)((channel * 255 + whole / 2) / whole);
}

static uint32_t hsl_to_rgb(int32_t hue, int32_t saturation, int32_t lightness)
{
    return hsl_channel(hue, saturation, lightness, 0) << 16 |
           hsl_channel(hue, saturation, lightness, 8) << 8 |
           hsl_channel(hue, saturation, lightness, 4);
}

static uint32_t palette_colour(const struct palette *p, uint8_t step, enum an_theme theme)
{
    const struct shade *shade = &p->shade[theme];
    int32_t low = step & 15;
    int32_t high = step >> 4;
    int32_t steps = 15;
    int32_t hue;

    if (p->spread == BY_RAMP) {
        low = high = step;
        steps = 255;
    }
    if (p->spread == BY_HUES)
        hue = p->hue[low % p->hue_count] * 1000;
    else
        hue = between(p->hue[0], p->hue[1], low, steps);
    return hsl_to_rgb(hue, between(shade->saturation[0], shade->saturation[1], high, steps),
                      between(shade->lightness[0], shade->lightness[1], high, steps));
}

uint32_t an_palette_colour(enum an_palette palette, uint8_t step, enum an_theme theme)
{
    return palette_colour(&palettes[palette], step, theme);
}

uint32_t an_palette_delta_colour(enum an_palette palette, bool grew, uint8_t step,
                                 enum an_theme theme)
{
    return palette_colour(delta_palette(palette, grew), step, theme);
}

uint32_t an_palette_label_colour(enum an_theme theme)
{
    return label_colours[theme];
}

static void palette_write_json(FILE *out, const struct palette *p)
{
    static const char *const spreads[] = {"hash", "hues", "ramp"};

    fprintf(out, "{\"name\":\"%s\",\"title\":\"%s\",\"spread\":\"%s\",\"hues\":[", p->name,
            p->title, spreads[p->spread]);
    for (int i = 0; i < p->hue_count; i++)
        fprintf(out, "%s%u", i > 0 ? "," : "", p->hue[i]);
    fputs("],\"shades\":[", out);
    for (int i = 0; i < 2; i++) {
        const struct shade *shade = &p->shade[i];
        fprintf(out, "%s[%u,%u,%u,%u]", i > 0 ? "," : "", shade->saturation[0],
                shade->saturation[1], shade->lightness[0], shade->lightness[1]);
    }
    fputs("]}", out);
}

void an_palette_deltas_write_json(enum an_palette palette, FILE *out)
{
    putc('[', out);
    palette_write_json(out, delta_palette(palette, false));
    putc(',', out);
    palette_write_json(out, delta_palette(palette, true));
    putc(']', out);
}

void an_palettes_write_json(FILE *out)
{
    putc('[', out);
    for (int i = 0; i < AN_PALETTE_COUNT; i++) {
        if (i > 0)
            putc(',', out);
        palette_write_json(out, &palettes[i]);
    }
    putc(']', out);
}
