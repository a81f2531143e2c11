/*
 * page_svg.c -- the widest frames as a static picture, for viewers that run no script.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/amount.h"
#include "analyzer/output/escape.h"
#include "analyzer/output/page_picture.h"
#include "analyzer/support/memory.h"

struct frame {
    uint32_t node;
    uint32_t depth;
    uint64_t start; /* in the unit of the value */
};

struct picture {
    const struct an_page *page;
    struct frame *frame;
    uint32_t count;
    uint32_t depth_max;
};

static int compare_falling(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left < right) - (left > right);
}

/* The smallest total that a frame must have to be among the widest, and half a pixel wide. */
static uint64_t smallest_total(const struct an_page *page)
{
    uint32_t count = page->tree->node_count;
    uint64_t half_pixel = page->total[0] / (2UL * AN_PICTURE_WIDTH) + 1;

    if (count <= AN_PICTURE_FRAMES)
        return half_pixel;
    uint64_t *sorted = an_memory_array(count, sizeof(*sorted));
    memcpy(sorted, page->total, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_falling);
    uint64_t smallest = sorted[AN_PICTURE_FRAMES - 1];
    free(sorted);
    return smallest > half_pixel ? smallest : half_pixel;
}

/*
 * Parents come before their children, level by level: where totals tie at the limit, a frame that
 * is left out has no child in the picture.
 */
static void picture_choose_frames(struct picture *picture)
{
    const struct an_page *page = picture->page;
    struct an_order *order = an_order_new(page->tree, page->options->order, page->total);
    uint64_t smallest = smallest_total(page);

    picture->frame = an_memory_array(AN_PICTURE_FRAMES, sizeof(*picture->frame));
    picture->frame[picture->count++] = (struct frame){0};
    for (uint32_t i = 0; i < picture->count; i++) {
        struct frame parent = picture->frame[i];
        uint64_t start = parent.start;

        for (uint32_t at = order->first[parent.node]; at < order->first[parent.node + 1]; at++) {
            uint32_t child = order->child[at];
            if (page->total[child] >= smallest && picture->count < AN_PICTURE_FRAMES) {
                picture->frame[picture->count++] = (struct frame){child, parent.depth + 1, start};
                picture->depth_max = parent.depth + 1;
            }
            start += page->total[child];
        }
    }
    an_order_free(order);
}

/* AMOUNT in hundredths of a pixel. */
static uint32_t to_pixels(const struct an_page *page, uint64_t amount)
{
    uint64_t total = page->total[0] != 0 ? page->total[0] : 1;

    return (uint32_t)((unsigned __int128)amount *
                      ((AN_PICTURE_WIDTH - 2UL * AN_PICTURE_MARGIN) * 100) / total);
}

static const char *frame_name(const struct an_tree *tree, uint32_t node, size_t *ret_bytes)
{
    if (node == 0) {
        *ret_bytes = 3;
        return "all";
    }
    return an_names_text(tree->names, tree->name[node], ret_bytes);
}

static uint32_t frame_colour(const struct an_page *page, uint32_t node, const char *name,
                             size_t bytes)
{
    const struct an_tree *tree = page->tree;
    enum an_palette palette = page->options->palette;
    uint8_t step;

    if (an_page_is_diff(page))
        return an_palette_delta_colour(palette, page->total_after[node] > page->total_before[node],
                                       an_page_delta_step(page, node), AN_THEME_LIGHT);
    if (palette == AN_PALETTE_SELF_HEAT) {
        step = an_palette_heat(tree->self[page->options->value][node], page->total[0]);
    } else {
        if (palette == AN_PALETTE_MODULE && tree->module[node] != UINT32_MAX)
            name = an_names_text(tree->names, tree->module[node], &bytes);
        step = an_palette_step(name, bytes);
    }
    return an_palette_colour(palette, step, AN_THEME_LIGHT);
}

/* ", 12.3 MiB (4.56%)", or ", 12.3 MiB, was 11.9 MiB" in a differential. */
static void frame_write_amount(const struct an_page *page, uint32_t node)
{
    enum an_value value = page->options->value;
    enum an_unit unit = an_value_unit(value);
    uint64_t scale = an_page_scale(page, value);
    uint64_t whole = page->total[0] != 0 ? page->total[0] : 1;
    uint32_t share = (uint32_t)((unsigned __int128)page->total[node] * 10000 / whole);
    char amount[AN_AMOUNT_MAX], before[AN_AMOUNT_MAX];

    if (an_page_is_diff(page)) {
        an_amount_text(page->total_after[node], scale, unit, amount);
        an_amount_text(page->total_before[node], scale, unit, before);
        fprintf(page->out, ", %s, was %s", amount, before);
    } else {
        an_amount_text(page->total[node], scale, unit, amount);
        fprintf(page->out, ", %s (%u.%02u%%)", amount, share / 100, share % 100);
    }
}

static void frame_write(const struct picture *picture, const struct frame *frame)
{
    const struct an_page *page = picture->page;
    uint64_t total = page->total[frame->node];
    uint32_t x = to_pixels(page, frame->start);
    uint32_t width = to_pixels(page, frame->start + total) - x;
    uint32_t row = page->options->flames ? picture->depth_max - frame->depth : frame->depth;
    uint32_t top = AN_PICTURE_HEAD + row * AN_PICTURE_ROW;
    uint32_t room = (width / 100 - (width >= 600 ? 6 : 0)) / AN_PICTURE_CHARACTER;
    size_t bytes;
    const char *name = frame_name(page->tree, frame->node, &bytes);

    x += AN_PICTURE_MARGIN * 100;
    fputs("<g><title>", page->out);
    an_picture_write_cut(page->out, name, bytes, AN_PICTURE_NAME);
    frame_write_amount(page, frame->node);
    fprintf(page->out,
            "</title><rect x=\"%u.%02u\" y=\"%u\" width=\"%u.%02u\" height=\"%u\" "
            "fill=\"#%06x\"/>",
            x / 100, x % 100, top, width / 100, width % 100, AN_PICTURE_ROW - 1,
            frame_colour(page, frame->node, name, bytes));
    if (room >= AN_PICTURE_LABEL) {
        fprintf(page->out, "<text x=\"%u.%02u\" y=\"%u\">", x / 100 + 3, x % 100, top + 13);
        an_picture_write_cut(page->out, name, bytes, room);
        fputs("</text>", page->out);
    }
    fputs("</g>\n", page->out);
}

void an_page_write_picture(const struct an_page *page, void (*inside)(const struct an_page *))
{
    struct picture picture = {.page = page};

    picture_choose_frames(&picture);
    uint32_t height =
        AN_PICTURE_HEAD + (picture.depth_max + 1) * AN_PICTURE_ROW + AN_PICTURE_MARGIN;
    an_picture_start(page, height);
    if (inside != NULL)
        inside(page);
    an_picture_write_heading(page, height);
    for (uint32_t i = 0; i < picture.count; i++)
        frame_write(&picture, &picture.frame[i]);
    fputs("</svg>\n", page->out);
    free(picture.frame);
}
