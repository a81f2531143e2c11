/*
 * convert.c -- thag_profile convert: the same data for other tools.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/commands/command.h"
#include "analyzer/output/export.h"
#include "analyzer/output/folded_writer.h"
#include "analyzer/support/memory.h"

static void convert_to_folded(const struct an_options *options, const struct an_profile *profile,
                              enum an_value value, FILE *out)
{
    struct an_folded_output output = {
        .value = value,
        .scale = profile->scale[value],
        .nanoseconds = options->input.unit_given && options->input.unit == AN_UNIT_NS,
        /* What was read from text loses nothing; a recording's ns are rounded once. */
        .exact = !profile->recorded,
        .order = options->order,
    };
    an_folded_write(profile->tree, &output, out);
}

static int convert_write(const struct an_options *options, const struct an_profile *profile,
                         enum an_value value, FILE *out)
{
    switch (options->to) {
    case AN_TARGET_FOLDED:
        convert_to_folded(options, profile, value, out);
        break;
    case AN_TARGET_JSON:
        an_export_json(profile, out);
        break;
    case AN_TARGET_CSV:
        an_export_csv(profile, out);
        break;
    case AN_TARGET_SPEEDSCOPE:
        an_export_speedscope(profile, value, options->order, out);
        break;
    case AN_TARGET_CHROME:
        an_export_chrome(profile, value, options->order, out);
        break;
    case AN_TARGET_PPROF:
        return an_export_pprof(profile, value, out);
    }
    return 0;
}

/* Inclusive amounts of nested functions overlap: a tool that adds them up would count them often.
 */
static bool convert_needs_sums(enum an_target target)
{
    return target == AN_TARGET_SPEEDSCOPE || target == AN_TARGET_CHROME ||
           target == AN_TARGET_PPROF;
}

static int convert_profile(const struct an_options *options, struct an_profile *profile,
                           enum an_value value)
{
    struct an_outfile file;
    if (value == AN_INCLUSIVE && convert_needs_sums(options->to))
        return an_command_fail(&an_command_convert, AN_EXIT_USAGE,
                               "%s: inclusive times overlap and cannot be drawn", profile->path);
    int status = an_command_open_output(&an_command_convert, options, NULL, &file);
    if (status)
        return status;
    if (options->title) {
        free(profile->title);
        profile->title = an_memory_text(options->title);
    }
    if (convert_write(options, profile, value, file.stream) == -EOVERFLOW) {
        an_outfile_abandon(&file);
        return an_command_fail(&an_command_convert, AN_EXIT_INPUT,
                               "%s: an amount over 2^63 - 1 does not fit pprof's format",
                               profile->path);
    }
    return an_command_close_output(&an_command_convert, &file, AN_EXIT_FINE);
}

/* Calls at their times, unless siblings are wanted in another order: then sums are meant. */
static bool convert_has_times(const struct an_options *options)
{
    bool sums = an_options_given(options, AN_OPTION_ORDER) && options->order != AN_BY_TIME;
    return !sums && (options->to == AN_TARGET_SPEEDSCOPE || options->to == AN_TARGET_CHROME);
}

static int convert_run(const struct an_options *options)
{
    struct an_profile profile;
    enum an_value value;
    if (!an_options_given(options, AN_OPTION_TO))
        return an_command_fail(&an_command_convert, AN_EXIT_USAGE,
                               "--to is missing: folded, json, csv, speedscope, chrome or pprof");
    struct an_options timed = *options;
    timed.input.timeline = convert_has_times(options);
    timed.input.timeline_sampled = options->value == AN_SAMPLE_TIME;
    int status = an_command_read(&an_command_convert, &timed, &profile, &value);
    if (status)
        return status;
    status = convert_profile(options, &profile, value);
    an_profile_release(&profile);
    return status;
}

const struct an_command an_command_convert = {
    .name = "convert",
    .operands = "FILE...",
    .summary = "Write a profile in the format of another tool",
    .options = AN_OPTIONS_READ | AN_OPTIONS_WRITE | AN_OPTION_BIT(TO) | AN_OPTION_BIT(BY) |
               AN_OPTION_BIT(ORDER) | AN_OPTION_BIT(TITLE),
    .ignores = AN_OPTIONS_COMMON,
    .run = convert_run,
    .files_min = 1,
    .files_max = UINT32_MAX,
};
