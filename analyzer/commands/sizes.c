/*
 * sizes.c -- thag_profile sizes: how large the single allocations (or frees) were.
 */
#include <inttypes.h>
#include <string.h>

#include "analyzer/commands/command.h"
#include "analyzer/output/amount.h"
#include "analyzer/output/json.h"
#include "analyzer/output/table.h"

struct sizes_bucket {
    const char *title;
    uint64_t limit_bytes; /* the largest size in it; all are limits of size classes */
    uint64_t count;
    uint64_t bytes;
};

#define SIZES_BUCKETS 7

struct sizes {
    const struct an_profile *profile;
    struct sizes_bucket bucket[SIZES_BUCKETS];
    uint64_t count, bytes;
    uint64_t total_bytes; /* exact, where the buckets are bounds only */
};

static const unsigned sizes_permille[] = {500, 900, 990};

static void sizes_gather(struct sizes *sizes)
{
    static const struct sizes_bucket buckets[SIZES_BUCKETS] = {
        {"0-64", 64, 0, 0},        {"65-256", 256, 0, 0},   {"257-1K", 1024, 0, 0},
        {"1K-4K", 4096, 0, 0},     {"4K-16K", 16384, 0, 0}, {"16K-64K", 65536, 0, 0},
        {">64K", UINT64_MAX, 0, 0}};
    const struct an_sizes *all = sizes->profile->sizes;
    memcpy(sizes->bucket, buckets, sizeof(buckets));
    struct sizes_bucket *bucket = sizes->bucket;
    for (unsigned i = 0; i < AN_SIZE_CLASSES; i++) {
        while (an_sizes_limit(i) > bucket->limit_bytes)
            bucket++;
        bucket->count += all->count[i];
        bucket->bytes += all->bytes[i];
        sizes->count += all->count[i];
        sizes->bytes += all->bytes[i];
    }
    sizes->total_bytes = sizes->bytes;
    if (!all->bytes_exact && an_tree_has(sizes->profile->tree, AN_BYTES))
        sizes->total_bytes = sizes->profile->tree->sum[AN_BYTES] / sizes->profile->scale[AN_BYTES];
}

static void sizes_add_row(const struct sizes *sizes, const struct sizes_bucket *bucket,
                          struct an_table *table, const struct an_table_style *style)
{
    char text[AN_AMOUNT_MAX];
    an_table_cell(table, bucket->title);
    an_amount_text(bucket->count, 1, AN_UNIT_COUNT, text);
    an_table_cell(table, text);
    an_share_text(bucket->count, sizes->count, text);
    an_table_cell(table, text);
    an_table_bar(table, bucket->count, sizes->count, style);
    an_amount_text(bucket->bytes, 1, AN_UNIT_BYTES, text);
    an_table_cell(table, text);
    an_share_text(bucket->bytes, sizes->bytes, text);
    an_table_cell(table, text);
    an_table_bar(table, bucket->bytes, sizes->bytes, style);
}

/* The smallest, the largest, and what most do not exceed. */
static void sizes_print_single(const struct an_sizes *all, FILE *out)
{
    char text[AN_AMOUNT_MAX];
    an_amount_text(all->min_bytes, 1, AN_UNIT_BYTES, text);
    fprintf(out, "min %s  ", text);
    for (size_t i = 0; i < sizeof(sizes_permille) / sizeof(sizes_permille[0]); i++) {
        an_amount_text(an_sizes_quantile(all, sizes_permille[i]), 1, AN_UNIT_BYTES, text);
        fprintf(out, "p%u %s  ", sizes_permille[i] / 10, text);
    }
    an_amount_text(all->max_bytes, 1, AN_UNIT_BYTES, text);
    fprintf(out, "max %s\n", text);
}

