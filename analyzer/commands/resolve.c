/*
 * resolve.c -- thag_profile resolve: names the sites of recordings and writes their folded files.
 *
 * The recorder starts it at the end of a run (--family) or at its beginning (--follow). Whatever it
 * has to say goes to standard output, which the recorder closes: the program's own output stays as
 * it is. Only what makes the exit status 3 goes to stderr.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/commands/command.h"
#include "analyzer/input/recording_events.h"
#include "analyzer/input/recording_life.h"
#include "analyzer/input/recording_profile.h"
#include "analyzer/output/detail_files.h"
#include "analyzer/output/run_files.h"
#include "analyzer/support/folder.h"
#include "analyzer/support/memory.h"

#define DETAIL_BYTES_MOST (UINT64_C(1) << 30) /* of each detail file; then come sums */

#define SECOND_NS UINT64_C(1000000000)
#define LOOK_NS   (SECOND_NS / 10) /* how soon the end of a followed program is seen */

struct resolving {
    const struct an_options *options;
    struct an_recording_options recording;
    struct an_symbols *symbols; /* shared by all recordings: each module is read once */
    struct an_symbols *lines; /* the same with lines, for the detail files; NULL: not needed yet */
    bool quiet;
};

static volatile sig_atomic_t stopped;

static void on_stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* The length of a path without ".gz" or ".zst", which packed recordings have. */
static size_t unpacked_bytes(const char *path)
{
    size_t bytes = strlen(path);
    if (bytes > 3 && strcmp(path + bytes - 3, ".gz") == 0)
        return bytes - 3;
    return bytes > 4 && strcmp(path + bytes - 4, ".zst") == 0 ? bytes - 4 : bytes;
}

static bool is_packed(const char *path)
{
    return path[unpacked_bytes(path)] != '\0';
}

/* The path without ".thag". Freed by free(). */
static char *stem_of(const char *path)
{
    size_t bytes = unpacked_bytes(path);
    if (bytes > 5 && strncmp(path + bytes - 5, ".thag", 5) == 0)
        bytes -= 5;
    return an_memory_text_part(path, bytes);
}

/* Where the folded files go: beside the recording, or into the directory that -o names. Where that
 * cannot be made, writing says why. */
static char *stem_for(const struct resolving *resolving, const struct an_recording *recording)
{
    const char *directory = resolving->options->output;
    const char *base = recording->base_name;
    char *stem = stem_of(recording->file.path);
    if (directory == NULL)
        return stem;
    if (base == NULL || strchr(base, '/') != NULL || base[0] == '\0') {
        const char *slash = strrchr(stem, '/');
        base = slash == NULL ? stem : slash + 1;
    }
    size_t bytes = strlen(directory) + strlen(base) + 2;
    char *path = an_memory_array(bytes, 1);
    snprintf(path, bytes, "%s/%s", directory, base);
    an_folder_make_parents(path, 0777);
    free(stem);
    return path;
}

static void report_file(const struct resolving *resolving, const char *stem, const char *suffix)
{
    if (resolving->quiet)
        return;
    an_command_print_name(stdout, stem);
    puts(suffix);
}

static void report(const struct resolving *resolving, const char *stem,
                   const struct an_run_written *written)
{
    for (uint32_t i = 0; i < written->count; i++)
        report_file(resolving, stem, written->file[i]->suffix);
    if (written->count == 0)
        report_file(resolving, stem, ": nothing was recorded");
}

struct detailing {
    struct an_detail_files *files;
    const uint32_t *place;
    struct an_fault *fault;
};

static int detail_add(void *context, const struct rec_event *event)
{
    const struct detailing *detailing = context;
    bool freed = (event->kind_count & REC_EVENT_FREE) != 0;
    return an_detail_files_add(detailing->files, freed ? AN_DETAIL_FREED : AN_DETAIL_ALLOCATED,
                               detailing->place[event->stack], event->bytes, detailing->fault);
}

