/*
 * tree.c -- thag_profile tree: the call tree as indented text.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/commands/command.h"
#include "analyzer/model/walk.h"
#include "analyzer/output/amount.h"
#include "analyzer/output/json.h"
#include "analyzer/output/table.h"
#include "analyzer/support/memory.h"

/* Deeper levels are not indented further, but numbered: a line stays a line. */
#define TREE_INDENT_LEVELS 40u
/* In text without --top, what is less than a thousandth of the whole is left out, and said so. */
#define TREE_LEAST_SHARE 1000u

struct tree {
    const struct an_options *options;
    const struct an_profile *profile;
    enum an_value value;
    uint64_t *total;
    uint32_t *shown_children; /* of a node, so far */
    uint8_t *hidden;          /* the node is left out, with all below */
    uint64_t left_out;
};

/* Children come in order, so the first ones that are shown are the right ones. */
static bool tree_hides(struct tree *tree, uint32_t node, uint64_t depth)
{
    const struct an_options *options = tree->options;
    uint32_t parent = tree->profile->tree->parent[node];
    if (tree->hidden[parent])
        return true;
    if (options->depth && depth > options->depth)
        return true;
    if (an_options_given(options, AN_OPTION_TOP))
        return options->top && tree->shown_children[parent] >= options->top;
    return options->format == AN_FORMAT_TEXT &&
           tree->total[node] < tree->total[0] / TREE_LEAST_SHARE;
}

static void tree_add_row(const struct tree *tree, struct an_table *table, uint32_t node,
                         uint64_t depth)
{
    const struct an_tree *nodes = tree->profile->tree;
    uint64_t scale = tree->profile->scale[tree->value];
    enum an_unit unit = an_value_unit(tree->value);
    char text[AN_AMOUNT_MAX];
    size_t bytes;
    an_amount_text(tree->total[node], scale, unit, text);
    an_table_cell(table, text);
    an_share_text(tree->total[node], tree->total[0], text);
    an_table_cell(table, text);
    an_amount_text(nodes->self[tree->value][node], scale, unit, text);
    an_table_cell(table, text);

    const char *name = an_names_text(nodes->names, nodes->name[node], &bytes);
    uint64_t levels = depth - 1 < TREE_INDENT_LEVELS ? depth - 1 : TREE_INDENT_LEVELS;
    char *line = an_memory_array(bytes + 2 * TREE_INDENT_LEVELS + 32, 1);
    memset(line, ' ', (size_t)levels * 2);
    size_t at = (size_t)levels * 2;
    if (depth - 1 > TREE_INDENT_LEVELS)
        at += (size_t)sprintf(line + at, "%" PRIu64 ": ", depth);
    memcpy(line + at, name, bytes);
    an_table_name(table, line, at + bytes);
    free(line);
}

static void tree_print_text(struct tree *tree, struct an_walk *walk, FILE *out)
{
    static const struct an_table_column columns[] = {{"total", AN_ALIGN_RIGHT},
                                                     {"share", AN_ALIGN_RIGHT},
                                                     {"self", AN_ALIGN_RIGHT},
                                                     {"function", AN_ALIGN_LEFT}};
    struct an_table *table = an_table_new(columns, 4);
    struct an_table_style style = an_command_style(out);
    enum an_step step;
    uint32_t node;
    uint64_t depth = 0;
    while ((step = an_walk_step(walk, &node)) != AN_STEP_END) {
        if (step == AN_STEP_LEAVE) {
            depth--;
            continue;
        }
        tree->hidden[node] = tree_hides(tree, node, ++depth);
        if (tree->hidden[node]) {
            tree->left_out++;
            continue;
        }
        tree->shown_children[tree->profile->tree->parent[node]]++;
        tree_add_row(tree, table, node, depth);
    }
    const char *title = tree->options->title ? tree->options->title : tree->profile->path;
    an_command_print_name(out, an_command_input_name(title));
    const char *rate = an_profile_rate(tree->profile, tree->value);
    fprintf(out, ": %s%s%s\n", an_value_title(tree->value), rate ? "; " : "", rate ? rate : "");
    an_table_print(table, &style, out);
    if (tree->left_out)
        fprintf(out, "%" PRIu64 " more frame%s; --top 0%s shows all\n", tree->left_out,
                tree->left_out == 1 ? "" : "s", tree->options->depth ? " --depth 0" : "");
    an_table_free(table);
}

