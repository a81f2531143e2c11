/*
 * sizes.c -- thag_profile sizes: how large the single allocations (or frees) were.
 */
#include <inttypes.h>
#include <string.h>

#include "analyzer/commands/command.h"
#include "analyzer/model/size_summary.h"
#include "analyzer/output/amount.h"
#include "analyzer/output/json.h"
#include "analyzer/output/table.h"

static void sizes_add_row(const struct an_size_summary *sizes, const struct an_size_range *range,
                          struct an_table *table, const struct an_table_style *style)
{
    char text[AN_AMOUNT_MAX];
    an_table_cell(table, range->title);
    an_amount_text(range->count, 1, AN_UNIT_COUNT, text);
    an_table_cell(table, text);
    an_share_text(range->count, sizes->count, text);
    an_table_cell(table, text);
    an_table_bar(table, range->count, sizes->count, style);
    an_amount_text(range->bytes, 1, AN_UNIT_BYTES, text);
    an_table_cell(table, text);
    an_share_text(range->bytes, sizes->bytes, text);
    an_table_cell(table, text);
    an_table_bar(table, range->bytes, sizes->bytes, style);
}

/* The smallest, the largest, and what most do not exceed. */
static void sizes_print_marks(const struct an_size_summary *sizes, FILE *out)
{
    char text[AN_AMOUNT_MAX];
    for (int i = 0; i < AN_SIZE_MARKS; i++) {
        an_amount_text(sizes->mark[i].bytes, 1, AN_UNIT_BYTES, text);
        fprintf(out, "%s%s %s", i > 0 ? "  " : "", sizes->mark[i].title, text);
    }
    putc('\n', out);
}

static void sizes_print_text(const struct an_size_summary *sizes, const char *path, FILE *out)
{
    const char *bytes_title = sizes->bytes_exact ? "bytes" : "at most";
    const struct an_table_column columns[] = {
        {"size", AN_ALIGN_LEFT}, {"count", AN_ALIGN_RIGHT},     {"share", AN_ALIGN_RIGHT},
        {"", AN_ALIGN_LEFT},     {bytes_title, AN_ALIGN_RIGHT}, {"share", AN_ALIGN_RIGHT},
        {"", AN_ALIGN_LEFT}};
    struct an_table_style style = an_command_style(out);
    struct an_table *table = an_table_new(columns, sizeof(columns) / sizeof(columns[0]));
    char text[AN_AMOUNT_MAX];
    for (int i = 0; i < AN_SIZE_RANGES; i++)
        sizes_add_row(sizes, &sizes->range[i], table, &style);
    an_command_print_name(out, an_command_input_name(path));
    an_amount_text(sizes->count, 1, AN_UNIT_COUNT, text);
    fprintf(out, ": %s %s%s, ", text, sizes->freed ? "free" : "allocation",
            sizes->count == 1 ? "" : "s");
    an_amount_text(sizes->total_bytes, 1, AN_UNIT_BYTES, text);
    fprintf(out, "%s\n", text);
    an_table_print(table, &style, out);
    an_table_free(table);
    if (sizes->count != 0)
        sizes_print_marks(sizes, out);
}

static void sizes_print_csv(const struct an_size_summary *sizes, FILE *out)
{
    fputs("size,limit_bytes,count,bytes\n", out);
    for (int i = 0; i < AN_SIZE_RANGES; i++) {
        const struct an_size_range *range = &sizes->range[i];
        an_csv_text(out, range->title, strlen(range->title));
        putc(',', out);
        if (i + 1 < AN_SIZE_RANGES) /* the last one has no limit */
            fprintf(out, "%" PRIu64, range->limit_bytes);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", range->count, range->bytes);
    }
}

static void sizes_print_json(const struct an_size_summary *sizes, const char *path, FILE *out)
{
    struct an_json json;
    an_json_begin(&json, out);
    an_json_object_open(&json);
    an_json_pair_text(&json, "file", path);
    an_json_pair_number(&json, "count", sizes->count);
    an_json_pair_number(&json, "bytes", sizes->total_bytes);
    an_json_key(&json, "bytes_exact");
    an_json_bool(&json, sizes->bytes_exact);
    for (int i = 0; i < AN_SIZE_MARKS && sizes->count != 0; i++)
        an_json_pair_number(&json, sizes->mark[i].title, sizes->mark[i].bytes);
    an_json_key(&json, "sizes");
    an_json_list_open(&json);
    for (int i = 0; i < AN_SIZE_RANGES; i++) {
        an_json_line(&json);
        an_json_object_open(&json);
        an_json_pair_text(&json, "size", sizes->range[i].title);
        an_json_pair_number(&json, "count", sizes->range[i].count);
        an_json_pair_number(&json, "bytes", sizes->range[i].bytes);
        an_json_object_close(&json);
    }
    an_json_list_close(&json);
    an_json_object_close(&json);
    an_json_end(&json);
}

static int sizes_print(const struct an_options *options, const struct an_profile *profile)
{
    struct an_size_summary sizes;
    struct an_outfile file;
    int status = an_command_open_output(&an_command_sizes, options, NULL, &file);
    if (status)
        return status;
    an_size_summary_make(profile, &sizes);
    if (options->format == AN_FORMAT_CSV)
        sizes_print_csv(&sizes, file.stream);
    else if (options->format == AN_FORMAT_JSON)
        sizes_print_json(&sizes, profile->path, file.stream);
    else
        sizes_print_text(&sizes, profile->path, file.stream);
    return an_command_close_output(&an_command_sizes, &file, AN_EXIT_FINE);
}

static int sizes_run(const struct an_options *options)
{
    struct an_profile profile;
    struct an_options with_sizes = *options;
    enum an_value value;
    with_sizes.input.sizes = true;
    if (!an_filter_is_empty(options->filter))
        with_sizes.input.sizes_of = options->filter;
    int status = an_command_read(&an_command_sizes, &with_sizes, &profile, &value);
    if (status)
        return status;
    if (profile.sizes)
        status = sizes_print(options, &profile);
    else
        status = an_command_fail(&an_command_sizes, AN_EXIT_USAGE,
                                 "%s: its values are sums; sizes of single allocations are in a "
                                 "recording or a detail file",
                                 profile.path);
    an_profile_release(&profile);
    return status;
}

const struct an_command an_command_sizes = {
    .name = "sizes",
    .operands = "FILE...",
    .summary = "Tell how large single allocations were",
    .options = AN_OPTIONS_STACKS | AN_OPTIONS_WRITE | AN_OPTION_BIT(FORMAT),
    .ignores = AN_OPTIONS_COMMON,
    .run = sizes_run,
    .files_min = 1,
    .files_max = UINT32_MAX,
};
