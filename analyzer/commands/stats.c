/*
 * stats.c -- thag_profile stats: a table of functions, stacks, files or modules.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/commands/stats.h"
#include "analyzer/output/amount.h"
#include "analyzer/output/json.h"
#include "analyzer/output/table.h"
#include "analyzer/support/memory.h"

/* On a terminal, unless --top says otherwise: more scrolls away. */
#define STATS_TERMINAL_ROWS 40u
/* Columns that the line about the heap takes at most, or nearly so. */
#define STATS_HEAP_WIDTH 130u
/* The dash of a value that is not known. */
#define STATS_UNKNOWN "\u2013"

/* Before an amount that the true one is not over. */
static const char *stats_most(const struct an_table_style *style)
{
    return style->utf8 ? "\u2264" : "<=";
}

struct stats {
    const struct an_options *options;
    const struct an_profile *profile;
    const struct an_statistics *table;
    uint32_t shown;  /* rows */
    bool has_bounds; /* own times had the recorder's cost in them */
    bool follows;    /* after another table of the same profile */
};

/* With the recorder's cost in it. */
static uint64_t stats_self_most(const struct an_statistics_row *row)
{
    return row->facts.cost > UINT64_MAX - row->self ? UINT64_MAX : row->self + row->facts.cost;
}

static bool stats_find_bounds(const struct an_statistics *table)
{
    bool found = false;
    for (uint32_t i = 0; i < table->row_count && table->has_facts && table->has_self; i++)
        found |= table->row[i].facts.cost != 0;
    return found;
}

static uint64_t stats_scale(const struct stats *stats)
{
    return stats->profile->scale[stats->table->value];
}

static enum an_unit stats_unit(const struct stats *stats)
{
    return an_value_unit(stats->table->value);
}

/* Are single calls, or single allocations, a question at all? */
static bool stats_has_singles(const struct stats *stats)
{
    enum an_value value = stats->table->value;
    return value == AN_TIME || value == AN_INCLUSIVE || value == AN_BYTES;
}

static bool stats_has_times(const struct stats *stats)
{
    return an_value_unit(stats->table->value) == AN_UNIT_NS;
}

/* Sizes are not scaled: a fraction of a byte is none. */
static uint64_t stats_single_scale(const struct stats *stats)
{
    return stats->table->has_sizes ? 1 : stats_scale(stats);
}

static bool stats_has_average(const struct stats *stats, const struct an_statistics_row *row)
{
    return stats->table->has_average && row->calls;
}

static void stats_cell_amount(const struct stats *stats, struct an_table *table, bool known,
                              uint64_t amount)
{
    char text[AN_AMOUNT_MAX];
    an_amount_text(amount, stats_scale(stats), stats_unit(stats), text);
    an_table_cell(table, known ? text : STATS_UNKNOWN);
}

static void stats_cell_count(const struct stats *stats, struct an_table *table, uint64_t calls)
{
    char text[AN_AMOUNT_MAX];
    an_amount_text(calls, stats->profile->scale[stats->table->calls_value], AN_UNIT_COUNT, text);
    an_table_cell(table, stats->table->has_calls ? text : STATS_UNKNOWN);
}

/* The bounds of what the row's own time can be: "~" before it, and what it is at most. */
static void stats_cell_self(const struct stats *stats, struct an_table *table,
                            const struct an_statistics_row *row)
{
    char text[AN_AMOUNT_MAX + 1] = "~", *number = text;
    if (an_statistics_is_below(stats->table, row))
        number++;
    an_amount_text(row->self, stats_scale(stats), stats_unit(stats), number);
    an_table_cell(table, stats->table->has_self ? text : STATS_UNKNOWN);
    if (stats->has_bounds)
        stats_cell_amount(stats, table, true, stats_self_most(row));
}

