/*
 * page_data.c -- the call tree as packed texts inside one JSON object.
 *
 * Nodes go in preorder, siblings in the order of first sight, so that a subtree is one range and
 * sums over it are differences of running sums. Per node there is
 *   up      how many levels it lies above a child of the node before it: 0 almost always
 *   name    a number of "names", which are sorted bytewise: comparing numbers compares names
 *   module  0, or 1 + a number of "modules"; left out if no node has one
 *   flags   enum an_node_flag; left out if no node has any
 *   self    one text per value
 * each as a text of numbers: five bits a digit, lowest first, 32 added if another digit follows.
 * The script's numbers are exact up to 2^53; a value whose sum is larger is divided by 2^shift in
 * such a way that each subtree's sum is off by one at most.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/escape.h"
#include "analyzer/output/page_parts.h"
#include "analyzer/support/memory.h"

#define NONE UINT32_MAX

/* Some of the tree's names, sorted, with their numbers in the page. */
struct name_list {
    const struct an_names *names;
    uint32_t *name;   /* the names of the list */
    uint32_t *number; /* by name of the tree: 1 + its place in the list, 0 if not in it */
    uint32_t count;
};

struct layout {
    uint32_t count;
    uint32_t *node; /* in preorder */
    uint32_t *up;
    struct name_list functions;
    struct name_list modules;
    bool has_flags;
};

static int compare_names(const void *a, const void *b, void *context)
{
    const struct an_names *names = context;
    size_t a_bytes, b_bytes;
    const char *a_text = an_names_text(names, *(const uint32_t *)a, &a_bytes);
    const char *b_text = an_names_text(names, *(const uint32_t *)b, &b_bytes);
    int order = memcmp(a_text, b_text, a_bytes < b_bytes ? a_bytes : b_bytes);

    return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

/* The distinct names in NAME_OF_NODE from node 1 on, without UINT32_MAX. */
static struct name_list name_list_make(const struct an_tree *tree, const uint32_t *name_of_node)
{
    uint32_t all = an_names_count(tree->names);
    struct name_list list = {
        .names = tree->names,
        .name = an_memory_array((size_t)all + 1, sizeof(*list.name)),
        .number = an_memory_zeroed((size_t)all + 1, sizeof(*list.number)),
    };

    for (uint32_t n = 1; n < tree->node_count; n++) {
        uint32_t name = name_of_node[n];
        if (name != NONE && list.number[name] == 0) {
            list.number[name] = 1;
            list.name[list.count++] = name;
        }
    }
    qsort_r(list.name, list.count, sizeof(*list.name), compare_names, (void *)tree->names);
    for (uint32_t i = 0; i < list.count; i++)
        list.number[list.name[i]] = i + 1;
    return list;
}

static void name_list_free(struct name_list *list)
{
    free(list->name);
    free(list->number);
}

/* Preorder without recursion: a stack can be as deep as the profiled program likes. */
static void layout_number_nodes(struct layout *layout, const struct an_tree *tree)
{
    size_t count = tree->node_count;
    uint32_t *child = an_memory_zeroed(count, sizeof(*child));
    uint32_t *sibling = an_memory_zeroed(count, sizeof(*sibling));
    uint32_t node = 0, up = 0;

    /* From the last node to the first, so that each list of children starts with the oldest. */
    for (uint32_t n = tree->node_count - 1; n > 0; n--) {
        sibling[n] = child[tree->parent[n]];
        child[tree->parent[n]] = n;
    }
    for (uint32_t place = 0; place < tree->node_count; place++) {
        layout->node[place] = node;
        layout->up[place] = up;
        if (child[node] != 0) {
            node = child[node];
            up = 0;
            continue;
        }
        up = 1;
        while (node != 0 && sibling[node] == 0) {
            node = tree->parent[node];
            up++;
        }
        node = sibling[node];
    }
    free(child);
    free(sibling);
}

static struct layout layout_make(const struct an_tree *tree)
{
    struct layout layout = {
        .count = tree->node_count,
        .node = an_memory_array(tree->node_count, sizeof(*layout.node)),
        .up = an_memory_array(tree->node_count, sizeof(*layout.up)),
        .functions = name_list_make(tree, tree->name),
        .modules = name_list_make(tree, tree->module),
    };

    layout_number_nodes(&layout, tree);
    for (uint32_t n = 0; n < tree->node_count && !layout.has_flags; n++)
        layout.has_flags = tree->flags[n] != 0;
    return layout;
}

static void layout_free(struct layout *layout)
{
    free(layout->node);
    free(layout->up);
    name_list_free(&layout->functions);
    name_list_free(&layout->modules);
}

void an_page_write_number(FILE *out, uint64_t number)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    while (number > 31) {
        putc(digits[(number & 31) | 32], out);
        number >>= 5;
    }
    putc(digits[number], out);
}