static void tree_print_csv_row(const struct tree *tree, uint32_t node, uint64_t depth, FILE *out)
{
    const struct an_tree *nodes = tree->profile->tree;
    uint64_t scale = tree->profile->scale[tree->value];
    char total[AN_AMOUNT_MAX], self[AN_AMOUNT_MAX];
    size_t bytes;
    const char *name = an_names_text(nodes->names, nodes->name[node], &bytes);
    an_amount_exact(tree->total[node], scale, total);
    an_amount_exact(nodes->self[tree->value][node], scale, self);
    fprintf(out, "%" PRIu64 ",%s,%s,", depth, total, self);
    an_csv_text(out, name, bytes);
    putc('\n', out);
}

static void tree_write_json_row(const struct tree *tree, uint32_t node, uint64_t depth,
                                struct an_json *json)
{
    const struct an_tree *nodes = tree->profile->tree;
    uint64_t scale = tree->profile->scale[tree->value];
    size_t bytes;
    const char *name = an_names_text(nodes->names, nodes->name[node], &bytes);
    an_json_line(json);
    an_json_object_open(json);
    an_json_pair_number(json, "depth", depth);
    an_json_key(json, "function");
    an_json_text(json, name, bytes);
    an_json_key(json, "total");
    an_json_amount(json, tree->total[node], scale);
    an_json_key(json, "self");
    an_json_amount(json, nodes->self[tree->value][node], scale);
    an_json_object_close(json);
}

/* For programs: all rows, or those that --top and --depth leave. */
static void tree_print_rows(struct tree *tree, struct an_walk *walk, FILE *out)
{
    struct an_json json;
    enum an_step step;
    uint32_t node;
    uint64_t depth = 0;
    bool is_json = tree->options->format == AN_FORMAT_JSON;
    an_json_begin(&json, out);
    if (is_json)
        an_json_list_open(&json);
    else
        fprintf(out, "depth,total_%s,self_%s,function\n", an_unit_name(an_value_unit(tree->value)),
                an_unit_name(an_value_unit(tree->value)));
    while ((step = an_walk_step(walk, &node)) != AN_STEP_END) {
        if (step == AN_STEP_LEAVE) {
            depth--;
            continue;
        }
        tree->hidden[node] = tree_hides(tree, node, ++depth);
        if (tree->hidden[node])
            continue;
        tree->shown_children[tree->profile->tree->parent[node]]++;
        if (is_json)
            tree_write_json_row(tree, node, depth, &json);
        else
            tree_print_csv_row(tree, node, depth, out);
    }
    if (is_json) {
        an_json_list_close(&json);
        an_json_end(&json);
    }
}

static int tree_print(const struct an_options *options, const struct an_profile *profile,
                      enum an_value value)
{
    uint32_t count = profile->tree->node_count;
    struct tree tree = {.options = options, .profile = profile, .value = value};
    struct an_outfile file;
    struct an_walk walk;
    int status = an_command_open_output(&an_command_tree, options, NULL, &file);
    if (status)
        return status;
    tree.total = an_memory_array(count, sizeof(*tree.total));
    tree.shown_children = an_memory_zeroed(count, sizeof(*tree.shown_children));
    tree.hidden = an_memory_zeroed(count, sizeof(*tree.hidden));
    an_tree_totals(profile->tree, value, tree.total);
    an_walk_begin(&walk, profile->tree,
                  an_options_given(options, AN_OPTION_ORDER) ? options->order : AN_BY_VALUE,
                  tree.total);
    if (options->format == AN_FORMAT_TEXT)
        tree_print_text(&tree, &walk, file.stream);
    else
        tree_print_rows(&tree, &walk, file.stream);
    an_walk_end(&walk);
    free(tree.total);
    free(tree.shown_children);
    free(tree.hidden);
    return an_command_close_output(&an_command_tree, &file, AN_EXIT_FINE);
}

static int tree_run(const struct an_options *options)
{
    struct an_profile profile;
    enum an_value value;
    int status = an_command_read(&an_command_tree, options, &profile, &value);
    if (status)
        return status;
    if (value == AN_INCLUSIVE)
        status = an_command_fail(&an_command_tree, AN_EXIT_USAGE,
                                 "%s: inclusive times are totals already; see stats", profile.path);
    else
        status = tree_print(options, &profile, value);
    an_profile_release(&profile);
    return status;
}

const struct an_command an_command_tree = {
    .name = "tree",
    .operands = "FILE...",
    .summary = "Print the call tree as indented text",
    .options = AN_OPTIONS_READ | AN_OPTIONS_WRITE | AN_OPTION_BIT(DEPTH) | AN_OPTION_BIT(TOP) |
               AN_OPTION_BIT(BY) | AN_OPTION_BIT(ORDER) | AN_OPTION_BIT(FORMAT) |
               AN_OPTION_BIT(TITLE),
    .ignores = AN_OPTIONS_COMMON,
    .run = tree_run,
    .files_min = 1,
    .files_max = UINT32_MAX,
};
