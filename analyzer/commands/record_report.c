/*
 * record_report.c -- what a program that has just run left, and what to type next.
 */
#include "analyzer/commands/record_report.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/commands/command.h"
#include "analyzer/input/recording_life.h"
#include "analyzer/input/recording_reader.h"
#include "analyzer/launch/request.h"
#include "analyzer/output/amount.h"
#include "analyzer/output/run_files.h"
#include "analyzer/support/memory.h"

/* One recording of the program's family. */
struct relative {
    char *path;
    struct rec_header header;
};

struct relatives {
    struct relative *relative;
    size_t count;
};

static char *path_in(const char *directory, const char *name, size_t bytes)
{
    bool is_here = strcmp(directory, ".") == 0;
    size_t room = strlen(directory) + bytes + 2;
    char *path = an_memory_array(room, 1);
    bool has_slash = directory[0] != '\0' && directory[strlen(directory) - 1] == '/';
    snprintf(path, room, "%s%s%.*s", is_here ? "" : directory, is_here || has_slash ? "" : "/",
             (int)bytes, name);
    return path;
}

static bool name_ends(const char *name, const char *suffix)
{
    size_t bytes = strlen(name), length = strlen(suffix);
    return bytes > length && strcmp(name + bytes - length, suffix) == 0;
}

static void relatives_find(const struct an_record_run *run, struct relatives *ret_relatives)
{
    struct relatives found = {0};
    DIR *directory = opendir(run->directory);
    const struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        struct relative one;
        struct an_fault fault;
        if (!name_ends(entry->d_name, ".thag"))
            continue;
        one.path = path_in(run->directory, entry->d_name, strlen(entry->d_name));
        if (an_recording_file_header(one.path, &one.header, &fault) != 0 ||
            (one.header.pid != run->pid && one.header.family_pid != run->pid) ||
            one.header.start_realtime_ns < run->start_ns) {
            free(one.path);
            continue;
        }
        found.relative = an_memory_resize(found.relative, found.count + 1, sizeof(one));
        found.relative[found.count++] = one;
    }
    if (directory)
        closedir(directory);
    *ret_relatives = found;
}

static void relatives_release(struct relatives *relatives)
{
    for (size_t i = 0; i < relatives->count; i++)
        free(relatives->relative[i].path);
    free(relatives->relative);
}

/* The program itself: the last image of its process that was recorded. NULL: none was. */
static const struct relative *relatives_own(const struct relatives *relatives, uint32_t pid)
{
    const struct relative *own = NULL;
    for (size_t i = 0; i < relatives->count; i++) {
        const struct relative *one = &relatives->relative[i];
        if (one->header.pid == pid &&
            (!own || one->header.start_realtime_ns > own->header.start_realtime_ns))
            own = one;
    }
    return own;
}

/* The one that is worth a look if the program's own is not: that with the largest heap. */
static const struct relative *relatives_largest(const struct relatives *relatives)
{
    const struct relative *largest = NULL;
    for (size_t i = 0; i < relatives->count; i++) {
        const struct relative *one = &relatives->relative[i];
        if (!largest || one->header.peak_bytes > largest->header.peak_bytes)
            largest = one;
    }
    return largest;
}

static char *stem_of(const struct relative *relative)
{
    return an_memory_text_part(relative->path, strlen(relative->path) - strlen(".thag"));
}

/* A program that a signal has ended could not start the resolver, and a child does not. */
static void resolve_if_needed(const struct an_record_run *run, const struct relative *relative)
{
    char *stem = stem_of(relative);
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

/* Result: true if there is anything in it. */
static bool own_print(const struct relative *own)
{
    struct an_recording recording;
    struct an_stack_values total;
    struct an_fault fault = {""};
    if (an_recording_open(own->path, NULL, &recording, &fault) != 0) {
        an_command_fail(&an_command_record, 0, "%s", fault.text);
        return false;
    }
    uint32_t content = recording.file.header.content;
    bool has_any = (content & REC_CONTENT_SAMPLE) != 0;
    if ((content & REC_CONTENT_HEAP) && an_recording_total(&recording, &total)) {
        heap_print(&recording, &total);
        has_any |= total.allocations != 0;
    }
    if (content & REC_CONTENT_TIME)
        has_any |= calls_print(&recording) != 0;
    an_recording_close(&recording);
    return has_any;
}

static bool is_running(const struct relative *relative)
{
    struct an_recording_file file;
    struct an_fault fault;
    if (an_recording_file_open(relative->path, &file, &fault) != 0)
        return false;
    bool running = an_recording_running(&file);
    an_recording_file_close(&file);
    return running;
}

static void children_print(const struct relatives *relatives, uint32_t pid)
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

static int names_order(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The recording and what was made of it, one name a line. */
static void files_print(const struct an_record_run *run, const struct relative *relative)
{
    char *stem = stem_of(relative);
    const char *slash = strrchr(stem, '/');
    const char *base = slash ? slash + 1 : stem;
    char **names = NULL;
    size_t count = 0;
    DIR *directory = opendir(run->directory);
    const struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        const char *behind = entry->d_name + strlen(base);
        if (strncmp(entry->d_name, base, strlen(base)) != 0 ||
            (strcmp(behind, ".thag") != 0 && !name_ends(entry->d_name, ".folded")) ||
            (*behind == '-' && behind[1] >= '0' && behind[1] <= '9'))
            continue; /* another BASE may be this one and a number */
        names = an_memory_resize(names, count + 1, sizeof(*names));
        names[count++] = path_in(run->directory, entry->d_name, strlen(entry->d_name));
    }
    if (directory)
        closedir(directory);
    if (count)
        qsort(names, count, sizeof(*names), names_order);
    for (size_t i = 0; i < count; i++) {
        label_print(i ? "" : "files");
        an_command_print_name(stderr, names[i]);
        putc('\n', stderr);
        free(names[i]);
    }
    free(names);
    free(stem);
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
    struct relatives relatives;
    relatives_find(run, &relatives);
    const struct relative *own = relatives_own(&relatives, run->pid);
    const struct relative *shown = own ? own : relatives_largest(&relatives);
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
    files_print(run, shown);
    if (is_worth_a_look)
        next_print("graph", shown->path);
    else
        next_print("doctor", run->program);
    if (relatives.count > 1)
        next_print("list", run->directory);
    relatives_release(&relatives);
}
