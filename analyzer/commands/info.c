/*
 * info.c -- thag_profile info: what a recording says about its program, its totals and its gaps.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/commands/command.h"
#include "analyzer/commands/info_folded.h"
#include "analyzer/input/recording_losses.h"
#include "analyzer/input/recording_profile.h"
#include "analyzer/input/recording_samples.h"
#include "analyzer/input/recording_spans.h"
#include "analyzer/output/amount.h"
#include "analyzer/output/json.h"
#include "analyzer/support/memory.h"
#include "analyzer/symbols/packages.h"

/* A module through which bytes were allocated and whose functions or lines have no names. */
struct info_module {
    const struct an_module_file *file;
    const char *trouble; /* with debug data that is there; NULL: none */
    uint64_t bytes;
    char *package; /* owned; that it came in, NULL: none that is known */
};

struct info {
    const struct an_recording *recording;
    struct an_symbols *symbols;
    struct an_stack_values total;
    struct info_module *module; /* the heaviest first */
    uint32_t module_count;
};

/* For each module file the bytes of all stacks that pass through it. */
static uint64_t *modules_weigh(const struct an_recording *recording, struct an_symbols *symbols)
{
    uint32_t *record = an_memory_array((size_t)recording->node_count + 1, sizeof(*record));
    uint32_t *file = an_memory_array((size_t)recording->module_count + 1, sizeof(*file));
    an_recording_node_modules(recording, record);
    an_recording_modules(recording, symbols, file);
    uint32_t count = an_symbols_module_count(symbols);
    uint64_t *bytes = an_memory_zeroed((size_t)count + 1, sizeof(*bytes));
    uint32_t *seen_in = an_memory_zeroed((size_t)count + 1, sizeof(*seen_in)); /* a stack id */
    for (uint32_t i = 1; i < recording->stack_count; i++) {
        uint32_t node = recording->value[i].bytes == 0 ? 0 : recording->stack[i].node;
        for (; node != 0; node = recording->node[node].parent) {
            if (record[node] == UINT32_MAX)
                continue;
            uint32_t module = file[record[node]];
            if (seen_in[module] == i)
                continue;
            seen_in[module] = i;
            bytes[module] += recording->value[i].bytes;
        }
    }
    free(seen_in);
    free(file);
    free(record);
    return bytes;
}

static int module_order(const void *left, const void *right)
{
    const struct info_module *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return strcmp(a->file->path, b->file->path);
}

static void modules_collect(struct info *info)
{
    uint64_t *bytes = modules_weigh(info->recording, info->symbols);
    uint32_t count = an_symbols_module_count(info->symbols);
    info->module = an_memory_array((size_t)count + 1, sizeof(*info->module));
    for (uint32_t i = 0; i < count; i++) {
        if (bytes[i] == 0)
            continue;
        an_symbols_module_open(info->symbols, i);
        const struct an_module_file *file = an_symbols_module_file(info->symbols, i);
        const char *trouble = an_symbols_module_trouble(info->symbols, i);
        if (file->state != AN_MODULE_DEBUG || trouble != NULL)
            info->module[info->module_count++] =
                (struct info_module){.file = file, .trouble = trouble, .bytes = bytes[i]};
    }
    free(bytes);
    qsort(info->module, info->module_count, sizeof(*info->module), module_order);
}

/* Find what brought the modules: its name tells that of the package with their debug data. */
static void packages_find(struct info *info, const char *sysroot)
{
    struct an_package_query *query =
        an_memory_zeroed((size_t)info->module_count + 1, sizeof(*query));
    for (uint32_t i = 0; i < info->module_count; i++)
        query[i].path = info->module[i].file->path;
    an_packages_find(sysroot, query, info->module_count);
    for (uint32_t i = 0; i < info->module_count; i++)
        info->module[i].package = query[i].package;
    free(query);
}

static const char *state_words(enum an_module_state state)
{
    switch (state) {
    case AN_MODULE_SYMBOLS:
        return "functions only, no lines and no inlined functions";
    case AN_MODULE_EXPORTS:
        return "exported functions only";
    case AN_MODULE_NAMELESS:
        return "no names";
    case AN_MODULE_OTHER_BUILD:
        return "the file there is another build";
    default:
        return "no such file here";
    }
}

static const char *state_key(enum an_module_state state)
{
    switch (state) {
    case AN_MODULE_SYMBOLS:
        return "symbols";
    case AN_MODULE_EXPORTS:
        return "exports";
    case AN_MODULE_NAMELESS:
        return "nameless";
    case AN_MODULE_OTHER_BUILD:
        return "other_build";
    default:
        return "missing";
    }
}

