/*
 * doctor_here.c -- whether the recorder works here: the library, its settings, the directory, the
 * system.
 *
 * What a recording needs is best told by making one: this tool runs itself under the recorder with
 * the settings as they are, and takes away what came out.
 */
#include <errno.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/commands/command.h"
#include "analyzer/commands/doctor.h"
#include "analyzer/input/relatives.h"
#include "analyzer/launch/ask.h"
#include "analyzer/launch/preload.h"
#include "analyzer/launch/request.h"
#include "analyzer/output/amount.h"
#include "analyzer/support/memory.h"

/* Less room than this on the disk is soon used up. */
#define ROOM_BYTES (UINT64_C(64) << 20)

/* What came of recording ourselves. */
struct trial {
    struct an_answer answer; /* what was said */
    bool is_recorded, is_resolved;
};

static const char *const variables[] = {"THAG_PROFILER", "SIZE_TRACKING_THRESHOLD"};
enum { VARIABLES = sizeof(variables) / sizeof(variables[0]) };

/* Which of the variables the recorder's line is about; VARIABLES: another matter. */
static unsigned line_subject(const char *line)
{
    for (unsigned i = 0; i < VARIABLES; i++) {
        size_t bytes = strlen(variables[i]);
        if (strncmp(line, variables[i], bytes) == 0 && line[bytes] == ':')
            return i;
    }
    return VARIABLES;
}

/* What the recorder says about that in TEXT, without its "thag: "; NULL: nothing. Freed by free().
 */
static char *line_about(const char *text, unsigned subject)
{
    static const char begin[] = "thag: ";
    for (const char *line = text; *line;) {
        size_t bytes = strcspn(line, "\n");
        if (strncmp(line, begin, sizeof(begin) - 1) == 0 &&
            line_subject(line + sizeof(begin) - 1) == subject)
            return an_memory_text_part(line + sizeof(begin) - 1, bytes - sizeof(begin) + 1);
        line += bytes + (line[bytes] == '\n');
    }
    return NULL;
}

/* Take away what the trial left in DIRECTORY, and see what it was. */
static void trial_clean(struct trial *trial, const char *directory, uint64_t start_ns)
{
    struct an_relatives relatives;
    an_relatives_find(directory, (uint32_t)trial->answer.pid, start_ns, &relatives);
    for (size_t i = 0; i < relatives.count; i++) {
        char *paths[AN_RELATIVE_FILES];
        size_t count = an_relative_files(&relatives.relative[i], paths);
        trial->is_recorded = true;
        trial->is_resolved |= count > 1;
        for (size_t k = 0; k < count; k++) {
            unlink(paths[k]);
            free(paths[k]);
        }
    }
    an_relatives_release(&relatives);
}

