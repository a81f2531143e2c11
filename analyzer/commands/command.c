/*
 * command.c -- what the commands share.
 */
#include "analyzer/commands/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/commands/option_table.h"
#include "analyzer/support/memory.h"

/* A thread of its own each: what was given up may still speak, but to nobody. */
static _Thread_local const struct an_outlet *command_outlet;

void an_command_speak_to(const struct an_outlet *outlet)
{
    command_outlet = outlet;
}

FILE *an_command_out(void)
{
    return command_outlet ? command_outlet->out : stdout;
}

struct an_table_style an_command_style(FILE *out)
{
    if (command_outlet && out == command_outlet->out)
        return command_outlet->style;
    return an_table_style_of(out);
}

void an_command_print_name(FILE *out, const char *text)
{
    an_table_print_name(out, text, strlen(text));
}

int an_command_fail(const struct an_command *command, int status, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    FILE *messages = command_outlet ? command_outlet->messages : stderr;
    if (!command_outlet)
        fprintf(messages, "thag_profile %s: ", command->name);
    an_command_print_name(messages, text);
    putc('\n', messages);
    return status;
}

const char *an_command_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static void command_report(const struct an_command *command, const struct an_profile *profile)
{
    for (uint32_t i = 0; i < profile->note_count; i++)
        an_command_fail(command, 0, "note: %s", profile->note[i]);
    if (profile->bad.count == 0)
        return;
    char numbers[AN_BAD_LINES_KEPT * 24] = "";
    for (uint64_t i = 0; i < profile->bad.count && i < AN_BAD_LINES_KEPT; i++) {
        size_t length = strlen(numbers);
        snprintf(numbers + length, sizeof(numbers) - length, "%s%" PRIu64, i ? ", " : "",
                 profile->bad.number[i]);
    }
    bool more = profile->bad.count > AN_BAD_LINES_KEPT;
    an_command_fail(command, 0, "%s: %" PRIu64 " bad line%s left out, number %s%s", profile->path,
                    profile->bad.count, profile->bad.count == 1 ? "" : "s", numbers,
                    more ? ", ..." : "");
}

/* A name that no thread has, or that cannot be looked for, looks like a result. */
static void command_report_thread(const struct an_command *command,
                                  const struct an_options *options,
                                  const struct an_profile *profile)
{
    const char *name = an_command_input_name(profile->path);
    if (options->input.thread == NULL)
        return;
    for (int i = 0; i < AN_VALUE_COUNT && profile->recorded; i++) {
        if (an_tree_has(profile->tree, (enum an_value)i) && profile->tree->sum[i] != 0)
            return;
    }
    if (profile->recorded)
        an_command_fail(command, 0, "note: %s: no thread '%s' has anything in it, see info", name,
                        options->input.thread);
    else
        an_command_fail(command, 0, "note: %s: folded stacks have no threads, --thread is ignored",
                        name);
}

/* Options about frames and times of a recording, of which a text has but one form. */
static void command_report_ignored(const struct an_command *command,
                                   const struct an_options *options,
                                   const struct an_profile *profile)
{
    static const enum an_option frames[] = {AN_OPTION_LINES, AN_OPTION_NO_LINES,
                                            AN_OPTION_NO_INLINE, AN_OPTION_RAW};
    char given[80] = "";
    unsigned count = 0;
    /* What a detail file has are lines. */
    bool has_lines = profile->kind == AN_KIND_MEMORY_DETAIL || profile->kind == AN_KIND_DEALLOC;
    for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]) && !profile->recorded; i++) {
        if (!an_options_given(options, frames[i]) || (has_lines && frames[i] == AN_OPTION_LINES))
            continue;
        size_t length = strlen(given);
        snprintf(given + length, sizeof(given) - length, "%s--%s", count++ ? ", " : "",
                 an_option_rows[frames[i]].name);
    }
    if (count)
        an_command_fail(command, 0,
                        "note: %s: folded stacks stay as they are written, %s %s ignored",
                        an_command_input_name(profile->path), given, count == 1 ? "is" : "are");
}

/* A fact that the values cannot tell is true of nothing, which looks like a result. */
static void command_report_facts(const struct an_command *command, const struct an_options *options,
                                 const struct an_profile *profile)
{
    unsigned unknown = (options->keep_facts | options->drop_facts) & ~an_facts_known(profile->tree);
    const char *words = an_option_rows[AN_OPTION_FACT].words;
    for (; unknown; unknown >>= 1) {
        int bytes = (int)strcspn(words, " ");
        if (unknown & 1)
            an_command_fail(command, 0, "note: %s: nothing in it tells what is '%.*s'",
                            an_command_input_name(profile->path), bytes, words);
        words += bytes + (words[bytes] == ' ');
    }
}