static void text_field_write(FILE *out, const char *field, const char *text)
{
    fprintf(out, ",\"%s\":", field);
    an_escape_json(out, text, strlen(text));
}

/* The names themselves, then their colour steps, two hexadecimal digits each. */
static void name_list_write(FILE *out, const struct name_list *list, const char *field)
{
    fprintf(out, ",\n\"%ss\":[", field);
    for (uint32_t i = 0; i < list->count; i++) {
        size_t bytes;
        const char *text = an_names_text(list->names, list->name[i], &bytes);
        if (i > 0)
            putc(',', out);
        an_escape_json(out, text, bytes);
    }
    fprintf(out, "],\n\"%sSteps\":\"", field);
    for (uint32_t i = 0; i < list->count; i++) {
        size_t bytes;
        const char *text = an_names_text(list->names, list->name[i], &bytes);
        fprintf(out, "%02x", an_palette_step(text, bytes));
    }
    putc('"', out);
}

static void nodes_write(FILE *out, const struct layout *layout, const struct an_tree *tree)
{
    fputs(",\n\"up\":\"", out);
    for (uint32_t place = 0; place < tree->node_count; place++)
        an_page_write_number(out, layout->up[place]);
    fputs("\",\n\"name\":\"", out);
    an_page_write_number(out, 0);
    for (uint32_t place = 1; place < tree->node_count; place++)
        an_page_write_number(out, layout->functions.number[tree->name[layout->node[place]]] - 1);
    putc('"', out);
    if (layout->modules.count > 0) {
        fputs(",\n\"module\":\"", out);
        for (uint32_t place = 0; place < tree->node_count; place++) {
            uint32_t module = tree->module[layout->node[place]];
            bool known = place > 0 && module != NONE;
            an_page_write_number(out, known ? layout->modules.number[module] : 0);
        }
        putc('"', out);
    }
    if (layout->has_flags) {
        fputs(",\n\"flags\":\"", out);
        for (uint32_t place = 0; place < tree->node_count; place++)
            an_page_write_number(out, tree->flags[layout->node[place]]);
        putc('"', out);
    }
}

static void amounts_write(FILE *out, const struct layout *layout, const char *field,
                          const uint64_t *amount, uint32_t shift)
{
    uint64_t running = 0, written = 0;

    fprintf(out, ",\"%s\":\"", field);
    for (uint32_t place = 0; place < layout->count; place++) {
        running += amount[layout->node[place]];
        an_page_write_number(out, (running >> shift) - written);
        written = running >> shift;
    }
    putc('"', out);
}

static void value_write(const struct an_page *page, const struct layout *layout,
                        enum an_value value)
{
    const struct an_tree *tree = page->tree;
    const uint64_t exact = 1ULL << 53;
    const struct an_tree *before = an_page_is_diff(page) ? page->options->before : NULL;
    /* The widths of a differential add up to no more than both sums. */
    unsigned __int128 sum = tree->sum[value];
    uint32_t shift = 0;

