/*
 * page_parts.h -- what the parts of the page's writer share. Private to analyzer/output/page*.c.
 */
#ifndef THAG_AN_PAGE_PARTS_H
#define THAG_AN_PAGE_PARTS_H

#include "analyzer/output/page.h"

/* Generated from the styles and the scripts; NUL-terminated. A chart has both styles. */
extern const char an_page_css[], an_chart_css[];
extern const char an_page_script[], an_chart_script[];

struct an_page {
    const struct an_tree *tree;
    const struct an_page_options *options;
    uint32_t values; /* resolved: never 0 */
    uint64_t *total; /* the width of each node, in the unit of options->value */
    /* Of a differential: totals per node, and the change that gets the strongest colour. */
    uint64_t *total_before;
    uint64_t *total_after;
    uint64_t strongest;
    const char *title;
    FILE *out;
};

static inline uint64_t an_page_scale(const struct an_page *page, enum an_value value)
{
    return page->options->scale != NULL ? page->options->scale[value] : 1;
}

/* How often VALUE was looked at; NULL: not sampled, or not known. */
static inline const char *an_page_rate(const struct an_page *page, enum an_value value)
{
    return value == AN_SAMPLE_TIME || value == AN_SAMPLES ? page->options->rate : NULL;
}

static inline bool an_page_is_diff(const struct an_page *page)
{
    return page->options->kind == AN_PAGE_DIFFERENTIAL;
}

static inline bool an_page_is_chart(const struct an_page *page)
{
    return page->options->kind == AN_PAGE_TIMELINE;
}

/* Fill the totals of PAGE (page_totals.c). Freed by an_page_totals_free(). */
void an_page_totals_make(struct an_page *page);
void an_page_totals_free(struct an_page *page);

/* How strong a change of a frame's total is, for an_palette_delta_colour(). */
uint8_t an_page_delta_step(const struct an_page *page, uint32_t node);

/* The script that runs in a page, the same in every page of its kind. Freed by free() (page.c). */
char *an_page_script_text(bool is_chart);

/* The JSON object that the script reads (page_data.c). */
void an_page_write_data(const struct an_page *page);

/* The member of that object with sizes of single allocations, if there are any (page_sizes.c). */
void an_page_write_sizes(const struct an_page *page);

/* One number of a packed text. */
void an_page_write_number(FILE *out, uint64_t number);

/* The members of that object that a chart has besides (page_timeline.c). NODE[p] is the node that
 * is at place p of the preorder, PLACE[n] where node n is. */
void an_page_write_timeline(const struct an_page *page, const uint32_t *node,
                            const uint32_t *place);

/*
 * The frames for viewers without script, as an <svg> element (page_svg.c). What INSIDE writes,
 * unless it is NULL, comes before the frames: the script can hide them before they cost time.
 */
void an_page_write_picture(const struct an_page *page, void (*inside)(const struct an_page *));

#endif
