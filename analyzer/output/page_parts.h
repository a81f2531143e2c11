/*
 * page_parts.h -- what the parts of the page's writer share. Private to analyzer/output/page*.c.
 */
#ifndef THAG_AN_PAGE_PARTS_H
#define THAG_AN_PAGE_PARTS_H

#include "analyzer/output/page.h"

/* Generated from page.css and the scripts; NUL-terminated. */
extern const char an_page_css[];
extern const char an_page_script[];

struct an_page {
    const struct an_tree *tree;
    const struct an_page_options *options;
    uint32_t values; /* resolved: never 0 */
    uint64_t *total; /* of options->value, per node of the tree */
    const char *title;
    FILE *out;
};

static inline uint64_t an_page_scale(const struct an_page *page, enum an_value value)
{
    return page->options->scale != NULL ? page->options->scale[value] : 1;
}

/* The JSON object that the script reads (page_data.c). */
void an_page_write_data(const struct an_page *page);

/*
 * The frames for viewers without script, as an <svg> element (page_svg.c). What INSIDE writes, unless
 * it is NULL, comes before the frames: the script can hide them before they cost time.
 */
void an_page_write_picture(const struct an_page *page, void (*inside)(const struct an_page *));

#endif
