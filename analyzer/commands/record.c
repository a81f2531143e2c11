/*
 * record.c -- thag_profile record: runs a program with the recorder preloaded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/commands/command.h"
#include "analyzer/commands/record_functions.h"
#include "analyzer/commands/record_report.h"
#include "analyzer/launch/ask.h"
#include "analyzer/launch/obstacle.h"
#include "analyzer/launch/preload.h"
#include "analyzer/launch/program.h"
#include "analyzer/launch/request.h"
#include "analyzer/launch/run.h"
#include "analyzer/support/memory.h"

/* As shells have it. */
enum { STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

static int record_fail_start(const char *name, int error)
{
    return an_command_fail(&an_command_record,
                           error == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE, "%s: %s",
                           name, error == -ENOENT ? "not found" : strerror(-error));
}

/* The library, freed by free(); NULL, and stderr says where it was looked for. */
static char *record_find_library(void)
{
    char *library = an_preload_find();
    if (!library) {
        char *places = an_preload_places();
        an_command_fail(&an_command_record, 0, AN_PRELOAD_NAME " is in none of these places:");
        fputs(places, stderr);
        free(places);
    } else if (!an_preload_can_name(library)) {
        an_command_fail(&an_command_record, 0,
                        "%s: a library with a blank or a colon in its path cannot be preloaded; "
                        "install it elsewhere",
                        library);
        free(library);
        library = NULL;
    }
    return library;
}

/* A program and what it is started with. */
struct launch {
    const struct an_options *options;
    const char *path; /* of the program */
    const char *settings;
    char *list;          /* for LD_PRELOAD, owned */
    bool leaves_preload; /* out: the program would not start with it */
    struct an_record_functions functions;
    struct an_record_run run;
};

/* --only and --except. What they cannot do is told; the program runs in any case. */
static void launch_choose_functions(struct launch *launch, const struct an_program *program,
                                    const struct an_loading *loading)
{
    struct an_record_functions *functions = &launch->functions;
    struct an_fault fault;
    if (an_filter_is_empty(launch->options->filter))
        return;
    if (an_record_functions_write(launch->options->filter, program, loading, functions, &fault) !=
        0)
        an_command_fail(&an_command_record, 0, "all functions are timed: %s", fault.text);
    else if (functions->function_count == 0)
        an_command_fail(&an_command_record, 0,
                        "note: no function that is compiled with -finstrument-functions has such a "
                        "name");
    if (functions->unknown)
        an_command_fail(&an_command_record, 0,
                        "note: %s has no build-id, so its functions cannot be told apart; link it "
                        "with -Wl,--build-id",
                        functions->unknown);
}

/* One line about what will not work. */
static void launch_look(struct launch *launch)
{
    struct an_program program;
    struct an_obstacle obstacle;
    struct an_loading loading;
    an_program_look(launch->path, &program);
    an_obstacle_find(&program, launch->list, &obstacle, &loading);
    if (obstacle.is_there)
        an_command_fail(&an_command_record, 0, "not recording: %s%s%s %s", launch->run.program,
                        program.is_script ? ": its interpreter " : "",
                        program.is_script ? program.image : "", obstacle.text);
    else
        launch_choose_functions(launch, &program, &loading);
    launch->run.was_told = obstacle.is_there;
    launch->leaves_preload = obstacle.is_there && !obstacle.keep_preload;
    an_loading_release(&loading);
    an_program_release(&program);
}

/* Result: 0, and how the program ended; -errno if it did not start. */
static int launch_run(struct launch *launch, int *ret_ended)
{
    const char *inherited = getenv("LD_PRELOAD");
    const char *functions =
        launch->functions.path ? launch->functions.path : getenv("THAG_FUNCTIONS");
    const struct an_variable changes[] = {
        {"LD_PRELOAD", launch->leaves_preload ? inherited : launch->list},
        {"THAG_PROFILER", launch->settings},
        {"THAG_FUNCTIONS", functions},
        {"THAG_PARENT", NULL}, /* a family of its own */
        {NULL, NULL}};
    /* Children of a program that cannot tell them are told for it. */
    bool tells = launch->run.was_told && !launch->leaves_preload;
    char **environment = an_environment_with(environ, changes);
    struct timespec now;
    pid_t pid = 0;
    clock_gettime(CLOCK_REALTIME, &now);
    launch->run.start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    int error = an_run_program(launch->options->files, environment, tells ? "THAG_PARENT" : NULL,
                               &pid, ret_ended);
    launch->run.pid = (uint32_t)pid;
    an_environment_free(environment);
    return error;
}

/* Result: the exit status. */
static int record_program(const struct an_options *options, const char *path, const char *library,
                          const char *settings, const char *directory)
{
    struct launch launch = {
        .options = options,
        .path = path,
        .settings = settings,
        .list = an_preload_list(library, getenv("LD_PRELOAD")),
        .run = {.program = options->files[0], .directory = directory, .settings = settings}};
    int ended = 0;
    launch_look(&launch);
    int error = launch_run(&launch, &ended);
    if (launch.functions.path)
        unlink(launch.functions.path);
    free(launch.functions.path);
    free(launch.functions.unknown);
    free(launch.list);
    if (error)
        return record_fail_start(options->files[0], error);
    an_record_report(&launch.run);
    return an_run_end_like(ended);
}

static int record_run(const struct an_options *options)
{
    struct an_request request = {.type = options->type,
                                 .directory = options->output,
                                 .detail = options->detail,
                                 .key = options->keys,
                                 .key_count = options->key_count};
    struct an_fault fault = {""};
    char *path = NULL, *settings = NULL;
    int status = an_program_find(options->files[0], &path);
    if (status != 0) {
        status = record_fail_start(path ? path : options->files[0], status);
        free(path);
        return status;
    }
    char *library = record_find_library();
    status = library ? AN_EXIT_FINE : AN_EXIT_INPUT;
    if (library && an_request_write(&request, getenv("THAG_PROFILER"), &settings, &fault) != 0)
        status = an_command_fail(&an_command_record, AN_EXIT_USAGE, "%s", fault.text);
    if (status == AN_EXIT_FINE) {
        char *directory =
            options->output ? an_memory_text(options->output) : an_request_directory(settings);
        status = record_program(options, path, library, settings, directory);
        free(directory);
    }
    free(settings);
    free(library);
    free(path);
    return status;
}

const struct an_command an_command_record = {
    .name = "record",
    .operands = "PROGRAM...",
    .operand = "program",
    .summary = "Run a program and record its heap and time",
    .options = AN_OPTION_BIT(TYPE) | AN_OPTION_BIT(DIRECTORY) | AN_OPTION_BIT(DETAIL) |
               AN_OPTION_BIT(ONLY) | AN_OPTION_BIT(EXCEPT) | AN_OPTION_BIT(SET) |
               AN_OPTION_BIT(IGNORE_CASE) | AN_OPTION_BIT(HELP),
    .run = record_run,
    .files_min = 1,
    .files_max = UINT32_MAX,
    .runs_operands = true,
};