static void command_filter(const struct an_options *options, struct an_profile *profile)
{
    if (an_filter_is_empty(options->filter))
        return;
    uint32_t *node = an_memory_array(profile->tree->node_count, sizeof(*node));
    bool in_order = options->input.in_order && !profile->recorded;
    struct an_tree *filtered =
        an_filter_apply_placing(options->filter, profile->tree, in_order, node);
    if (profile->timeline)
        an_timeline_renumber(profile->timeline, filtered, node, profile->tree->node_count);
    free(node);
    an_tree_free(profile->tree);
    profile->tree = filtered;
}

void an_command_prepare(const struct an_command *command, const struct an_options *options,
                        struct an_profile *profile)
{
    command_report(command, profile);
    command_report_thread(command, options, profile);
    command_report_ignored(command, options, profile);
    command_report_facts(command, options, profile);
    command_filter(options, profile);
}

int an_command_read_file(const struct an_command *command, const struct an_options *options,
                         const char *path, struct an_profile *ret_profile)
{
    struct an_fault fault = {""};
    if (an_input_open(path, &options->input, ret_profile, &fault) != 0)
        return an_command_fail(command, AN_EXIT_INPUT, "%s", fault.text);
    an_command_prepare(command, options, ret_profile);
    return 0;
}

/* `time` means sampled time where nothing else was timed. */
static int command_choose_value(const struct an_command *command, const struct an_options *options,
                                const struct an_profile *profile, enum an_value *ret_value)
{
    if (!an_options_given(options, AN_OPTION_VALUE)) {
        if (an_profile_default_value(profile, ret_value))
            return 0;
        return an_command_fail(command, AN_EXIT_INPUT, "%s: there is nothing in it", profile->path);
    }
    enum an_value value = options->value;
    if (value == AN_TIME && !an_tree_has(profile->tree, AN_TIME) &&
        an_tree_has(profile->tree, AN_SAMPLE_TIME))
        value = AN_SAMPLE_TIME;
    if (an_tree_has(profile->tree, value)) {
        *ret_value = value;
        return 0;
    }
    char there[300] = "";
    for (int i = 0; i < AN_VALUE_COUNT; i++) {
        if (an_tree_has(profile->tree, (enum an_value)i)) {
            strcat(there, " ");
            strcat(there, an_value_name((enum an_value)i));
        }
    }
    return an_command_fail(command, AN_EXIT_USAGE, "%s: has no value '%s', but%s", profile->path,
                           an_value_name(value), there);
}

int an_command_read(const struct an_command *command, const struct an_options *options,
                    struct an_profile *ret_profile, enum an_value *ret_value)
{
    struct an_fault fault = {""};
    if (an_input_open_all(options->files, options->file_count, &options->input, ret_profile,
                          &fault) != 0)
        return an_command_fail(command, AN_EXIT_INPUT, "%s", fault.text);
    command_report(command, ret_profile);
    command_report_thread(command, options, ret_profile);
    command_report_ignored(command, options, ret_profile);
    command_report_facts(command, options, ret_profile);
    int status = command_choose_value(command, options, ret_profile, ret_value);
    if (status) {
        an_profile_release(ret_profile);
        return status;
    }
    command_filter(options, ret_profile);
    return 0;
}

int an_command_open_output(const struct an_command *command, const struct an_options *options,
                           const char *default_path, struct an_outfile *ret_file)
{
    const char *path = options->output ? options->output : default_path;
    int failed = an_outfile_open(path, options->force, ret_file);
    if (!failed && !ret_file->path)
        ret_file->stream = an_command_out();
    if (failed == -EEXIST)
        return an_command_fail(command, AN_EXIT_USAGE, "%s: is there already; -f replaces it",
                               path);
    if (failed)
        return an_command_fail(command, AN_EXIT_INPUT, "%s: %s", path, strerror(-failed));
    return 0;
}

int an_command_close_output(const struct an_command *command, struct an_outfile *file, int status)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s", file->path ? file->path : "standard output");
    int failed = an_outfile_commit(file);
    if (failed == -EEXIST)
        return an_command_fail(command, AN_EXIT_USAGE, "%s: came into being meanwhile", path);
    if (failed)
        return an_command_fail(command, AN_EXIT_INPUT, "%s: %s", path, strerror(-failed));
    return status;
}