/* A least that is known by its upper bound alone has STATS_MOST before it. */
static void stats_cells_single(const struct stats *stats, struct an_table *table,
                               const struct an_statistics_row *row,
                               const struct an_table_style *style)
{
    struct an_statistics_single single;
    char text[AN_AMOUNT_MAX + 8];
    if (!an_statistics_single(stats->table, row, &single)) {
        an_table_cell(table, STATS_UNKNOWN);
        an_table_cell(table, STATS_UNKNOWN);
        return;
    }
    uint64_t scale = stats_single_scale(stats);
    char *number = stpcpy(text, single.least == single.shortest ? "" : stats_most(style));
    an_amount_text(single.shortest, scale, stats_unit(stats), number);
    an_table_cell(table, text);
    an_amount_text(single.longest, scale, stats_unit(stats), text);
    an_table_cell(table, text);
}

static void stats_add_row(const struct stats *stats, struct an_table *table,
                          const struct an_statistics_row *row, const struct an_table_style *style)
{
    char share[AN_AMOUNT_MAX];
    size_t bytes;
    uint64_t whole = stats->table->whole;
    bool has_self = stats->table->has_self;
    uint64_t main = has_self ? row->self : row->total;
    stats_cell_self(stats, table, row);
    an_share_text(main, whole, share);
    an_table_cell(table, share);
    an_table_bar(table, main, whole, style);
    stats_cell_amount(stats, table, true, row->total);
    an_share_text(row->total, whole, share);
    an_table_cell(table, share);
    stats_cell_count(stats, table, row->calls);
    stats_cell_amount(stats, table, stats_has_average(stats, row),
                      an_statistics_average(stats->table, row) *
                          stats->profile->scale[stats->table->calls_value]);
    if (stats_has_singles(stats))
        stats_cells_single(stats, table, row, style);
    char *text = an_statistics_text(stats->table, stats->profile->tree, row, &bytes);
    an_table_name(table, text, bytes);
    free(text);
}

static const char *stats_calls_title(const struct stats *stats)
{
    if (!stats->table->has_calls)
        return "calls";
    if (stats->profile->kind == AN_KIND_DEALLOC && stats->table->calls_value == AN_ALLOCATIONS)
        return an_value_name(AN_FREES);
    return an_value_name(stats->table->calls_value);
}

/* "/path/app-....folded: bytes allocated, 12.3 MiB in 45 functions" */
static void stats_print_heading(const struct stats *stats, FILE *out)
{
    char whole[AN_AMOUNT_MAX];
    const char *title = stats->options->title ? stats->options->title : stats->profile->path;
    const char *words = an_value_title(stats->table->value);
    if (stats->profile->kind == AN_KIND_DEALLOC && stats->table->value == AN_BYTES)
        words = "bytes freed";
    an_amount_text(stats->table->whole, stats_scale(stats), stats_unit(stats), whole);
    an_command_print_name(out, an_command_input_name(title));
    if (stats->profile->file_count > 1 && !stats->options->title)
        fprintf(out, " and %u more", stats->profile->file_count - 1);
    const char *many = stats->table->by == AN_BY_PROCESS ? "es" : "s";
    const char *rate = an_profile_rate(stats->profile, stats->table->value);
    fprintf(out, ": %s, %s in %" PRIu32 " %s%s%s%s\n", words, whole, stats->table->row_count,
            an_by_name(stats->table->by), stats->table->row_count == 1 ? "" : many,
            rate ? "; " : "", rate ? rate : "");
}

static void stats_print_sum(const struct stats *stats, const char *before, enum an_value value,
                            const char *behind, FILE *out)
{
    char text[AN_AMOUNT_MAX];
    const struct an_profile *profile = stats->profile;
    if (!an_tree_has(profile->tree, value))
        return;
    an_amount_text(profile->tree->sum[value], profile->scale[value], an_value_unit(value), text);
    fprintf(out, "%s%s%s", before, text, behind);
}

/*
 * What a recording of the heap knows: "1 000 allocations of 47.6 MiB, 900 freed, ...", on two lines
 * where it does not fit one.
 */
