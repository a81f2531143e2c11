/*
 * diff.c -- thag_profile diff: two profiles compared, as a page or as a table.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/commands/graph.h"
#include "analyzer/model/cap.h"
#include "analyzer/model/diff.h"
#include "analyzer/output/amount.h"
#include "analyzer/output/json.h"
#include "analyzer/output/table.h"
#include "analyzer/support/memory.h"

/* On a terminal, unless --top says otherwise. */
#define DIFF_TERMINAL_ROWS 40u

struct diff_row {
    uint32_t name; /* of keys */
    uint64_t self_before, self_after;
    uint64_t total_before, total_after;
};

struct diff {
    const struct an_options *options;
    const struct an_diff *trees;
    enum an_value value;
    const char *before, *after; /* names of the files */
    struct an_names *keys;
    struct diff_row *row;
    uint32_t row_count, shown;
};

static uint64_t diff_distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* The largest change of its own first, then of its total, then by name. */
static int diff_compare(const void *a_pointer, const void *b_pointer, void *context)
{
    const struct diff_row *a = a_pointer, *b = b_pointer;
    uint64_t a_self = diff_distance(a->self_before, a->self_after);
    uint64_t b_self = diff_distance(b->self_before, b->self_after);
    uint64_t a_total = diff_distance(a->total_before, a->total_after);
    uint64_t b_total = diff_distance(b->total_before, b->total_after);
    if (a_self != b_self)
        return a_self < b_self ? 1 : -1;
    if (a_total != b_total)
        return a_total < b_total ? 1 : -1;
    return strcmp(an_names_text(context, a->name, NULL), an_names_text(context, b->name, NULL));
}

/* The row called TEXT, made with zeros if it is new. */
static struct diff_row *diff_find_row(struct diff *diff, const char *text, size_t bytes)
{
    uint32_t name = an_names_intern(diff->keys, text, bytes);
    if (name == diff->row_count) {
        diff->row = an_memory_resize(diff->row, (size_t)name + 1, sizeof(*diff->row));
        diff->row[diff->row_count++] = (struct diff_row){.name = name};
    }
    return &diff->row[name];
}

/* Enter one side's rows; a function that the other side lacks has 0 there. */
static void diff_gather_side(struct diff *diff, const struct an_tree *tree, bool is_after)
{
    struct an_statistics *side = an_statistics_new(tree, diff->value, diff->options->by);
    for (uint32_t i = 0; i < side->row_count; i++) {
        size_t bytes;
        const char *text = an_names_text(side->keys, side->row[i].name, &bytes);
        struct diff_row *row = diff_find_row(diff, text, bytes);
        *(is_after ? &row->self_after : &row->self_before) = side->row[i].self;
        *(is_after ? &row->total_after : &row->total_before) = side->row[i].total;
    }
    an_statistics_free(side);
}

/* Inclusive amounts are totals as they are, and nobody's own. */
static void diff_stack_totals(const struct diff *diff, const struct an_tree *tree,
                              uint64_t *ret_total)
{
    if (diff->value == AN_INCLUSIVE)
        memcpy(ret_total, tree->self[diff->value], tree->node_count * sizeof(*ret_total));
    else
        an_tree_totals(tree, diff->value, ret_total);
}

/*
 * A row for every stack that has an amount of its own on either side. Both trees have the same
 * nodes; a table of each side would leave out what is on the way to others on that side alone.
 */
static void diff_gather_stacks(struct diff *diff)
{
    const struct an_tree *before = diff->trees->before, *after = diff->trees->after;
    uint64_t *total_before = an_memory_array(before->node_count, sizeof(*total_before));
    uint64_t *total_after = an_memory_array(after->node_count, sizeof(*total_after));
    bool has_self = diff->value != AN_INCLUSIVE;
    diff_stack_totals(diff, before, total_before);
    diff_stack_totals(diff, after, total_after);
    for (uint32_t node = 1; node < after->node_count; node++) {
        uint64_t self_before = before->self[diff->value][node];
        uint64_t self_after = after->self[diff->value][node];
        size_t bytes;
        if (!self_before && !self_after)
            continue;
        char *text = an_stack_text(after, node, &bytes);
        struct diff_row *row = diff_find_row(diff, text, bytes);
        free(text);
        row->self_before += has_self ? self_before : 0;
        row->self_after += has_self ? self_after : 0;
        row->total_before += total_before[node];
        row->total_after += total_after[node];
    }
    free(total_before);
    free(total_after);
}