    if (before != NULL)
        sum += before->sum[value];
    while (sum >> shift >= exact)
        shift++;
    fprintf(page->out,
            "{\"name\":\"%s\",\"title\":\"%s\",\"unit\":\"%s\",\"shift\":%u,\"scale\":%llu",
            an_value_name(value), an_value_title(value), an_unit_name(an_value_unit(value)), shift,
            (unsigned long long)an_page_scale(page, value));
    fprintf(page->out, ",\"sum\":\"%llu\"", (unsigned long long)tree->sum[value]);
    if (an_page_rate(page, value) != NULL)
        text_field_write(page->out, "rate", an_page_rate(page, value));
    amounts_write(page->out, layout, "self", tree->self[value], shift);
    if (before != NULL)
        amounts_write(page->out, layout, "before", before->self[value], shift);
    putc('}', page->out);
}

static void values_write(const struct an_page *page, const struct layout *layout)
{
    const char *separator = "";

    fputs(",\n\"values\":[", page->out);
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        if ((page->values >> value & 1) == 0)
            continue;
        fputs(separator, page->out);
        value_write(page, layout, (enum an_value)value);
        separator = ",\n";
    }
    putc(']', page->out);
}

/* A number that differs between trees: links into one page must not be followed in another. */
static uint32_t layout_mark(const struct layout *layout, const struct an_tree *tree)
{
    uint32_t mark = 2166136261u;

    for (uint32_t i = 0; i < layout->functions.count; i++) {
        size_t bytes;
        const char *text = an_names_text(tree->names, layout->functions.name[i], &bytes);
        for (size_t at = 0; at < bytes; at++)
            mark = (mark ^ (unsigned char)text[at]) * 16777619u;
        mark = (mark ^ 0x100u) * 16777619u;
    }
    for (uint32_t place = 1; place < tree->node_count; place++) {
        mark = (mark ^ layout->up[place]) * 16777619u;
        mark = (mark ^ layout->functions.number[tree->name[layout->node[place]]]) * 16777619u;
    }
    return mark;
}

static void timeline_write(const struct an_page *page, const struct layout *layout)
{
    uint32_t *place = an_memory_array(layout->count, sizeof(*place));

    for (uint32_t i = 0; i < layout->count; i++)
        place[layout->node[i]] = i;
    an_page_write_timeline(page, layout->node, place);
    free(place);
}

void an_page_write_data(const struct an_page *page)
{
    static const char *const kinds[] = {"flamegraph", "differential", "timeline"};
    static const char *const orders[] = {"name", "value", "time"};
    static const char *const widths[] = {"max", "after", "before"};
    const struct an_page_options *options = page->options;
    struct layout layout = layout_make(page->tree);
    FILE *out = page->out;

    fprintf(out, "{\"version\":1,\"kind\":\"%s\",\"mark\":\"%08x\",\"nodes\":%u",
            kinds[options->kind], layout_mark(&layout, page->tree), page->tree->node_count);
    text_field_write(out, "title", page->title);
    text_field_write(out, "subtitle", options->subtitle != NULL ? options->subtitle : "");
    fputs(",\"notes\":[", out);
    for (uint32_t i = 0; i < options->note_count; i++) {
        if (i > 0)
            putc(',', out);
        an_escape_json(out, options->note[i], strlen(options->note[i]));
    }
    fprintf(out, "],\"value\":\"%s\",\"order\":\"%s\",\"flames\":%s,\"palette\":\"%s\"",
            an_value_name(options->value), orders[options->order],
            options->flames ? "true" : "false", an_palette_name(options->palette));
    if (an_page_is_diff(page)) {
        fprintf(out, ",\"width\":\"%s\",\"deltas\":", widths[options->width]);
        an_palette_deltas_write_json(options->palette, out);
    }
    fputs(",\n\"palettes\":", out);
    an_palettes_write_json(out);
    fprintf(out, ",\"labels\":[\"#%06x\",\"#%06x\"]", an_palette_label_colour(AN_THEME_LIGHT),
            an_palette_label_colour(AN_THEME_DARK));
    name_list_write(out, &layout.functions, "name");
    name_list_write(out, &layout.modules, "module");
    nodes_write(out, &layout, page->tree);
    values_write(page, &layout);
    an_page_write_sizes(page);
    if (an_page_is_chart(page))
        timeline_write(page, &layout);
    fputs("}", out);
    layout_free(&layout);
}