static void stats_print_heap(const struct stats *stats, FILE *out)
{
    unsigned width = an_command_style(out).width;
    const char *next = width && width < STATS_HEAP_WIDTH ? "\n" : "; ";
    const struct an_profile *profile = stats->profile;
    char peak[AN_AMOUNT_MAX];
    bool heap = an_tree_has(profile->tree, AN_ALLOCATIONS) && an_tree_has(profile->tree, AN_FREES);
    /* Beside a table of times it would say nothing about them. */
    if (!heap || stats->table->value < AN_BYTES)
        return;
    stats_print_sum(stats, "", AN_ALLOCATIONS, " allocations", out);
    stats_print_sum(stats, " of ", AN_BYTES, "", out);
    stats_print_sum(stats, ", ", AN_FREES, " freed", out);
    stats_print_sum(stats, " (", AN_TEMPORARY, " temporary)", out);
    fputs(next, out);
    stats_print_sum(stats, "at the end ", AN_LIVE_BLOCKS, " live", out);
    stats_print_sum(stats, ", ", AN_LIVE_BYTES, "", out);
    an_amount_text(profile->peak_bytes, 1, AN_UNIT_BYTES, peak);
    if (profile->peak_bytes)
        fprintf(out, "; peak of the program %s", peak);
    putc('\n', out);
}

static struct an_table *stats_new_table(const struct stats *stats)
{
    struct an_table_column column[AN_TABLE_COLUMNS_MAX];
    unsigned count = 0, share, average;
    column[count++] = (struct an_table_column){"self", AN_ALIGN_RIGHT};
    if (stats->has_bounds)
        column[count++] = (struct an_table_column){"at most", AN_ALIGN_RIGHT};
    column[count++] = (struct an_table_column){"share", AN_ALIGN_RIGHT};
    column[count++] = (struct an_table_column){"", AN_ALIGN_LEFT};
    column[count++] = (struct an_table_column){"total", AN_ALIGN_RIGHT};
    share = count;
    column[count++] = (struct an_table_column){"share", AN_ALIGN_RIGHT};
    column[count++] = (struct an_table_column){stats_calls_title(stats), AN_ALIGN_RIGHT};
    average = count;
    column[count++] = (struct an_table_column){"average", AN_ALIGN_RIGHT};
    if (stats_has_singles(stats)) {
        column[count++] = (struct an_table_column){"min", AN_ALIGN_RIGHT};
        column[count++] = (struct an_table_column){"max", AN_ALIGN_RIGHT};
    }
    column[count++] = (struct an_table_column){an_by_name(stats->table->by), AN_ALIGN_LEFT};
    struct an_table *table = an_table_new(column, count);
    /* What the others tell: part of the whole, self or total by calls. */
    an_table_spare(table, share, "the share of the total");
    an_table_spare(table, average, "the average");
    return table;
}

static void stats_print_below(const struct stats *stats, FILE *out)
{
    for (uint32_t i = 0; i < stats->shown; i++) {
        if (!an_statistics_is_below(stats->table, &stats->table->row[i]))
            continue;
        fputs("~: below what the clock can tell; half or more of what was measured is the "
              "recorder's own cost.\n   The true time lies between 0 and \"at most\".\n",
              out);
        return;
    }
}

static void stats_print_classes(const struct stats *stats, const struct an_table_style *style,
                                FILE *out)
{
    struct an_statistics_single single;
    for (uint32_t i = 0; i < stats->shown; i++) {
        if (!an_statistics_single(stats->table, &stats->table->row[i], &single) ||
            single.least == single.shortest)
            continue;
        fprintf(out,
                "%s: the smallest size is known to its size class alone and is at most this, at "
                "most an\n   eighth above the true one.\n",
                stats_most(style));
        return;
    }
}