static void diff_gather(struct diff *diff)
{
    diff->keys = an_names_new();
    if (diff->options->by == AN_BY_STACK) {
        diff_gather_stacks(diff);
    } else {
        diff_gather_side(diff, diff->trees->before, false);
        diff_gather_side(diff, diff->trees->after, true);
    }
    if (diff->row_count)
        qsort_r(diff->row, diff->row_count, sizeof(*diff->row), diff_compare, diff->keys);
}

/* "+1.50 KiB", "-3 B", "0 B". */
static void diff_change_text(const struct diff *diff, uint64_t before, uint64_t after,
                             char ret_text[AN_AMOUNT_MAX + 1])
{
    ret_text[0] = after > before ? '+' : '-';
    an_amount_text(diff_distance(before, after), diff->trees->scale[diff->value],
                   an_value_unit(diff->value), ret_text + (before != after));
}

/* "+12.5%", "new", "gone". */
static void diff_share_text(uint64_t before, uint64_t after, char ret_text[AN_AMOUNT_MAX + 1])
{
    if (before == after) {
        strcpy(ret_text, "0%");
    } else if (before == 0 || after == 0) {
        strcpy(ret_text, before ? "gone" : "new");
    } else {
        ret_text[0] = after > before ? '+' : '-';
        an_share_text(diff_distance(before, after), before, ret_text + 1);
    }
}

static void diff_add_row(const struct diff *diff, const struct diff_row *row,
                         struct an_table *table)
{
    char text[AN_AMOUNT_MAX + 1];
    uint64_t scale = diff->trees->scale[diff->value];
    enum an_unit unit = an_value_unit(diff->value);
    size_t bytes;
    an_amount_text(row->self_before, scale, unit, text);
    an_table_cell(table, text);
    an_amount_text(row->self_after, scale, unit, text);
    an_table_cell(table, text);
    diff_change_text(diff, row->self_before, row->self_after, text);
    an_table_cell(table, text);
    diff_share_text(row->self_before, row->self_after, text);
    an_table_cell(table, text);
    diff_change_text(diff, row->total_before, row->total_after, text);
    an_table_cell(table, text);
    const char *name = an_names_text(diff->keys, row->name, &bytes);
    an_table_name(table, name, bytes);
}

/* "time: 3 ms before, 4 ms after, +1 ms, +33.3%" */
static void diff_print_heading(const struct diff *diff, FILE *out)
{
    uint64_t before = diff->trees->before->sum[diff->value];
    uint64_t after = diff->trees->after->sum[diff->value];
    uint64_t scale = diff->trees->scale[diff->value];
    char text[AN_AMOUNT_MAX + 1];
    an_command_print_name(out, an_command_input_name(diff->before));
    fputs(" -> ", out);
    an_command_print_name(out, an_command_input_name(diff->after));
    an_amount_text(before, scale, an_value_unit(diff->value), text);
    fprintf(out, ": %s, %s before%s", an_value_title(diff->value), text,
            diff->options->normalize ? " (scaled)" : "");
    an_amount_text(after, scale, an_value_unit(diff->value), text);
    fprintf(out, ", %s after", text);
    diff_change_text(diff, before, after, text);
    fprintf(out, ", %s", text);
    diff_share_text(before, after, text);
    fprintf(out, " (%s)\n", text);
}