static void sizes_print_text(const struct sizes *sizes, FILE *out)
{
    const struct an_sizes *all = sizes->profile->sizes;
    const char *bytes_title = all->bytes_exact ? "bytes" : "at most";
    const struct an_table_column columns[] = {
        {"size", AN_ALIGN_LEFT}, {"count", AN_ALIGN_RIGHT},     {"share", AN_ALIGN_RIGHT},
        {"", AN_ALIGN_LEFT},     {bytes_title, AN_ALIGN_RIGHT}, {"share", AN_ALIGN_RIGHT},
        {"", AN_ALIGN_LEFT}};
    struct an_table_style style = an_command_style(out);
    struct an_table *table = an_table_new(columns, sizeof(columns) / sizeof(columns[0]));
    char text[AN_AMOUNT_MAX];
    for (int i = 0; i < SIZES_BUCKETS; i++)
        sizes_add_row(sizes, &sizes->bucket[i], table, &style);
    an_command_print_name(out, an_command_input_name(sizes->profile->path));
    an_amount_text(sizes->count, 1, AN_UNIT_COUNT, text);
    fprintf(out, ": %s %s%s, ", text,
            sizes->profile->kind == AN_KIND_DEALLOC ? "free" : "allocation",
            sizes->count == 1 ? "" : "s");
    an_amount_text(sizes->total_bytes, 1, AN_UNIT_BYTES, text);
    fprintf(out, "%s\n", text);
    an_table_print(table, &style, out);
    an_table_free(table);
    if (sizes->count != 0)
        sizes_print_single(all, out);
}

static void sizes_print_csv(const struct sizes *sizes, FILE *out)
{
    fputs("size,limit_bytes,count,bytes\n", out);
    for (int i = 0; i < SIZES_BUCKETS; i++) {
        const struct sizes_bucket *bucket = &sizes->bucket[i];
        an_csv_text(out, bucket->title, strlen(bucket->title));
        putc(',', out);
        if (i + 1 < SIZES_BUCKETS) /* the last one has no limit */
            fprintf(out, "%" PRIu64, bucket->limit_bytes);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", bucket->count, bucket->bytes);
    }
}

static void sizes_write_json_single(const struct an_sizes *all, struct an_json *json)
{
    an_json_pair_number(json, "min", all->min_bytes);
    for (size_t i = 0; i < sizeof(sizes_permille) / sizeof(sizes_permille[0]); i++) {
        char key[16];
        snprintf(key, sizeof(key), "p%u", sizes_permille[i] / 10);
        an_json_pair_number(json, key, an_sizes_quantile(all, sizes_permille[i]));
    }
    an_json_pair_number(json, "max", all->max_bytes);
}

static void sizes_print_json(const struct sizes *sizes, FILE *out)
{
    const struct an_sizes *all = sizes->profile->sizes;
    struct an_json json;
    an_json_begin(&json, out);
    an_json_object_open(&json);
    an_json_pair_text(&json, "file", sizes->profile->path);
    an_json_pair_number(&json, "count", sizes->count);
    an_json_pair_number(&json, "bytes", sizes->total_bytes);
    an_json_key(&json, "bytes_exact");
    an_json_bool(&json, all->bytes_exact);
    if (sizes->count != 0)
        sizes_write_json_single(all, &json);
    an_json_key(&json, "sizes");
    an_json_list_open(&json);
    for (int i = 0; i < SIZES_BUCKETS; i++) {
        an_json_line(&json);
        an_json_object_open(&json);
        an_json_pair_text(&json, "size", sizes->bucket[i].title);
        an_json_pair_number(&json, "count", sizes->bucket[i].count);
        an_json_pair_number(&json, "bytes", sizes->bucket[i].bytes);
        an_json_object_close(&json);
    }
    an_json_list_close(&json);
    an_json_object_close(&json);
    an_json_end(&json);
}

static int sizes_print(const struct an_options *options, const struct an_profile *profile)
{
    struct sizes sizes = {.profile = profile};
    struct an_outfile file;
    int status = an_command_open_output(&an_command_sizes, options, NULL, &file);
    if (status)
        return status;
    sizes_gather(&sizes);
    if (options->format == AN_FORMAT_CSV)
        sizes_print_csv(&sizes, file.stream);
    else if (options->format == AN_FORMAT_JSON)
        sizes_print_json(&sizes, file.stream);
    else
        sizes_print_text(&sizes, file.stream);
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