static void stats_print_text(const struct stats *stats, FILE *out)
{
    struct an_table_style style = an_command_style(out);
    struct an_table *table = stats_new_table(stats);
    for (uint32_t i = 0; i < stats->shown; i++)
        stats_add_row(stats, table, &stats->table->row[i], &style);
    stats_print_heading(stats, out);
    if (!stats->follows)
        stats_print_heap(stats, out);
    an_table_print(table, &style, out);
    if (stats->shown < stats->table->row_count)
        fprintf(out, "%" PRIu32 " more; --top 0 shows all\n",
                stats->table->row_count - stats->shown);
    stats_print_below(stats, out);
    stats_print_classes(stats, &style, out);
    an_table_free(table);
}

static void stats_print_csv_singles(const struct stats *stats, const struct an_statistics_row *row,
                                    FILE *out)
{
    char shortest[AN_AMOUNT_MAX] = "", longest[AN_AMOUNT_MAX] = "", bound[AN_AMOUNT_MAX] = "";
    struct an_statistics_single single;
    if (!stats_has_singles(stats))
        return;
    if (an_statistics_single(stats->table, row, &single)) {
        an_amount_exact(single.shortest, stats_single_scale(stats), shortest);
        an_amount_exact(single.longest, stats_single_scale(stats), longest);
        if (!stats_has_times(stats))
            an_amount_exact(single.least, stats_single_scale(stats), bound);
    }
    if (stats->has_bounds)
        an_amount_exact(stats_self_most(row), stats_scale(stats), bound);
    fprintf(out, ",%s,%s,%s", shortest, longest, bound);
}

static void stats_print_csv_row(const struct stats *stats, const struct an_statistics_row *row,
                                FILE *out)
{
    char self[AN_AMOUNT_MAX] = "", total[AN_AMOUNT_MAX], calls[AN_AMOUNT_MAX] = "";
    char average[AN_AMOUNT_MAX] = "";
    size_t bytes;
    uint64_t scale = stats_scale(stats);
    uint64_t calls_scale = stats->profile->scale[stats->table->calls_value];
    char *text = an_statistics_text(stats->table, stats->profile->tree, row, &bytes);
    if (stats->table->has_self)
        an_amount_exact(row->self, scale, self);
    an_amount_exact(row->total, scale, total);
    if (stats->table->has_calls)
        an_amount_exact(row->calls, calls_scale, calls);
    if (stats_has_average(stats, row))
        an_amount_exact(an_statistics_average(stats->table, row) * calls_scale, scale, average);
    an_csv_text(out, text, bytes);
    fprintf(out, ",%s,%s,%s,%s", self, total, calls, average);
    stats_print_csv_singles(stats, row, out);
    putc('\n', out);
    free(text);
}

static void stats_print_csv(const struct stats *stats, FILE *out)
{
    const char *unit = an_unit_name(stats_unit(stats));
    fprintf(out, "%s,self_%s,total_%s,%s,average_%s", an_by_name(stats->table->by), unit, unit,
            stats_calls_title(stats), unit);
    if (stats_has_singles(stats))
        fprintf(out, ",min_%s,max_%s,%s_%s", unit, unit,
                stats_has_times(stats) ? "self_at_most" : "min_at_least", unit);
    putc('\n', out);
    for (uint32_t i = 0; i < stats->shown; i++)
        stats_print_csv_row(stats, &stats->table->row[i], out);
}

static void stats_write_json_singles(const struct stats *stats, const struct an_statistics_row *row,
                                     struct an_json *json)
{
    struct an_statistics_single single;
    if (an_statistics_single(stats->table, row, &single)) {
        an_json_key(json, "min");
        an_json_amount(json, single.shortest, stats_single_scale(stats));
        if (!stats_has_times(stats)) {
            an_json_key(json, "min_at_least");
            an_json_amount(json, single.least, stats_single_scale(stats));
        }
        an_json_key(json, "max");
        an_json_amount(json, single.longest, stats_single_scale(stats));
    }
    if (stats->has_bounds) {
        an_json_key(json, "self_at_most");
        an_json_amount(json, stats_self_most(row), stats_scale(stats));
        an_json_key(json, "below_resolution");
        an_json_bool(json, an_statistics_is_below(stats->table, row));
    }
}