/* Write the files with a line for each event; nothing happens if there are no events. */
static int write_detail(struct resolving *resolving, const struct an_recording *recording,
                        const char *stem, struct an_fault *fault)
{
    struct an_recording_options options = resolving->recording;
    struct an_profile profile;
    bool written[AN_DETAIL_COUNT] = {false}, summed[AN_DETAIL_COUNT] = {false};
    if ((recording->file.header.content & REC_CONTENT_DETAIL) == 0)
        return 0;
    options.symbols.lines = true;
    if (resolving->lines == NULL)
        resolving->lines = an_symbols_new(&options.symbols);
    uint32_t *place = an_memory_array(recording->stack_count, sizeof(*place));
    an_profile_init(&profile);
    int error =
        an_recording_fill_places(recording, &options, resolving->lines, &profile, place, fault);
    if (error == 0) {
        struct detailing detailing = {an_detail_files_new(profile.tree, stem, DETAIL_BYTES_MOST),
                                      place, fault};
        error = an_recording_events_visit(recording, detail_add, &detailing, fault);
        for (int i = 0; i < AN_DETAIL_COUNT; i++)
            summed[i] = an_detail_files_are_summed(detailing.files, (enum an_detail)i);
        if (error == 0)
            error = an_detail_files_commit(detailing.files, written, fault);
        else
            an_detail_files_abandon(detailing.files);
    }
    for (int i = 0; i < AN_DETAIL_COUNT && error == 0; i++) {
        if (written[i])
            report_file(resolving, stem, an_detail_suffixes[i]);
        if (written[i] && summed[i])
            report_file(resolving, stem, ": after 1 GiB of lines the rest is summed by stack");
    }
    an_profile_release(&profile);
    free(place);
    return error;
}

/*
 * Name and write one recording.
 * Result: 0, or -errno with FAULT set. RET_RUNNING tells whether there will be more of it.
 */
static int resolve_once(struct resolving *resolving, const char *path, bool *ret_running,
                        struct an_fault *fault)
{
    struct an_recording recording;
    struct an_profile profile;
    struct an_run_written written;
    int error = is_packed(path) ? an_input_open_recording(path, NULL, &recording, fault)
                                : an_recording_open(path, NULL, &recording, fault);
    if (error != 0)
        return error;
    an_profile_init(&profile);
    /* Asked before the tables were read, or the last seconds of a run would be lost. */
    *ret_running = recording.was_running;
    error =
        an_recording_fill(&recording, &resolving->recording, resolving->symbols, &profile, fault);
    if (error == 0) {
        char *stem = stem_for(resolving, &recording);
        error = an_run_files_write(&profile, stem, &written, fault);
        if (error == 0)
            report(resolving, stem, &written);
        if (error == 0)
            error = write_detail(resolving, &recording, stem, fault);
        free(stem);
    }
    if (error == 0)
        an_recording_trim(&recording.file);
    an_profile_release(&profile);
    an_recording_close(&recording);
    return error;
}

/* Wait for NS, but not past the end of the recorded program, nor of the wish to wait. */
static void wait_for_growth(const char *path, uint64_t ns)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    for (uint64_t waited = 0; waited < ns && !stopped; waited += LOOK_NS) {
        struct an_recording_file file;
        struct an_fault fault;
        nanosleep(&look, NULL);
        if (an_recording_file_open(path, &file, &fault) != 0)
            return;
        bool running = an_recording_running(&file);
        an_recording_file_close(&file);
        if (!running)
            return;
    }
}

/* A live file that lies elsewhere is copied to BASE.thag and removed at the end. */
static int follow_copy(struct resolving *resolving, char *stem, struct an_fault *fault)
{
    bool running = false;
    if (resolving->options->output == NULL || stem == NULL)
        return 0;
    size_t bytes = strlen(stem) + sizeof(".thag");
    char *path = an_memory_array(bytes, 1);
    snprintf(path, bytes, "%s.thag", stem);
    int error = access(path, F_OK) == 0 ? resolve_once(resolving, path, &running, fault) : 0;
    free(path);
    return error;
}

/* The stem that was last written to, so that the copy is found when the live file is gone. */
static char *follow_stem(const struct resolving *resolving, const char *path)
{
    struct an_recording recording;
    struct an_fault fault;
    if (resolving->options->output == NULL ||
        an_recording_open(path, NULL, &recording, &fault) != 0)
        return NULL;
    char *stem = stem_for(resolving, &recording);
    an_recording_close(&recording);
    return stem;
}

static int follow(struct resolving *resolving, const char *path, struct an_fault *fault)
{
    uint64_t every_ns = resolving->options->every_ns;
    bool running = true, seen = false;
    char *stem = follow_stem(resolving, path);
    int error = 0;
    struct sigaction stop = {.sa_handler = on_stop};
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    while (running && !stopped) {
        uint64_t begin_ns = now_ns();
        error = resolve_once(resolving, path, &running, fault);
        if (error == -ENOENT && seen) {
            error = follow_copy(resolving, stem, fault);
            break;
        }
        if (error != 0)
            break;
        seen = true;
        resolving->quiet = true; /* it would say the same again */
        /* Much to write must not keep a core busy beside the program: at most every fifth second.
         */
        uint64_t rest_ns = 4 * (now_ns() - begin_ns);
        if (running)
            wait_for_growth(path, rest_ns > every_ns ? rest_ns : every_ns);
    }
    free(stem);
    return error;
}