static void diff_print_text(const struct diff *diff, FILE *out)
{
    const struct an_table_column columns[] = {
        {"self before", AN_ALIGN_RIGHT}, {"after", AN_ALIGN_RIGHT},
        {"change", AN_ALIGN_RIGHT},      {"", AN_ALIGN_RIGHT},
        {"total", AN_ALIGN_RIGHT},       {an_by_name(diff->options->by), AN_ALIGN_LEFT}};
    struct an_table_style style = an_command_style(out);
    struct an_table *table = an_table_new(columns, sizeof(columns) / sizeof(columns[0]));
    for (uint32_t i = 0; i < diff->shown; i++)
        diff_add_row(diff, &diff->row[i], table);
    diff_print_heading(diff, out);
    an_table_print(table, &style, out);
    if (diff->shown < diff->row_count)
        fprintf(out, "%" PRIu32 " more; --top 0 shows all\n", diff->row_count - diff->shown);
    an_table_free(table);
}

static void diff_print_csv(const struct diff *diff, FILE *out)
{
    const char *unit = an_unit_name(an_value_unit(diff->value));
    uint64_t scale = diff->trees->scale[diff->value];
    fprintf(out, "%s,self_before_%s,self_after_%s,total_before_%s,total_after_%s\n",
            an_by_name(diff->options->by), unit, unit, unit, unit);
    for (uint32_t i = 0; i < diff->shown; i++) {
        const struct diff_row *row = &diff->row[i];
        const uint64_t amount[] = {row->self_before, row->self_after, row->total_before,
                                   row->total_after};
        size_t bytes;
        const char *name = an_names_text(diff->keys, row->name, &bytes);
        an_csv_text(out, name, bytes);
        for (int column = 0; column < 4; column++) {
            char text[AN_AMOUNT_MAX];
            an_amount_exact(amount[column], scale, text);
            fprintf(out, ",%s", text);
        }
        putc('\n', out);
    }
}

static void diff_write_json_amount(struct an_json *json, const struct diff *diff, const char *key,
                                   uint64_t amount)
{
    an_json_key(json, key);
    an_json_amount(json, amount, diff->trees->scale[diff->value]);
}

static void diff_print_json(const struct diff *diff, FILE *out)
{
    struct an_json json;
    an_json_begin(&json, out);
    an_json_object_open(&json);
    an_json_pair_text(&json, "before", diff->before);
    an_json_pair_text(&json, "after", diff->after);
    an_json_pair_text(&json, "value", an_value_name(diff->value));
    an_json_pair_text(&json, "unit", an_unit_name(an_value_unit(diff->value)));
    diff_write_json_amount(&json, diff, "total_before", diff->trees->before->sum[diff->value]);
    diff_write_json_amount(&json, diff, "total_after", diff->trees->after->sum[diff->value]);
    an_json_key(&json, "rows");
    an_json_list_open(&json);
    for (uint32_t i = 0; i < diff->shown; i++) {
        const struct diff_row *row = &diff->row[i];
        size_t bytes;
        const char *name = an_names_text(diff->keys, row->name, &bytes);
        an_json_line(&json);
        an_json_object_open(&json);
        an_json_key(&json, an_by_name(diff->options->by));
        an_json_text(&json, name, bytes);
        diff_write_json_amount(&json, diff, "self_before", row->self_before);
        diff_write_json_amount(&json, diff, "self_after", row->self_after);
        diff_write_json_amount(&json, diff, "total_before", row->total_before);
        diff_write_json_amount(&json, diff, "total_after", row->total_after);
        an_json_object_close(&json);
    }
    an_json_list_close(&json);
    an_json_object_close(&json);
    an_json_end(&json);
}

static int diff_print(struct diff *diff)
{
    const struct an_options *options = diff->options;
    struct an_outfile file;
    int status = an_command_open_output(&an_command_diff, options, NULL, &file);
    if (status)
        return status;
    diff_gather(diff);
    uint64_t top = options->top;
    if (!an_options_given(options, AN_OPTION_TOP) && options->format == AN_FORMAT_TEXT &&
        isatty(fileno(file.stream)))
        top = DIFF_TERMINAL_ROWS;
    diff->shown = top && top < diff->row_count ? (uint32_t)top : diff->row_count;
    if (options->format == AN_FORMAT_CSV)
        diff_print_csv(diff, file.stream);
    else if (options->format == AN_FORMAT_JSON)
        diff_print_json(diff, file.stream);
    else
        diff_print_text(diff, file.stream);
    an_names_free(diff->keys);
    free(diff->row);
    return an_command_close_output(&an_command_diff, &file, AN_EXIT_FINE);
}

