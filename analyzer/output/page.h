/*
 * page.h -- one self-contained picture of a call tree, as .html or as stand-alone .svg.
 *
 * The file holds every node with every value offered, as packed arrays, the script that draws what
 * is wide enough to be seen, and a static picture of the widest frames for viewers without script.
 * It loads nothing, and nothing in it comes from names unescaped.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_PAGE_H
#define THAG_AN_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/model/order.h"
#include "analyzer/model/profile.h"
#include "analyzer/model/size_summary.h"
#include "analyzer/output/palettes.h"

enum an_page_kind {
    AN_PAGE_FLAMEGRAPH,
    AN_PAGE_DIFFERENTIAL, /* the tree is compared with options->before */
    AN_PAGE_TIMELINE,     /* calls over time, options->timeline */
};

/* What a frame's own width is in a differential; totals are sums of these. */
enum an_page_width {
    AN_PAGE_WIDTH_MAX, /* the larger of before and after: nothing disappears */
    AN_PAGE_WIDTH_AFTER,
    AN_PAGE_WIDTH_BEFORE,
};

enum an_page_format { AN_PAGE_HTML, AN_PAGE_SVG };

struct an_page_options {
    enum an_page_kind kind;
    enum an_page_format format;
    const char *title;       /* any bytes; NULL: the kind's name */
    const char *subtitle;    /* any bytes; NULL: none */
    const char *rate;        /* of samples, told with their values; NULL: none */
    const char *const *note; /* sentences about losses and limits, shown in the page */
    uint32_t note_count;
    enum an_value value; /* shown first */
    uint32_t values;     /* all that are offered, as bits 1 << value; 0: all that may be drawn */
    const uint64_t
        *scale; /* AN_VALUE_COUNT entries, amounts are that many times too large; NULL: 1 */
    enum an_palette palette;
    enum an_order_by order;              /* of siblings, at first */
    bool flames;                         /* the root at the bottom, at first */
    const struct an_size_summary *sizes; /* of all single allocations; NULL: unknown */
    /* Of a differential: a tree with the same nodes and values (diff.h), and the width at first. */
    const struct an_tree *before;
    enum an_page_width width;
    /* Of a timeline: with spans, of the tree; how long the program ran; live memory, if known. */
    const struct an_timeline *timeline;
    uint64_t duration_ns;
    const struct an_moment *moment;
    uint32_t moment_count;
};

/*
 * The values of TREE that can be drawn, as bits 1 << value: those it has, without AN_INCLUSIVE,
 * whose amounts already hold those of the nodes below and do not add up.
 */
uint32_t an_page_values(const struct an_tree *tree);

/*
 * Write the page.
 *
 * Inputs:   OPTIONS->value is one of the values offered, and TREE has all of these.
 * Result:   0; -EINVAL if a value cannot be drawn; -EIO if OUT has failed.
 * Never:    differs for equal inputs; depends on locale, time or addresses.
 */
int an_page_write(const struct an_tree *tree, const struct an_page_options *options, FILE *out);

/*
 * A Content-Security-Policy under which such pages work, for who serves them: nothing is loaded,
 * and no script runs but theirs. Freed by free().
 */
char *an_page_policy(enum an_page_kind kind, enum an_page_format format);

#endif
