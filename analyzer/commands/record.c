/*
 * record.c -- thag_profile record: runs a program with the recorder preloaded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/commands/command.h"
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

/* One line about what will not work. Result: LIST, or NULL if PROGRAM must run without it. */
static const char *record_look(const char *name, const char *path, const char *list, bool *ret_told)
{
    struct an_program program;
    struct an_obstacle obstacle;
    struct an_loading loading;
    an_program_look(path, &program);
    an_obstacle_find(&program, list, &obstacle, &loading);
    if (obstacle.is_there)
        an_command_fail(&an_command_record, 0, "not recording: %s%s%s %s", name,
                        program.is_script ? ": its interpreter " : "",
                        program.is_script ? program.image : "", obstacle.text);
    *ret_told = obstacle.is_there;
    an_loading_release(&loading);
    an_program_release(&program);
    return obstacle.is_there && !obstacle.keep_preload ? NULL : list;
}

/* Result: the exit status. */
static int record_program(char *const *arguments, const char *path, const char *library,
                          const char *settings, const char *directory)
{
    struct an_record_run run = {
        .program = arguments[0], .directory = directory, .settings = settings};
    const char *inherited = getenv("LD_PRELOAD");
    char *list = an_preload_list(library, inherited);
    const char *preload = record_look(arguments[0], path, list, &run.was_told);
    const struct an_variable changes[] = {{"LD_PRELOAD", preload ? preload : inherited},
                                          {"THAG_PROFILER", settings},
                                          {"THAG_PARENT", NULL}, /* a family of its own */
                                          {NULL, NULL}};
    char **environment = an_environment_with(environ, changes);
    struct timespec now;
    pid_t pid;
    int ended;
    clock_gettime(CLOCK_REALTIME, &now);
    run.start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    /* Children of a program that cannot tell them are told for it. */
    const char *family = run.was_told && preload ? "THAG_PARENT" : NULL;
    int error = an_run_program(arguments, environment, family, &pid, &ended);
    an_environment_free(environment);
    free(list);
    if (error)
        return record_fail_start(arguments[0], error);
    run.pid = (uint32_t)pid;
    an_record_report(&run);
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
        status = record_program(options->files, path, library, settings, directory);
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
               AN_OPTION_BIT(SET) | AN_OPTION_BIT(HELP),
    .run = record_run,
    .files_min = 1,
    .files_max = UINT32_MAX,
    .runs_operands = true,
};