static void stats_write_json_row(const struct stats *stats, const struct an_statistics_row *row,
                                 struct an_json *json)
{
    size_t bytes;
    char *text = an_statistics_text(stats->table, stats->profile->tree, row, &bytes);
    uint64_t calls_scale = stats->profile->scale[stats->table->calls_value];
    an_json_line(json);
    an_json_object_open(json);
    an_json_key(json, an_by_name(stats->table->by));
    an_json_text(json, text, bytes);
    free(text);
    an_json_key(json, "self");
    if (stats->table->has_self)
        an_json_amount(json, row->self, stats_scale(stats));
    else
        an_json_null(json);
    an_json_key(json, "total");
    an_json_amount(json, row->total, stats_scale(stats));
    if (stats->table->has_calls) {
        an_json_key(json, stats_calls_title(stats));
        an_json_amount(json, row->calls, calls_scale);
    }
    if (stats_has_average(stats, row)) {
        an_json_key(json, "average");
        an_json_amount(json, an_statistics_average(stats->table, row) * calls_scale,
                       stats_scale(stats));
    }
    stats_write_json_singles(stats, row, json);
    an_json_object_close(json);
}

static void stats_print_json(const struct stats *stats, FILE *out)
{
    struct an_json json;
    an_json_begin(&json, out);
    an_json_object_open(&json);
    an_json_pair_text(&json, "file", stats->profile->path);
    an_json_pair_number(&json, "files", stats->profile->file_count);
    an_json_pair_text(&json, "program", stats->profile->program);
    an_json_pair_text(&json, "value", an_value_name(stats->table->value));
    an_json_pair_text(&json, "unit", an_unit_name(stats_unit(stats)));
    an_json_key(&json, "total");
    an_json_amount(&json, stats->table->whole, stats_scale(stats));
    an_json_pair_number(&json, "bad_lines", stats->profile->bad.count);
    an_json_pair_number(&json, "row_count", stats->table->row_count);
    an_json_key(&json, "rows");
    an_json_list_open(&json);
    for (uint32_t i = 0; i < stats->shown; i++)
        stats_write_json_row(stats, &stats->table->row[i], &json);
    an_json_list_close(&json);
    an_json_object_close(&json);
    an_json_end(&json);
}

/* --sort; else --order; else the value itself. */
static enum an_sort stats_sort(const struct an_options *options, const struct an_statistics *table)
{
    if (an_options_given(options, AN_OPTION_SORT))
        return options->sort;
    if (an_options_given(options, AN_OPTION_ORDER) && options->order == AN_BY_NAME)
        return AN_SORT_NAME;
    return table->has_self ? AN_SORT_SELF : AN_SORT_TOTAL;
}

static uint32_t stats_rows_shown(const struct stats *stats, FILE *out)
{
    uint64_t top = stats->options->top;
    if (!an_options_given(stats->options, AN_OPTION_TOP) &&
        stats->options->format == AN_FORMAT_TEXT && isatty(fileno(out)))
        top = STATS_TERMINAL_ROWS;
    return top && top < stats->table->row_count ? (uint32_t)top : stats->table->row_count;
}

static int stats_print(const struct an_options *options, const struct an_profile *profile,
                       const struct an_statistics *table, bool follows)
{
    struct an_outfile file;
    struct stats stats = {options, profile, table, 0, stats_find_bounds(table), follows};
    int status = an_command_open_output(&an_command_stats, options, NULL, &file);
    if (status)
        return status;
    stats.shown = stats_rows_shown(&stats, file.stream);
    if (options->format == AN_FORMAT_CSV)
        stats_print_csv(&stats, file.stream);
    else if (options->format == AN_FORMAT_JSON)
        stats_print_json(&stats, file.stream);
    else
        stats_print_text(&stats, file.stream);
    return an_command_close_output(&an_command_stats, &file, AN_EXIT_FINE);
}

