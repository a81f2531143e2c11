/*
 * record_report.c -- what a program that has just run left, and what to type next.
 */
#include "analyzer/commands/record_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/commands/command.h"
#include "analyzer/input/recording_life.h"
#include "analyzer/input/recording_reader.h"
#include "analyzer/input/recording_samples.h"
#include "analyzer/input/relatives.h"
#include "analyzer/launch/request.h"
#include "analyzer/output/amount.h"
#include "analyzer/output/run_files.h"
#include "analyzer/support/memory.h"

/* A program that a signal has ended could not start the resolver, and a child does not. */
static void resolve_if_needed(const struct an_record_run *run, const struct an_relative *relative)
{
    char *stem = an_relative_stem(relative);
    bool is_done = relative->header.resolver_seen || an_run_files_exist(stem);
    free(stem);
    if (is_done || !an_request_resolves(run->settings))
        return;
    char *files[] = {relative->path, NULL};
    struct an_options options = {
        .files = files, .file_count = 1, .family = true, .input = {.quiet = true}};
    an_command_resolve.run(&options);
}

static void label_print(const char *label)
{
    fprintf(stderr, "  %-12s ", label);
}

static const char *amount(uint64_t number, enum an_unit unit, char ret_text[AN_AMOUNT_MAX])
{
    an_amount_text(number, 1, unit, ret_text);
    return ret_text;
}

static void heap_print(const struct an_recording *recording, const struct an_stack_values *total)
{
    char count[AN_AMOUNT_MAX], bytes[AN_AMOUNT_MAX];
    int64_t peak = recording->file.header.peak_bytes;
    label_print("allocations");
    fprintf(stderr, "%s, %s\n", amount(total->allocations, AN_UNIT_COUNT, count),
            amount(total->bytes, AN_UNIT_BYTES, bytes));
    label_print("peak");
    fprintf(stderr, "%s\n", amount(peak > 0 ? (uint64_t)peak : 0, AN_UNIT_BYTES, bytes));
    label_print("live at end");
    fprintf(stderr, "%s block%s, %s\n", amount(total->live_blocks, AN_UNIT_COUNT, count),
            total->live_blocks == 1 ? "" : "s", amount(total->live_bytes, AN_UNIT_BYTES, bytes));
}

/* Result: how many calls there were. */
static uint64_t calls_print(const struct an_recording *recording)
{
    uint64_t calls = 0;
    char text[AN_AMOUNT_MAX];
    for (uint32_t i = 0; i < recording->call_count; i++)
        calls += recording->call[i].calls;
    bool wanted_alone = (recording->file.header.content & REC_CONTENT_HEAP) == 0;
    if (calls == 0 && !wanted_alone)
        return calls;
    label_print("calls");
    fputs(calls ? amount(calls, AN_UNIT_COUNT, text)
                : "none; -finstrument-functions compiles a program so that its calls are timed",
          stderr);
    putc('\n', stderr);
    return calls;
}

static void samples_print(const struct an_recording *recording, const struct an_stack_values *total)
{
    char count[AN_AMOUNT_MAX], time[AN_AMOUNT_MAX];
    label_print("samples");
    fprintf(stderr, "%s, %s of %s\n", amount(total->samples, AN_UNIT_COUNT, count),
            amount(total->sample_ns, AN_UNIT_NS, time),
            an_recording_sample_clock_words(&recording->file.header));
}

/* Result: true if there is anything in it. */
static bool own_print(const struct an_relative *own)
{
    struct an_recording recording;
    struct an_stack_values total;
    struct an_fault fault = {""};
    if (an_recording_open(own->path, NULL, &recording, &fault) != 0) {
        an_command_fail(&an_command_record, 0, "%s", fault.text);
        return false;
    }
    uint32_t content = recording.file.header.content;
    bool is_summed = an_recording_total(&recording, &total);
    bool has_any = is_summed && (total.allocations != 0 || total.samples != 0);
    if ((content & REC_CONTENT_HEAP) && is_summed)
        heap_print(&recording, &total);
    if (content & REC_CONTENT_TIME)
        has_any |= calls_print(&recording) != 0;
    if ((content & REC_CONTENT_SAMPLE) && is_summed)
        samples_print(&recording, &total);
    an_recording_close(&recording);
    return has_any;
}

static bool is_running(const struct an_relative *relative)
{
    struct an_recording_file file;
    struct an_fault fault;
    if (an_recording_file_open(relative->path, &file, &fault) != 0)
        return false;
    bool running = an_recording_running(&file);
    an_recording_file_close(&file);
    return running;
}

static void children_print(const struct an_relatives *relatives, uint32_t pid)
{
    size_t count = 0, running = 0;
    for (size_t i = 0; i < relatives->count; i++) {
        if (relatives->relative[i].header.pid == pid)
            continue;
        count++;
        running += is_running(&relatives->relative[i]);
    }
    if (count == 0)
        return;
    label_print("children");
    fprintf(stderr, "%zu recorded beside it", count);
    if (running)
        fprintf(stderr, ", %zu of them still running", running);
    putc('\n', stderr);
}

static void files_print(const struct an_relative *relative)
{
    char *paths[AN_RELATIVE_FILES];
    size_t count = an_relative_files(relative, paths);
    for (size_t i = 0; i < count; i++) {
        label_print(i ? "" : "files");
        an_command_print_name(stderr, paths[i]);
        putc('\n', stderr);
        free(paths[i]);
    }
}

/* A word as a shell reads it back. */
static void word_print(const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._/+:@%,=";
    if (word[0] != '-' && word[strspn(word, plain)] == '\0') {
        fputs(word, stderr);
        return;
    }
    fputs(word[0] == '-' ? "./'" : "'", stderr);
    for (const char *at = word; *at; at++) {
        if (*at == '\'')
            fputs("'\\'", stderr);
        an_command_print_name(stderr, (char[]){*at, '\0'});
    }
    putc('\'', stderr);
}

static void next_print(const char *command, const char *path)
{
    label_print("next");
    word_print(program_invocation_name);
    fprintf(stderr, " %s ", command);
    word_print(path);
    putc('\n', stderr);
}

static void nothing_print(const struct an_record_run *run)
{
    if (an_request_is_off(run->settings))
        an_command_fail(&an_command_record, 0,
                        "nothing was recorded, as THAG_PROFILER has it: "
                        "its type is none; --type both records");
    else if (!run->was_told)
        an_command_fail(&an_command_record, 0,
                        "nothing was recorded: no recording came up in %s; "
                        "'thag_profile doctor %s' looks for the reason",
                        run->directory, run->program);
}

void an_record_report(const struct an_record_run *run)
{
    struct an_relatives relatives;
    an_relatives_find(run->directory, run->pid, run->start_ns, &relatives);
    const struct an_relative *own = an_relatives_own(&relatives, run->pid);
    const struct an_relative *shown = own ? own : an_relatives_largest(&relatives);
    if (!shown) {
        nothing_print(run);
        return;
    }
    if (own)
        resolve_if_needed(run, own);
    for (size_t i = 0; !own && i < relatives.count; i++)
        resolve_if_needed(run, &relatives.relative[i]);
    fputs("thag_profile record: ", stderr);
    an_command_print_name(stderr, run->program);
    fputs(own ? "\n" : " was not recorded itself\n", stderr);
    bool is_worth_a_look = !own || own_print(own);
    children_print(&relatives, run->pid);
    files_print(shown);
    if (is_worth_a_look)
        next_print("graph", shown->path);
    else
        next_print("doctor", run->program);
    if (relatives.count > 1)
        next_print("list", run->directory);
    an_relatives_release(&relatives);
}