/* --top on a page: so many callees of each frame, the largest by what they are on either side. */
static void diff_cap(struct an_diff *trees, enum an_value value, uint64_t most)
{
    struct an_tree *before = trees->before, *after = trees->after;
    if (most == 0)
        return;
    uint64_t *total = an_memory_array(after->node_count, sizeof(*total));
    for (uint32_t node = 0; node < after->node_count; node++)
        total[node] = before->self[value][node] > after->self[value][node]
                          ? before->self[value][node]
                          : after->self[value][node];
    for (uint32_t node = after->node_count - 1; node > 0; node--)
        total[after->parent[node]] += total[node];
    trees->before = an_cap_apply(before, total, most);
    trees->after = an_cap_apply(after, total, most);
    an_tree_free(before);
    an_tree_free(after);
    free(total);
}

static int diff_draw(const struct diff *diff)
{
    static const enum an_page_width widths[] = {[AN_WIDTH_MAX] = AN_PAGE_WIDTH_MAX,
                                                [AN_WIDTH_AFTER] = AN_PAGE_WIDTH_AFTER,
                                                [AN_WIDTH_BEFORE] = AN_PAGE_WIDTH_BEFORE};
    const struct an_options *options = diff->options;
    char subtitle[600];
    snprintf(subtitle, sizeof(subtitle), "%.250s%s \u2192 %.250s", diff->before,
             options->normalize ? " (scaled)" : "", diff->after);
    struct an_page_options page = {
        .kind = AN_PAGE_DIFFERENTIAL,
        .format = an_graph_format(options),
        .title = options->title ? options->title : "differential flamegraph",
        .subtitle = subtitle,
        .value = diff->value,
        .scale = diff->trees->scale,
        .palette = options->palette,
        .order = options->order,
        .before = diff->trees->before,
        .width = widths[options->width],
    };
    char *path = an_graph_default_path(options, diff->after, "diff");
    int status = an_graph_make(&an_command_diff, options, path, diff->trees->after, &page);
    free(path);
    return status;
}

/* Grown by more than --fail-above allows, in exact numbers; BEFORE is what it was, not scaled. */
static int diff_check_limit(const struct diff *diff, uint64_t before)
{
    uint64_t after = diff->trees->after->sum[diff->value];
    char text[AN_AMOUNT_MAX + 1];
    if (!an_options_given(diff->options, AN_OPTION_FAIL_ABOVE) || after <= before ||
        (unsigned __int128)(after - before) * 1000 <=
            (unsigned __int128)before * diff->options->fail_above_permille)
        return AN_EXIT_FINE;
    diff_share_text(before, after, text);
    return an_command_fail(&an_command_diff, AN_EXIT_EXCEEDED,
                           "%s: %s is more than +%" PRIu64 ".%u%%", an_value_name(diff->value),
                           text, diff->options->fail_above_permille / 10,
                           (unsigned)(diff->options->fail_above_permille % 10));
}

static int diff_choose_value(const struct an_options *options, const struct an_profile *before,
                             const struct an_profile *after, enum an_value *ret_value)
{
    enum an_value value = options->value;
    if (!an_options_given(options, AN_OPTION_VALUE) && !an_profile_default_value(after, &value))
        return an_command_fail(&an_command_diff, AN_EXIT_INPUT, "%s: there is nothing in it",
                               after->path);
    bool both = an_tree_has(before->tree, value) && an_tree_has(after->tree, value);
    /* Bytes allocated and bytes freed go by the same value. */
    if (!both || (before->kind == AN_KIND_DEALLOC) != (after->kind == AN_KIND_DEALLOC))
        return an_command_fail(&an_command_diff, AN_EXIT_USAGE,
                               "%s and %s: only runs of one kind can be compared", before->path,
                               after->path);
    *ret_value = value;
    return 0;
}

