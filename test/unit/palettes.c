/*
 * Colours of frames: readable on every step, and the same for the same function.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/palettes.h"

static double channel_light(uint32_t channel)
{
    double level = channel / 255.0;

    return level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4);
}

/* The contrast ratio of the Web Content Accessibility Guidelines. */
static double contrast(uint32_t a, uint32_t b)
{
    double light[2];
    uint32_t colour[2] = {a, b};

    for (int i = 0; i < 2; i++)
        light[i] = 0.2126 * channel_light(colour[i] >> 16 & 255) +
                   0.7152 * channel_light(colour[i] >> 8 & 255) +
                   0.0722 * channel_light(colour[i] & 255);
    double high = fmax(light[0], light[1]), low = fmin(light[0], light[1]);
    return (high + 0.05) / (low + 0.05);
}

static uint8_t step_of(const char *name)
{
    return an_palette_step(name, strlen(name));
}

Test(palettes, labels_are_readable_on_every_step)
{
    for (int palette = 0; palette < AN_PALETTE_COUNT; palette++) {
        for (int theme = AN_THEME_LIGHT; theme <= AN_THEME_DARK; theme++) {
            uint32_t label = an_palette_label_colour((enum an_theme)theme);
            for (int step = 0; step < 256; step++) {
                uint32_t colour = an_palette_colour((enum an_palette)palette, (uint8_t)step,
                                                    (enum an_theme)theme);
                double ratio = contrast(label, colour);
                cr_assert(ratio >= 4.5, "%s, theme %d, step %d, #%06x: %.2f",
                          an_palette_name((enum an_palette)palette), theme, step, colour, ratio);
            }
        }
    }
}

Test(palettes, labels_are_readable_on_every_difference)
{
    for (int theme = AN_THEME_LIGHT; theme <= AN_THEME_DARK; theme++) {
        for (int step = 0; step < 4 * 256; step++) {
            enum an_palette palette = step & 256 ? AN_PALETTE_COLOURBLIND : AN_PALETTE_AQUA;
            uint32_t colour = an_palette_delta_colour(palette, (step & 512) != 0, (uint8_t)step,
                                                      (enum an_theme)theme);
            double ratio = contrast(an_palette_label_colour((enum an_theme)theme), colour);
            cr_assert(ratio >= 4.5, "theme %d, step %d, #%06x: %.2f", theme, step, colour, ratio);
        }
    }
}

Test(palettes, neighbouring_steps_differ)
{
    for (int step = 1; step < 256; step++)
        cr_assert_neq(an_palette_colour(AN_PALETTE_AQUA, (uint8_t)step, AN_THEME_LIGHT),
                      an_palette_colour(AN_PALETTE_AQUA, (uint8_t)(step - 1), AN_THEME_LIGHT));
}

Test(palettes, all_are_found_by_name)
{
    for (int i = 0; i < AN_PALETTE_COUNT; i++) {
        enum an_palette found = AN_PALETTE_COUNT;
        cr_assert(an_palette_find(an_palette_name((enum an_palette)i), &found));
        cr_assert_eq((int)found, i);
    }
}

Test(palettes, unknown_name_leaves_result_untouched)
{
    enum an_palette found = AN_PALETTE_RUST;

    cr_assert_not(an_palette_find("beige", &found));
    cr_assert_eq(found, AN_PALETTE_RUST);
}

Test(palettes, step_of_a_name_is_fixed)
{
    /* A change here changes the colours of everybody's pictures. */
    cr_assert_eq(step_of("main"), 0x90, "%02x", step_of("main"));
    cr_assert_eq(step_of("malloc"), 0xb3, "%02x", step_of("malloc"));
}

Test(palettes, template_arguments_do_not_count)
{
    cr_assert_eq(step_of("std::vector<int>::push_back"), step_of("std::vector<long>::push_back"));
    cr_assert_eq(step_of("f<a<b>, c>"), step_of("f<d>"));
    cr_assert_neq(step_of("std::vector<int>::push_back"), step_of("std::vector<int>::pop_back"));
}

Test(palettes, comparison_operators_are_not_template_arguments)
{
    cr_assert_neq(step_of("a::operator<(x)"), step_of("a::operator<(y)"));
    cr_assert_neq(step_of("a::operator<<(x)"), step_of("a::operator<<(y)"));
}

Test(palettes, clone_suffixes_do_not_count)
{
    cr_assert_eq(step_of("parse.isra.0"), step_of("parse"));
    cr_assert_eq(step_of("parse.part.3"), step_of("parse"));
    cr_assert_eq(step_of("parse [clone .cold]"), step_of("parse"));
    cr_assert_neq(step_of("module.parse"), step_of("module.scan"));
}

Test(palettes, names_of_brackets_only_have_steps_of_their_own)
{
    cr_assert_neq(step_of("<module>"), step_of("<lambda>"));
}

Test(palettes, heat_is_the_root_of_the_share)
{
    cr_assert_eq(an_palette_heat(0, 100), 0);
    cr_assert_eq(an_palette_heat(25, 100), 127);
    cr_assert_eq(an_palette_heat(100, 100), 255);
    cr_assert_eq(an_palette_heat(UINT64_MAX, UINT64_MAX), 255);
    cr_assert_eq(an_palette_heat(0, 0), 0);
}