/* The doors of exit() and quick_exit() are handlers, which are not told the status. */
static bool end_status_known(const struct rec_header *header)
{
    return header->end_ns != 0 && header->end_reason == REC_END_EXIT;
}

static const char *end_words(const struct an_recording *recording)
{
    switch (recording->file.header.end_ns == 0 ? REC_END_NONE : recording->file.header.end_reason) {
    case REC_END_RETURN:
        return "returned from main, or exit()";
    case REC_END_EXIT:
        return "_exit()";
    case REC_END_QUICK:
        return "quick_exit()";
    case REC_END_EXEC:
        return "replaced by another program (exec)";
    case REC_END_SNAPSHOT:
        return "a snapshot of a program that went on";
    default:
        return recording->was_running ? "still running" : "killed, or ended by a signal";
    }
}

static const char *end_key(const struct an_recording *recording)
{
    switch (recording->file.header.end_ns == 0 ? REC_END_NONE : recording->file.header.end_reason) {
    case REC_END_RETURN:
        return "return";
    case REC_END_EXIT:
        return "_exit";
    case REC_END_QUICK:
        return "quick_exit";
    case REC_END_EXEC:
        return "exec";
    case REC_END_SNAPSHOT:
        return "snapshot";
    default:
        return recording->was_running ? "running" : "killed";
    }
}

/* "2023-11-14 23:13:20 +0100", the program's own local time. */
static void start_text(const struct rec_header *header, char ret_text[64])
{
    int32_t offset = header->utc_offset_s;
    if (offset < -86400 || offset > 86400)
        offset = 0;
    time_t local = (time_t)(header->start_realtime_ns / 1000000000u) + offset;
    struct tm parts;
    if (gmtime_r(&local, &parts) == NULL ||
        strftime(ret_text, 40, "%Y-%m-%d %H:%M:%S", &parts) == 0)
        strcpy(ret_text, "?");
    int32_t minutes = (offset < 0 ? -offset : offset) / 60;
    sprintf(ret_text + strlen(ret_text), " %c%02d%02d", offset < 0 ? '-' : '+', (int)(minutes / 60),
            (int)(minutes % 60));
}

static void line_text(FILE *out, const char *label, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    fprintf(out, "%-12s ", label);
    an_command_print_name(out, text);
    putc('\n', out);
}

static void line_amount(FILE *out, const char *label, uint64_t amount, enum an_unit unit,
                        const char *behind)
{
    char text[AN_AMOUNT_MAX];
    an_amount_text(amount, 1, unit, text);
    fprintf(out, "%-12s %s%s\n", label, text, behind);
}

/* Of a program that runs: up to now. Of one that was killed: up to the last sign of life. */
static uint64_t duration_ns(const struct an_recording *recording)
{
    const struct rec_header *header = &recording->file.header;
    struct timespec now;
    uint64_t end_ns = an_recording_end_ns(recording);
    if (header->end_ns == 0 && recording->was_running &&
        clock_gettime(CLOCK_MONOTONIC, &now) == 0) {
        uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        end_ns = now_ns > end_ns ? now_ns : end_ns;
    }
    return end_ns - header->start_monotonic_ns;
}

static bool was_killed(const struct an_recording *recording)
{
    return recording->file.header.end_ns == 0 && !recording->was_running;
}

static void print_run(const struct an_recording *recording, FILE *out)
{
    const struct rec_header *header = &recording->file.header;
    char text[128];
    char *arguments = an_recording_arguments(recording);
    line_text(out, "program", recording->program);
    line_text(out, "arguments", arguments);
    free(arguments);
    line_text(out, "directory", recording->directory);
    line_text(out, "host", recording->host);
    line_text(out, "config", recording->config);
    start_text(header, text);
    line_text(out, "start", text);
    line_amount(out, "duration", duration_ns(recording), AN_UNIT_NS,
                was_killed(recording) ? " or more: up to the last that was recorded" : "");
    snprintf(text, sizeof(text), "%s", end_words(recording));
    if (end_status_known(header))
        snprintf(text + strlen(text), sizeof(text) - strlen(text), ", status %" PRIu32,
                 header->exit_status);
    line_text(out, "end", text);
    snprintf(text, sizeof(text), "%" PRIu32 ", parent %" PRIu32 ", %" PRIu64 " forked child%s",
             header->pid, header->parent_pid, header->children, header->children == 1 ? "" : "ren");
    line_text(out, "process", text);
}