/* A page, unless rows are asked for or the format is a table's. */
static bool diff_draws(const struct an_options *options)
{
    if (an_options_given(options, AN_OPTION_FORMAT))
        return options->format >= AN_FORMAT_HTML;
    return !an_options_given(options, AN_OPTION_BY);
}

static int diff_profiles(const struct an_options *options, const struct an_profile *before,
                         const struct an_profile *after)
{
    struct an_diff trees;
    struct diff diff = {.options = options, .before = before->path, .after = after->path};
    int status = diff_choose_value(options, before, after, &diff.value);
    if (status)
        return status;
    if (an_diff_make(before, after, &trees) != 0)
        return an_command_fail(&an_command_diff, AN_EXIT_INPUT,
                               "%s and %s: have a sum over 2^64 - 1", before->path, after->path);
    diff.trees = &trees;
    bool draws = diff_draws(options);
    uint64_t total_before = trees.before->sum[diff.value];
    if (draws)
        diff_cap(&trees, diff.value, options->top);
    int failed = options->normalize ? an_diff_normalize(&trees, diff.value) : 0;
    if (failed)
        status = an_command_fail(&an_command_diff, AN_EXIT_INPUT, "%s: %s", before->path,
                                 failed == -ENODATA ? "there is nothing to normalize"
                                                    : "the normalized sum is over 2^64 - 1");
    else
        status = draws ? diff_draw(&diff) : diff_print(&diff);
    if (status == AN_EXIT_FINE)
        status = diff_check_limit(&diff, total_before);
    an_diff_release(&trees);
    return status;
}

/* One file with two numbers a line. */
static int diff_open_pair(const struct an_options *options, struct an_profile *ret_before,
                          struct an_profile *ret_after)
{
    struct an_fault fault = {""};
    if (an_input_open_pair(options->files[0], &options->input, ret_before, ret_after, &fault) != 0)
        return an_command_fail(&an_command_diff, AN_EXIT_INPUT, "%s", fault.text);
    an_command_prepare(&an_command_diff, options, ret_before);
    an_command_prepare(&an_command_diff, options, ret_after);
    return 0;
}

static int diff_read(const struct an_options *options, struct an_profile *ret_before,
                     struct an_profile *ret_after)
{
    if (options->file_count == 1)
        return diff_open_pair(options, ret_before, ret_after);
    int status = an_command_read_file(&an_command_diff, options, options->files[0], ret_before);
    if (status)
        return status;
    status = an_command_read_file(&an_command_diff, options, options->files[1], ret_after);
    if (status)
        an_profile_release(ret_before);
    return status;
}

static int diff_run(const struct an_options *options)
{
    struct an_options with_files = *options;
    struct an_profile before, after;
    if (an_options_given(options, AN_OPTION_BY) && diff_draws(options))
        return an_command_fail(&an_command_diff, AN_EXIT_USAGE,
                               "--by is for tables: text, csv or json");
    with_files.input.lines = options->input.lines || options->by == AN_BY_FILE;
    int status = diff_read(&with_files, &before, &after);
    if (status)
        return status;
    status = diff_profiles(options, &before, &after);
    an_profile_release(&before);
    an_profile_release(&after);
    return status;
}

const struct an_command an_command_diff = {
    .name = "diff",
    .operands = "BEFORE AFTER",
    .summary = "Compare two profiles, or both columns of one file",
    .options = AN_OPTIONS_READ | AN_OPTIONS_WRITE | AN_OPTION_BIT(FORMAT) | AN_OPTION_BIT(TITLE) |
               AN_OPTION_BIT(PALETTE) | AN_OPTION_BIT(OPEN) | AN_OPTION_BIT(NO_OPEN) |
               AN_OPTION_BIT(ORDER) | AN_OPTION_BIT(WIDTH) | AN_OPTION_BIT(NORMALIZE) |
               AN_OPTION_BIT(FAIL_ABOVE) | AN_OPTION_BIT(TOP) | AN_OPTION_BIT(BY),
    .ignores = AN_OPTIONS_COMMON,
    .run = diff_run,
    .files_min = 1,
    .files_max = 2,
};