static int stats_check_limit(const struct an_options *options, const struct an_profile *profile,
                             const struct an_statistics *table)
{
    char whole[AN_AMOUNT_MAX];
    uint64_t scale = profile->scale[table->value];
    bool whole_exceeds =
        table->whole / scale > options->fail_above_bytes ||
        (table->whole / scale == options->fail_above_bytes && table->whole % scale != 0);
    if (!an_options_given(options, AN_OPTION_FAIL_ABOVE_BYTES) || !whole_exceeds)
        return AN_EXIT_FINE;
    an_amount_exact(table->whole, scale, whole);
    return an_command_fail(&an_command_stats, AN_EXIT_EXCEEDED, "%s %s is more than %" PRIu64,
                           an_value_name(table->value), whole, options->fail_above_bytes);
}

static int stats_read(const struct an_options *options, struct an_profile *ret_profile,
                      enum an_value *ret_value)
{
    struct an_options with_files = *options;
    with_files.input.lines = options->input.lines || options->by == AN_BY_FILE;
    with_files.input.node_sizes = true;
    int status = an_command_read(&an_command_stats, &with_files, ret_profile, ret_value);
    if (status != AN_EXIT_FINE || !an_options_given(options, AN_OPTION_FAIL_ABOVE_BYTES))
        return status;
    if (an_value_unit(*ret_value) != AN_UNIT_NS && an_value_unit(*ret_value) != AN_UNIT_US)
        return status;
    an_profile_release(ret_profile);
    return an_command_fail(&an_command_stats, AN_EXIT_USAGE,
                           "--fail-above-bytes limits bytes or counts, not the value '%s'",
                           an_value_name(*ret_value));
}

/* FOLLOWS: it is not the first table of this profile. */
static int stats_show(const struct an_options *options, const struct an_profile *profile,
                      enum an_value value, bool follows)
{
    struct an_statistics *table = an_statistics_new(profile->tree, value, options->by);
    an_statistics_sort(table, profile->tree, stats_sort(options, table));
    int status = stats_print(options, profile, table, follows);
    if (status == AN_EXIT_FINE)
        status = stats_check_limit(options, profile, table);
    an_statistics_free(table);
    return status;
}

static int stats_run(const struct an_options *options)
{
    struct an_profile profile;
    enum an_value value;
    int status = stats_read(options, &profile, &value);
    if (status)
        return status;
    status = stats_show(options, &profile, value, false);
    an_profile_release(&profile);
    return status;
}

int an_stats_run_values(const struct an_options *options, const enum an_value *values)
{
    struct an_profile profile;
    enum an_value value;
    bool follows = false;
    int status = stats_read(options, &profile, &value);
    if (status)
        return status;
    for (; *values != AN_VALUE_COUNT && status == AN_EXIT_FINE; values++) {
        if (!an_tree_has(profile.tree, *values) || (follows && profile.tree->sum[*values] == 0))
            continue;
        if (follows)
            putc('\n', an_command_out());
        status = stats_show(options, &profile, *values, follows);
        follows = true;
    }
    an_profile_release(&profile);
    return status;
}

const struct an_command an_command_stats = {
    .name = "stats",
    .operands = "FILE...",
    .summary = "Tabulate own and total amounts, calls and averages",
    .options = AN_OPTIONS_READ | AN_OPTIONS_WRITE | AN_OPTION_BIT(BY) | AN_OPTION_BIT(SORT) |
               AN_OPTION_BIT(ORDER) | AN_OPTION_BIT(TOP) | AN_OPTION_BIT(FORMAT) |
               AN_OPTION_BIT(TITLE) | AN_OPTION_BIT(FAIL_ABOVE_BYTES) | AN_OPTION_BIT(SUPPRESS),
    .ignores = AN_OPTIONS_COMMON,
    .run = stats_run,
    .files_min = 1,
    .files_max = UINT32_MAX,
};