static void print_totals(const struct info *info, FILE *out)
{
    const struct rec_header *header = &info->recording->file.header;
    const struct an_stack_values *total = &info->total;
    char text[96], amount[AN_AMOUNT_MAX];
    uint64_t bound = an_recording_peak_bound(header);
    putc('\n', out);
    an_amount_text(total->bytes, 1, AN_UNIT_BYTES, amount);
    snprintf(text, sizeof(text), ", %s", amount);
    line_amount(out, "allocations", total->allocations, AN_UNIT_COUNT, text);
    line_amount(out, "frees", total->frees, AN_UNIT_COUNT, "");
    line_amount(out, "temporary", total->temporary, AN_UNIT_COUNT, "");
    an_amount_text(total->live_bytes, 1, AN_UNIT_BYTES, amount);
    snprintf(text, sizeof(text), " block%s, %s", total->live_blocks == 1 ? "" : "s", amount);
    line_amount(out, "live at end", total->live_blocks, AN_UNIT_COUNT, text);
    an_amount_text(bound, 1, AN_UNIT_BYTES, amount);
    snprintf(text, sizeof(text), ", at most %s more", amount);
    line_amount(out, "peak", header->peak_bytes > 0 ? (uint64_t)header->peak_bytes : 0,
                AN_UNIT_BYTES, bound == 0 ? "" : text);
    if (header->size_threshold_bytes != 0)
        line_amount(out, "only over", header->size_threshold_bytes, AN_UNIT_BYTES, "");
}

static void print_samples(const struct info *info, FILE *out)
{
    const struct rec_header *header = &info->recording->file.header;
    char text[160], amount[AN_AMOUNT_MAX];
    if (header->sample_clock == REC_SAMPLE_NONE)
        return;
    an_amount_text(info->total.sample_ns, 1, AN_UNIT_NS, amount);
    snprintf(text, sizeof(text), ", %s of %s", amount, an_recording_sample_clock_words(header));
    line_amount(out, "samples", info->total.samples, AN_UNIT_COUNT, text);
    an_recording_rate_text(&info->recording->file.header, info->total.samples,
                           info->total.sample_ns, text, sizeof(text));
    line_text(out, "rate", text);
}

/* "calls of 1.02 µs and more are kept one by one" */
static void print_resolution(const struct an_recording *recording, FILE *out)
{
    char text[AN_AMOUNT_MAX];
    uint64_t least_ns;
    if (!an_recording_resolution(recording, &least_ns))
        return;
    an_amount_text(least_ns, 1, AN_UNIT_NS, text);
    if (least_ns == 0)
        fprintf(out, "%-12s all are kept one by one\n", "calls");
    else
        fprintf(out, "%-12s those of %s and more are kept one by one, shorter ones as sums\n",
                "calls", text);
}

/* Threads of one name are one line: a pool may have thousands. */
static void print_threads(const struct an_recording *recording, FILE *out)
{
    uint64_t count = an_recording_threads(recording);
    fprintf(out, "\n%" PRIu64 " thread%s, at most %" PRIu64 " at once\n", count,
            count == 1 ? "" : "s", recording->file.header.max_threads);
    struct an_names *names = an_names_new();
    uint64_t *times = an_memory_zeroed((size_t)recording->thread_count + 1, sizeof(*times));
    for (uint32_t i = 0; i < recording->thread_count; i++) {
        const struct rec_thread *thread = &recording->thread[i];
        size_t bytes = strnlen(thread->name, sizeof(thread->name));
        if (thread->tid != 0)
            times[an_names_intern(names, thread->name, bytes)] += thread->times_taken;
    }
    for (uint32_t i = 0; i < an_names_count(names); i++) {
        fprintf(out, "%8" PRIu64 "  ", times[i]);
        an_command_print_name(out, an_names_text(names, i, NULL));
        putc('\n', out);
    }
    an_names_free(names);
    free(times);
}

static void print_losses(const struct an_recording *recording, FILE *out)
{
    struct an_recording_loss loss[AN_RECORDING_LOSSES];
    bool any = false;
    an_recording_losses(recording, loss);
    for (int i = 0; i < AN_RECORDING_LOSSES; i++) {
        if (loss[i].count == 0)
            continue;
        if (!any)
            fputs("\nlosses and limits\n", out);
        any = true;
        fprintf(out, "%8" PRIu64 "  %s\n", loss[i].count, loss[i].words);
    }
    if (!any)
        fputs("\nnothing was lost\n", out);
}

