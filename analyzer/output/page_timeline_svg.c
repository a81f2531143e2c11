/*
 * page_timeline_svg.c -- the longest calls of a timeline as a static picture, for viewers that run
 * no script.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/amount.h"
#include "analyzer/output/escape.h"
#include "analyzer/output/page_picture.h"
#include "analyzer/support/memory.h"

#define LANE_HEAD 22u
#define AXIS      24u
#define TICKS     10u
#define INK_FAINT 0x565d6bu

struct picture {
    const struct an_page *page;
    const struct an_timeline *timeline;
    uint64_t from_ns, length_ns;
    uint64_t least_ns; /* shorter calls are left out */
};

static int compare_falling(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left < right) - (left > right);
}

/* The length that a call must have to be among the longest, and half a pixel wide. */
static uint64_t shortest_shown(const struct an_timeline *timeline, uint64_t length_ns)
{
    uint64_t half_pixel = length_ns / (2UL * AN_PICTURE_WIDTH) + 1;
    uint32_t count = timeline->span_count;

    if (count <= AN_PICTURE_FRAMES)
        return half_pixel;
    uint64_t *sorted = an_memory_array(count, sizeof(*sorted));
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = timeline->span[i].duration_ns;
    qsort(sorted, count, sizeof(*sorted), compare_falling);
    uint64_t shortest = sorted[AN_PICTURE_FRAMES] + 1;
    free(sorted);
    return shortest > half_pixel ? shortest : half_pixel;
}

static struct picture picture_make(const struct an_page *page)
{
    const struct an_timeline *timeline = page->options->timeline;
    struct picture picture = {.page = page, .timeline = timeline, .from_ns = UINT64_MAX};
    uint64_t end_ns = 0;

    for (uint32_t i = 0; i < timeline->span_count; i++) {
        const struct an_span *span = &timeline->span[i];
        if (span->start_ns < picture.from_ns)
            picture.from_ns = span->start_ns;
        if (span->start_ns + span->duration_ns > end_ns)
            end_ns = span->start_ns + span->duration_ns;
    }
    picture.length_ns = end_ns > picture.from_ns ? end_ns - picture.from_ns : 1;
    picture.least_ns = shortest_shown(timeline, picture.length_ns);
    return picture;
}

/* The place of a moment in hundredths of a pixel. */
static uint32_t to_pixels(const struct picture *picture, uint64_t ns)
{
    uint64_t width = (AN_PICTURE_WIDTH - 2UL * AN_PICTURE_MARGIN) * 100;

    return AN_PICTURE_MARGIN * 100 +
           (uint32_t)((unsigned __int128)(ns - picture->from_ns) * width / picture->length_ns);
}

static void axis_write(const struct picture *picture, uint32_t top, uint32_t bottom)
{
    FILE *out = picture->page->out;
    char text[AN_AMOUNT_MAX];

    for (uint32_t i = 0; i < TICKS; i++) {
        uint64_t ns = picture->from_ns + picture->length_ns / TICKS * i;
        uint32_t x = to_pixels(picture, ns);
        an_amount_text(ns, 1, AN_UNIT_NS, text);
        fprintf(out,
                "<path d=\"M%u.%02u %uV%u\" stroke=\"#d5d9e0\"/><text x=\"%u.%02u\" y=\"%u\" "
                "fill=\"#%06x\">%s</text>\n",
                x / 100, x % 100, top, bottom, x / 100 + 3, x % 100, top + 14, INK_FAINT, text);
    }
}

static void span_write(const struct picture *picture, const struct an_span *span, uint32_t top)
{
    const struct an_page *page = picture->page;
    uint32_t x = to_pixels(picture, span->start_ns);
    uint32_t width = to_pixels(picture, span->start_ns + span->duration_ns) - x;
    uint32_t room = (width / 100 - (width >= 600 ? 6 : 0)) / AN_PICTURE_CHARACTER;
    char took[AN_AMOUNT_MAX], start[AN_AMOUNT_MAX];
    size_t bytes;
    const char *name = an_names_text(page->tree->names, page->tree->name[span->node], &bytes);
    uint32_t colour =
        an_palette_colour(page->options->palette, an_palette_step(name, bytes), AN_THEME_LIGHT);

    an_amount_text(span->duration_ns, 1, AN_UNIT_NS, took);
    an_amount_text(span->start_ns, 1, AN_UNIT_NS, start);
    top += span->row * AN_PICTURE_ROW;
    fputs("<g><title>", page->out);
    an_picture_write_cut(page->out, name, bytes, AN_PICTURE_NAME);
    fprintf(page->out,
            ", %s from %s</title><rect x=\"%u.%02u\" y=\"%u\" width=\"%u.%02u\" height=\"%u\" "
            "fill=\"#%06x\"/>",
            took, start, x / 100, x % 100, top, width / 100, width % 100, AN_PICTURE_ROW - 1,
            colour);
    if (room >= AN_PICTURE_LABEL) {
        fprintf(page->out, "<text x=\"%u.%02u\" y=\"%u\">", x / 100 + 3, x % 100, top + 13);
        an_picture_write_cut(page->out, name, bytes, room);
        fputs("</text>", page->out);
    }
    fputs("</g>\n", page->out);
}

static void lane_write(const struct picture *picture, const struct an_lane *lane, uint32_t top)
{
    FILE *out = picture->page->out;
    char least[AN_AMOUNT_MAX], fibre[32] = "";

    if (lane->fibre != 0)
        snprintf(fibre, sizeof(fibre), ", fibre %" PRIu32, lane->fibre);
    fprintf(out, "<text x=\"%u\" y=\"%u\" font-weight=\"bold\">", AN_PICTURE_MARGIN, top + 15);
    an_picture_write_cut(out, lane->name, strlen(lane->name), 40);
    fprintf(out, "%s: %" PRIu32 " %s%s", fibre, lane->count,
            picture->timeline->sampled ? "bar" : "call", lane->count == 1 ? "" : "s");
    if (lane->least_ns != 0) {
        an_amount_text(lane->least_ns, 1, AN_UNIT_NS, least);
        fprintf(out, ", those under %s only as sums", least);
    }
    fputs("</text>\n", out);
    for (uint32_t i = lane->first; i < lane->first + lane->count; i++) {
        const struct an_span *span = &picture->timeline->span[i];
        if (span->duration_ns >= picture->least_ns)
            span_write(picture, span, top + LANE_HEAD);
    }
}

void an_picture_write_timeline(const struct an_page *page, void (*inside)(const struct an_page *))
{
    struct picture picture = picture_make(page);
    uint32_t height = AN_PICTURE_HEAD + AXIS, top = height;

    for (uint32_t i = 0; i < picture.timeline->lane_count; i++)
        height += LANE_HEAD + picture.timeline->lane[i].rows * AN_PICTURE_ROW;
    height += AN_PICTURE_MARGIN;
    an_picture_start(page, height);
    if (inside != NULL)
        inside(page);
    an_picture_write_heading(page, height);
    axis_write(&picture, AN_PICTURE_HEAD, height - AN_PICTURE_MARGIN);
    for (uint32_t i = 0; i < picture.timeline->lane_count; i++) {
        lane_write(&picture, &picture.timeline->lane[i], top);
        top += LANE_HEAD + picture.timeline->lane[i].rows * AN_PICTURE_ROW;
    }
    fputs("</svg>\n", page->out);
}
