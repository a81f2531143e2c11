/*
 * info_folded.c -- what a folded file without its recording says about its run: no more than its
 * name and its sums.
 */
#include "analyzer/commands/info_folded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/input/runs.h"
#include "analyzer/output/amount.h"
#include "analyzer/output/json.h"

struct info_folded {
    const struct an_profile *profile;
    enum an_value value;
    char start[AN_RUN_TIME_MAX]; /* by its name; empty: not told */
    uint64_t stacks;             /* that own some of the value */
};

bool an_info_is_folded(const char *path)
{
    const char *folded = strstr(path, ".folded");
    return folded && (!folded[7] || !strcmp(folded + 7, ".gz") || !strcmp(folded + 7, ".zst"));
}

static void info_folded_gather(struct info_folded *info)
{
    const struct an_profile *profile = info->profile;
    const uint64_t *self = profile->tree->self[info->value];
    for (uint32_t node = 0; node < profile->tree->node_count; node++)
        info->stacks += self[node] != 0;
    if (profile->base_name) {
        int stamp = -1;
        struct an_run run = {0};
        char *base = an_input_base(profile->path, &stamp);
        if (stamp >= 0) {
            memcpy(run.stamp, base + stamp + 1, AN_RUN_STAMP_BYTES - 1);
            an_run_time_text(&run, info->start);
        }
        free(base);
    }
}

static const char *info_folded_words(const struct info_folded *info)
{
    bool freed = info->profile->kind == AN_KIND_DEALLOC && info->value == AN_BYTES;
    return freed ? "bytes freed" : an_value_title(info->value);
}

static void info_folded_print_text(const struct info_folded *info, FILE *out)
{
    const struct an_profile *profile = info->profile;
    char text[AN_AMOUNT_MAX];
    fprintf(out, "%-12s ", "program");
    an_command_print_name(out, profile->program ? profile->program : "\u2013");
    fprintf(out, "\n%-12s %s\n", "start", info->start[0] ? info->start : "\u2013");
    fprintf(out, "%-12s %s; without its recording, which knows more\n", "file",
            an_kind_title(profile->kind));
    an_amount_text(profile->tree->sum[info->value], profile->scale[info->value],
                   an_value_unit(info->value), text);
    fprintf(out, "%-12s %s, %s\n", "total", text, info_folded_words(info));
    an_amount_text(info->stacks, 1, AN_UNIT_COUNT, text);
    fprintf(out, "%-12s %s\n", "stacks", text);
    an_amount_text(profile->good_lines, 1, AN_UNIT_COUNT, text);
    fprintf(out, "%-12s %s", "lines", text);
    if (profile->bad.count)
        fprintf(out, ", and %" PRIu64 " that could not be used", profile->bad.count);
    putc('\n', out);
}

static void info_folded_print_json(const struct info_folded *info, FILE *out)
{
    const struct an_profile *profile = info->profile;
    struct an_json json;
    an_json_begin(&json, out);
    an_json_object_open(&json);
    an_json_pair_text(&json, "program", profile->program);
    an_json_pair_text(&json, "start", info->start[0] ? info->start : NULL);
    an_json_pair_text(&json, "kind", an_kind_title(profile->kind));
    an_json_pair_text(&json, "value", an_value_name(info->value));
    an_json_pair_text(&json, "unit", an_unit_name(an_value_unit(info->value)));
    an_json_key(&json, "total");
    an_json_amount(&json, profile->tree->sum[info->value], profile->scale[info->value]);
    an_json_pair_number(&json, "stacks", info->stacks);
    an_json_pair_number(&json, "lines", profile->good_lines);
    an_json_pair_number(&json, "bad_lines", profile->bad.count);
    an_json_object_close(&json);
    an_json_end(&json);
}

int an_info_folded(const struct an_options *options)
{
    struct an_profile profile;
    struct info_folded info = {.profile = &profile};
    struct an_outfile out;
    struct an_options plain = *options;
    /* All of it, as of a recording. */
    plain.given &= ~AN_OPTION_BIT(VALUE);
    plain.filter = an_filter_new(false);
    plain.input.folded_only = true;
    int status = an_command_read(&an_command_info, &plain, &profile, &info.value);
    an_filter_free(plain.filter);
    if (status)
        return status;
    info_folded_gather(&info);
    status = an_command_open_output(&an_command_info, options, NULL, &out);
    if (status == AN_EXIT_FINE) {
        if (options->format == AN_FORMAT_JSON)
            info_folded_print_json(&info, out.stream);
        else
            info_folded_print_text(&info, out.stream);
        status = an_command_close_output(&an_command_info, &out, AN_EXIT_FINE);
    }
    an_profile_release(&profile);
    return status;
}