/*
 * True if PATH is an ended recording of the family of process PID, and nobody named it yet. Older
 * ones than SINCE_NS are of another process with the same number.
 */
static bool is_unnamed_relative(const char *path, uint32_t pid, uint64_t since_ns)
{
    struct an_recording_file file;
    struct rec_header header;
    struct an_fault fault;
    if (an_recording_file_header(path, &header, &fault) != 0 || header.family_pid != pid ||
        header.start_realtime_ns < since_ns)
        return false;
    char *stem = stem_of(path);
    bool named = an_run_files_exist(stem);
    free(stem);
    if (named || an_recording_file_open(path, &file, &fault) != 0)
        return false;
    /* What still runs would be named with what it has by now, and never again. */
    bool running = an_recording_running(&file);
    an_recording_file_close(&file);
    return !running;
}

/* Name what the family of the program left in the directory. Damaged ones are left as they are. */
static void resolve_family(struct resolving *resolving, const char *path)
{
    struct an_recording_file file;
    struct an_fault fault;
    const char *slash = strrchr(path, '/');
    size_t folder_bytes = slash == NULL ? 0 : (size_t)(slash + 1 - path);
    char *folder =
        folder_bytes == 0 ? an_memory_text(".") : an_memory_text_part(path, folder_bytes);
    DIR *directory = opendir(folder);
    free(folder);
    if (directory == NULL || an_recording_file_open(path, &file, &fault) != 0) {
        if (directory != NULL)
            closedir(directory);
        return;
    }
    /* The family is as old as its first process: a shell may have exec'ed the program at its end.
     * If that is gone nobody knows how old; but what has no names yet may have them. */
    uint32_t pid = file.header.family_pid;
    uint64_t since_ns = pid == file.header.pid ? an_recording_process_start_ns(&file) : 0;
    an_recording_file_close(&file);
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        size_t bytes = strlen(entry->d_name);
        bool running = false;
        if (bytes <= 5 || strcmp(entry->d_name + bytes - 5, ".thag") != 0 ||
            strcmp(entry->d_name, path + folder_bytes) == 0)
            continue;
        char *other = an_memory_array(folder_bytes + bytes + 1, 1);
        memcpy(other, path, folder_bytes);
        strcpy(other + folder_bytes, entry->d_name);
        if (is_unnamed_relative(other, pid, since_ns))
            resolve_once(resolving, other, &running, &fault);
        free(other);
    }
    closedir(directory);
}

static int resolve_run(const struct an_options *options)
{
    struct resolving resolving = {.options = options, .quiet = options->input.quiet};
    struct an_fault fault = {""};
    int status = AN_EXIT_FINE;
    resolving.recording = an_input_recording_options(&options->input);
    resolving.symbols = an_symbols_new(&resolving.recording.symbols);
    if (options->follow && options->file_count > 1)
        status = an_command_fail(&an_command_resolve, AN_EXIT_USAGE,
                                 "--follow takes one recording at a time");
    for (size_t i = 0; i < options->file_count && status == AN_EXIT_FINE; i++) {
        const char *path = options->files[i];
        bool running = false;
        int error = options->follow ? follow(&resolving, path, &fault)
                                    : resolve_once(&resolving, path, &running, &fault);
        if (error != 0)
            status = an_command_fail(&an_command_resolve, AN_EXIT_INPUT, "%s", fault.text);
        else if (options->family)
            resolve_family(&resolving, path);
    }
    an_symbols_free(resolving.lines);
    an_symbols_free(resolving.symbols);
    return status;
}

const struct an_command an_command_resolve = {
    .name = "resolve",
    .operands = "BASE.thag...",
    .summary = "Name the functions of recordings, write folded files",
    .options = AN_OPTION_BIT(FOLLOW) | AN_OPTION_BIT(EVERY) | AN_OPTION_BIT(FAMILY) |
               AN_OPTION_BIT(SYSROOT) | AN_OPTION_BIT(DEBUG_DIR) | AN_OPTION_BIT(DEBUGINFOD) |
               AN_OPTION_BIT(NO_INLINE) | AN_OPTION_BIT(ALL_INLINES) | AN_OPTION_BIT(NO_DEMANGLE) |
               AN_OPTION_BIT(CUT_HASHES) | AN_OPTION_BIT(SHORT_NAMES) | AN_OPTION_BIT(DIRECTORY) |
               AN_OPTION_BIT(HELP),
    .run = resolve_run,
    .files_min = 1,
    .files_max = UINT32_MAX,
};