static bool trial_run(const char *library, const char *settings, const char *directory,
                      struct trial *ret_trial)
{
    const struct an_variable changes[] = {
        {"LD_PRELOAD", library}, {"THAG_PROFILER", settings}, {"THAG_PARENT", NULL}, {NULL, NULL}};
    char *arguments[] = {(char *)"/proc/self/exe", (char *)"--version", NULL};
    struct timespec now;
    char **environment = an_environment_with(environ, changes);
    *ret_trial = (struct trial){.is_recorded = false};
    clock_gettime(CLOCK_REALTIME, &now);
    bool has_run = an_ask(arguments, environment, &ret_trial->answer) == 0;
    an_environment_free(environment);
    if (has_run)
        trial_clean(ret_trial, directory,
                    (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
    return has_run;
}

/* Result: the library, freed by free(), or NULL. */
static char *check_library(struct an_doctor *doctor)
{
    char *library = an_preload_find();
    if (!library) {
        char *places = an_preload_places(), *rest = NULL;
        an_doctor_say(doctor, AN_DOCTOR_TODO, "library",
                      AN_PRELOAD_NAME " is missing: build it with ninja, or install it with meson "
                                      "install. It was looked for as");
        for (char *place = strtok_r(places, "\n", &rest); place;
             place = strtok_r(NULL, "\n", &rest))
            an_doctor_add(doctor, place);
        free(places);
        return NULL;
    }
    if (!an_preload_can_name(library))
        an_doctor_say(doctor, AN_DOCTOR_TODO, "library",
                      "%s: LD_PRELOAD cannot name a path with a blank or a colon; install it "
                      "elsewhere",
                      library);
    else
        an_doctor_say(doctor, AN_DOCTOR_FINE, "library", "%s", library);
    return library;
}

/* What the recorder says of a variable is the truth about it. Result: true if it refused one. */
static bool check_settings(struct an_doctor *doctor, const struct trial *trial)
{
    bool refused = false;
    for (unsigned i = 0; i < VARIABLES; i++) {
        const char *value = getenv(variables[i]);
        char *complaint = line_about(trial->answer.text, i);
        if (complaint)
            an_doctor_say(doctor, AN_DOCTOR_TODO, "settings", "%s", complaint);
        else if (value && i == 0 && an_request_is_off(value))
            an_doctor_say(doctor, AN_DOCTOR_TODO, "settings",
                          "THAG_PROFILER=%s records nothing: its type is none, or empty; unset it, "
                          "or begin it with both",
                          value);
        else if (value)
            an_doctor_say(doctor, AN_DOCTOR_FINE, "settings", "%s=%s", variables[i], value);
        else if (i == 0)
            an_doctor_say(doctor, AN_DOCTOR_FINE, "settings",
                          "THAG_PROFILER is not set: heap and time, files go to the current "
                          "directory");
        refused |= complaint && i == 0;
        free(complaint);
    }
    return refused;
}

static void check_room(struct an_doctor *doctor, const char *directory)
{
    struct statvfs system;
    char text[AN_AMOUNT_MAX];
    if (statvfs(directory, &system) != 0)
        return;
    uint64_t free_bytes = (uint64_t)system.f_bavail * system.f_frsize;
    an_amount_text(free_bytes, 1, AN_UNIT_BYTES, text);
    if (free_bytes < ROOM_BYTES)
        an_doctor_say(doctor, AN_DOCTOR_TODO, "disk",
                      "only %s are free in %s: make room, or name "
                      "another directory with --output",
                      text, directory);
    else
        an_doctor_say(doctor, AN_DOCTOR_FINE, "disk", "%s are free", text);
}

static void check_directory(struct an_doctor *doctor, const struct trial *trial,
                            const char *settings, const char *directory)
{
    bool names_expected = an_request_wants(settings, "memory") &&
                          an_request_resolves(settings ? settings : "") &&
                          !getenv("SIZE_TRACKING_THRESHOLD");
    const char *shown = strcmp(directory, ".") == 0 ? "the current directory" : directory;
    char *complaint = line_about(trial->answer.text, VARIABLES);
    if (!trial->is_recorded)
        an_doctor_say(doctor, AN_DOCTOR_TODO, "directory",
                      "no trial recording came up in %s: %s. Name a directory that can be written "
                      "to with --output",
                      shown, complaint ? complaint : "nothing was said why");
    else if (names_expected && !trial->is_resolved)
        an_doctor_say(doctor, AN_DOCTOR_TODO, "directory",
                      "a trial recording in %s was not resolved: name this tool in THAG_PROFILER "
                      "with resolver=PATH",
                      shown);
    else if (complaint)
        an_doctor_say(doctor, AN_DOCTOR_NOTE, "directory", "%s", complaint);
    else
        an_doctor_say(doctor, AN_DOCTOR_FINE, "directory",
                      "a trial recording was made in %s and taken away", shown);
    free(complaint);
    check_room(doctor, directory);
}

/* LD_PRELOAD of this shell, which all its programs get. */
static void check_preload_variable(struct an_doctor *doctor)
{
    const char *value = getenv("LD_PRELOAD");
    if (value && strstr(value, AN_PRELOAD_NAME))
        an_doctor_say(doctor, AN_DOCTOR_NOTE, "LD_PRELOAD",
                      "is set here, so every program of this shell is recorded, also this one");
    else if (value && *value)
        an_doctor_say(doctor, AN_DOCTOR_NOTE, "LD_PRELOAD",
                      "%s: record keeps it, behind the recorder", value);
}

static void check_libc(struct an_doctor *doctor)
{
    unsigned major = 0, minor = 0;
    sscanf(gnu_get_libc_version(), "%u.%u", &major, &minor);
    bool is_new = major > 2 || (major == 2 && minor >= 35);
    an_doctor_say(doctor, is_new ? AN_DOCTOR_FINE : AN_DOCTOR_TODO, "libc", "glibc %s%s",
                  gnu_get_libc_version(), is_new ? "" : "; 2.35 or later is needed");
}

/* MADV_POPULATE_WRITE is as old as that. */
static void check_kernel(struct an_doctor *doctor)
{
    struct utsname names;
    unsigned major = 0, minor = 0;
    if (uname(&names) != 0)
        return;
    sscanf(names.release, "%u.%u", &major, &minor);
    if (major > 5 || (major == 5 && minor >= 14))
        an_doctor_say(doctor, AN_DOCTOR_FINE, "kernel", "Linux %s, %s", names.release,
                      names.machine);
    else
        an_doctor_say(doctor, AN_DOCTOR_NOTE, "kernel",
                      "Linux %s: before 5.14 a recording takes all its room on the disk at the "
                      "start; max_size of THAG_PROFILER bounds it",
                      names.release);
}

static void check_clock(struct an_doctor *doctor)
{
    char name[64] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (file && fgets(name, sizeof(name), file))
        name[strcspn(name, "\n")] = '\0';
    if (file)
        fclose(file);
    if (strcmp(name, "tsc") == 0)
        an_doctor_say(doctor, AN_DOCTOR_FINE, "clock",
                      "calls are timed with the processor's counter, which the kernel trusts");
    else
        an_doctor_say(doctor, AN_DOCTOR_NOTE, "clock",
                      "calls are timed through the kernel (%s), which takes longer than the "
                      "processor's counter",
                      *name ? name : "clock source unknown");
}

/* A directory that is yet to be made is as good as the one that it will be made in. */
static char *existing_directory(const char *directory)
{
    char *path = an_memory_text(directory);
    while (access(path, F_OK) != 0 && errno == ENOENT) {
        size_t bytes = strlen(path);
        while (bytes > 1 && path[bytes - 1] == '/')
            bytes--;
        while (bytes > 0 && path[bytes - 1] != '/')
            bytes--;
        if (bytes == 0) {
            free(path);
            return an_memory_text(".");
        }
        path[bytes] = '\0';
    }
    return path;
}

static void check_trial(struct an_doctor *doctor, const char *library)
{
    const char *inherited = getenv("THAG_PROFILER");
    char *wanted = an_request_directory(inherited);
    char *directory = existing_directory(wanted);
    struct an_request move = {.directory = directory};
    struct an_fault fault;
    struct trial trial;
    char *settings = NULL;
    /* Nothing is made for the sake of a trial. */
    if (inherited && strcmp(directory, wanted) != 0 && !an_request_is_off(inherited) &&
        an_request_write(&move, inherited, &settings, &fault) != 0)
        settings = NULL;
    if (!trial_run(library, settings ? settings : inherited, directory, &trial))
        return;
    bool refused = check_settings(doctor, &trial);
    if (!refused && !an_request_is_off(inherited))
        check_directory(doctor, &trial, inherited, directory);
    free(trial.answer.text);
    free(settings);
    free(directory);
    free(wanted);
}

void an_doctor_check_here(struct an_doctor *doctor)
{
    char *library = check_library(doctor);
    if (library && an_preload_can_name(library))
        check_trial(doctor, library);
    check_preload_variable(doctor);
    check_libc(doctor);
    check_kernel(doctor);
    check_clock(doctor);
    free(library);
}