static void print_modules(const struct info *info, FILE *out)
{
    if (info->module_count == 0)
        return;
    fputs("\nmodules without debug data, by the bytes that were allocated through them\n", out);
    for (uint32_t i = 0; i < info->module_count; i++) {
        char bytes[AN_AMOUNT_MAX];
        an_amount_text(info->module[i].bytes, 1, AN_UNIT_BYTES, bytes);
        fprintf(out, "%12s  ", bytes);
        an_command_print_name(out, info->module[i].file->path);
        if (info->module[i].trouble != NULL)
            fprintf(out, ": the debug data %s", info->module[i].trouble);
        else
            fprintf(out, ": %s", state_words(info->module[i].file->state));
        if (info->module[i].package != NULL)
            fprintf(out, "; package %s-dbgsym (or -dbg)", info->module[i].package);
        putc('\n', out);
    }
    fputs(
        "              more names: those packages, --debug-dir, --debuginfod; for programs of your "
        "own -g\n",
        out);
}

static void print_text(const struct info *info, FILE *out)
{
    print_run(info->recording, out);
    print_totals(info, out);
    print_samples(info, out);
    print_resolution(info->recording, out);
    print_threads(info->recording, out);
    print_losses(info->recording, out);
    print_modules(info, out);
}

static void json_run(const struct an_recording *recording, struct an_json *json)
{
    const struct rec_header *header = &recording->file.header;
    char text[64];
    char *arguments = an_recording_arguments(recording);
    an_json_pair_text(json, "program", recording->program);
    an_json_pair_text(json, "arguments", arguments);
    free(arguments);
    an_json_pair_text(json, "directory", recording->directory);
    an_json_pair_text(json, "host", recording->host);
    an_json_pair_text(json, "config", recording->config);
    start_text(header, text);
    an_json_pair_text(json, "start", text);
    an_json_pair_number(json, "start_realtime_ns", header->start_realtime_ns);
    an_json_pair_number(json, "duration_ns", duration_ns(recording));
    an_json_pair_text(json, "end", end_key(recording));
    if (end_status_known(header))
        an_json_pair_number(json, "exit_status", header->exit_status);
    an_json_pair_number(json, "pid", header->pid);
    an_json_pair_number(json, "parent_pid", header->parent_pid);
    an_json_pair_number(json, "family_pid", header->family_pid);
    an_json_pair_number(json, "children", header->children);
}

static void json_totals(const struct info *info, struct an_json *json)
{
    const struct rec_header *header = &info->recording->file.header;
    an_json_pair_number(json, "allocations", info->total.allocations);
    an_json_pair_number(json, "bytes", info->total.bytes);
    an_json_pair_number(json, "frees", info->total.frees);
    an_json_pair_number(json, "temporary", info->total.temporary);
    an_json_pair_number(json, "live_blocks", info->total.live_blocks);
    an_json_pair_number(json, "live_bytes", info->total.live_bytes);
    an_json_pair_number(json, "peak_bytes",
                        header->peak_bytes > 0 ? (uint64_t)header->peak_bytes : 0);
    an_json_pair_number(json, "peak_bound_bytes", an_recording_peak_bound(header));
    an_json_pair_number(json, "size_threshold_bytes", header->size_threshold_bytes);
    if (header->sample_clock == REC_SAMPLE_NONE)
        return;
    an_json_pair_number(json, "samples", info->total.samples);
    an_json_pair_number(json, "sample_time_ns", info->total.sample_ns);
    an_json_pair_text(json, "sample_clock",
                      header->sample_clock == REC_SAMPLE_WALL ? "wall" : "cpu");
    an_json_pair_number(json, "sample_hz", header->sample_hz);
}

static void json_resolution(const struct an_recording *recording, struct an_json *json)
{
    uint64_t least_ns;
    if (an_recording_resolution(recording, &least_ns))
        an_json_pair_number(json, "resolution_ns", least_ns);
}

static void json_threads(const struct an_recording *recording, struct an_json *json)
{
    an_json_pair_number(json, "max_threads", recording->file.header.max_threads);
    an_json_key(json, "threads");
    an_json_list_open(json);
    for (uint32_t i = 0; i < recording->thread_count; i++) {
        const struct rec_thread *thread = &recording->thread[i];
        if (thread->tid == 0)
            continue;
        an_json_line(json);
        an_json_object_open(json);
        an_json_key(json, "name");
        an_json_text(json, thread->name, strnlen(thread->name, sizeof(thread->name)));
        an_json_pair_number(json, "count", thread->times_taken);
        an_json_object_close(json);
    }
    an_json_list_close(json);
}

