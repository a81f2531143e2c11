/*
 * page.c -- the frame of the page: head, picture, data, script, in HTML or in SVG.
 */
#include "analyzer/output/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/escape.h"
#include "analyzer/output/page_picture.h"
#include "analyzer/support/memory.h"

uint32_t an_page_values(const struct an_tree *tree)
{
    uint32_t values = 0;

    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        if (an_tree_has(tree, (enum an_value)value) && value != AN_INCLUSIVE)
            values |= 1u << value;
    }
    return values;
}

char *an_page_script_text(bool is_chart)
{
    const char *script = is_chart ? an_chart_script : an_page_script;
    char *text = an_memory_array(strlen(script) + 60, 1);

    sprintf(text, "\n(function () {\n'use strict';\n%s})();\n", script);
    return text;
}

static void script_write(const struct an_page *page)
{
    bool svg = page->options->format == AN_PAGE_SVG;

    fputs("<script type=\"application/json\" id=\"thag-data\">", page->out);
    an_page_write_data(page);
    /* XML reads the script as text, HTML does not: only XML needs (and knows) CDATA. */
    char *text = an_page_script_text(an_page_is_chart(page));
    fprintf(page->out, "</script>\n<script>%s%s%s</script>\n", svg ? "//<![CDATA[" : "", text,
            svg ? "//]]>" : "");
    free(text);
}

static void style_write(const struct an_page *page)
{
    fputs(an_page_css, page->out);
    if (an_page_is_chart(page))
        fputs(an_chart_css, page->out);
}

static void picture_write(const struct an_page *page, void (*inside)(const struct an_page *))
{
    if (an_page_is_chart(page))
        an_picture_write_timeline(page, inside);
    else
        an_page_write_picture(page, inside);
}

static void html_write(const struct an_page *page)
{
    FILE *out = page->out;

    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
          out);
    an_escape_xml(out, page->title, strlen(page->title));
    fputs("</title>\n<style id=\"thag-style\">\n", out);
    style_write(page);
    fputs("</style>\n</head>\n<body>\n", out);
    script_write(page);
    picture_write(page, NULL);
    fputs("</body>\n</html>\n", out);
}

static void svg_parts_write(const struct an_page *page)
{
    /* As a script's text and not as a style: it is for the page that the script builds. */
    fputs("<script type=\"text/css\" id=\"thag-style\"><![CDATA[\n", page->out);
    style_write(page);
    fputs("]]></script>\n", page->out);
    script_write(page);
}

static void svg_write(const struct an_page *page)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n", page->out);
    picture_write(page, svg_parts_write);
}

static const char *const kind_titles[] = {
    [AN_PAGE_FLAMEGRAPH] = "Flamegraph",
    [AN_PAGE_DIFFERENTIAL] = "Differential",
    [AN_PAGE_TIMELINE] = "Flamechart",
};

/* In a differential both trees must have a value. */
static uint32_t values_drawable(const struct an_tree *tree, const struct an_page_options *options)
{
    uint32_t values = an_page_values(tree);

    return options->kind == AN_PAGE_DIFFERENTIAL ? values & an_page_values(options->before)
                                                 : values;
}

int an_page_write(const struct an_tree *tree, const struct an_page_options *options, FILE *out)
{
    uint32_t drawable = values_drawable(tree, options);
    struct an_page page = {
        .tree = tree,
        .options = options,
        .values = options->values != 0 ? options->values : drawable,
        .title = options->title != NULL ? options->title : kind_titles[options->kind],
        .out = out,
    };

    if ((page.values & ~drawable) != 0 || (page.values >> options->value & 1) == 0)
        return -EINVAL;
    an_page_totals_make(&page);
    if (options->format == AN_PAGE_SVG)
        svg_write(&page);
    else
        html_write(&page);
    an_page_totals_free(&page);
    return ferror(out) ? -EIO : 0;
}