/* In hexadecimal; NULL: none. */
static const char *build_id_text(const struct an_build_id *id,
                                 char ret_text[AN_BUILD_ID_BYTES * 2 + 1])
{
    for (uint32_t i = 0; i < id->bytes; i++)
        sprintf(ret_text + (size_t)i * 2, "%02x", id->value[i]);
    return id->bytes == 0 ? NULL : ret_text;
}

static void json_gaps(const struct info *info, struct an_json *json)
{
    char hex[AN_BUILD_ID_BYTES * 2 + 1];
    struct an_recording_loss loss[AN_RECORDING_LOSSES];
    an_recording_losses(info->recording, loss);
    an_json_key(json, "losses");
    an_json_object_open(json);
    for (int i = 0; i < AN_RECORDING_LOSSES; i++)
        an_json_pair_number(json, loss[i].key, loss[i].count);
    an_json_object_close(json);
    an_json_key(json, "modules_without_debug_data");
    an_json_list_open(json);
    for (uint32_t i = 0; i < info->module_count; i++) {
        an_json_line(json);
        an_json_object_open(json);
        an_json_pair_text(json, "path", info->module[i].file->path);
        an_json_pair_text(json, "state", state_key(info->module[i].file->state));
        an_json_pair_number(json, "bytes", info->module[i].bytes);
        an_json_pair_text(json, "build_id", build_id_text(&info->module[i].file->build_id, hex));
        an_json_pair_text(json, "trouble", info->module[i].trouble);
        an_json_pair_text(json, "package", info->module[i].package);
        an_json_object_close(json);
    }
    an_json_list_close(json);
}

static void print_json(const struct info *info, FILE *out)
{
    struct an_json json;
    an_json_begin(&json, out);
    an_json_object_open(&json);
    json_run(info->recording, &json);
    json_totals(info, &json);
    json_resolution(info->recording, &json);
    json_threads(info->recording, &json);
    json_gaps(info, &json);
    an_json_object_close(&json);
    an_json_end(&json);
}

static int info_print(const struct an_options *options, struct an_recording *recording)
{
    struct info info = {.recording = recording};
    struct an_outfile out;
    if (!an_recording_total(recording, &info.total))
        return an_command_fail(&an_command_info, AN_EXIT_INPUT,
                               "%s: the values of all stacks add up to more than 64 bits hold",
                               recording->file.path);
    int status = an_command_open_output(&an_command_info, options, NULL, &out);
    if (status != 0)
        return status;
    struct an_recording_options reading = an_input_recording_options(&options->input);
    info.symbols = an_symbols_new(&reading.symbols);
    modules_collect(&info);
    packages_find(&info, reading.symbols.places.sysroot);
    if (options->format == AN_FORMAT_JSON)
        print_json(&info, out.stream);
    else
        print_text(&info, out.stream);
    for (uint32_t i = 0; i < info.module_count; i++)
        free(info.module[i].package);
    free(info.module);
    an_symbols_free(info.symbols);
    return an_command_close_output(&an_command_info, &out, AN_EXIT_FINE);
}

static int info_run(const struct an_options *options)
{
    struct an_recording recording;
    struct an_fault fault = {""};
    struct an_recording_select select = {.thread = options->input.thread};
    if (options->format == AN_FORMAT_CSV)
        return an_command_fail(&an_command_info, AN_EXIT_USAGE, "--format is text or json");
    if (an_input_open_recording(options->files[0], &select, &recording, &fault) != 0) {
        if (an_info_is_folded(options->files[0]))
            return an_info_folded(options);
        return an_command_fail(&an_command_info, AN_EXIT_INPUT, "%s", fault.text);
    }
    int status = info_print(options, &recording);
    an_recording_close(&recording);
    return status;
}

const struct an_command an_command_info = {
    .name = "info",
    .operands = "FILE",
    .summary = "Show a recording's program, totals and gaps",
    .options = AN_OPTION_BIT(FORMAT) | AN_OPTION_BIT(THREAD) | AN_OPTION_BIT(SYSROOT) |
               AN_OPTION_BIT(DEBUG_DIR) | AN_OPTION_BIT(DEBUGINFOD) | AN_OPTIONS_WRITE |
               AN_OPTION_BIT(HELP),
    .ignores = AN_OPTIONS_COMMON,
    .run = info_run,
    .files_min = 1,
    .files_max = 1,
};
