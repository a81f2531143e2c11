/*
 * resolver.c -- see the header.
 */
#include "runtime/setup/resolver.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "runtime/hot/recording.h"
#include "runtime/setup/installed.h" /* made by meson in the build tree */

extern int _dl_find_object(void *address, struct dl_find_object *result) __attribute__((weak));

enum { STACK_BYTES = 128 * 1024, PATHS_MAX = 5, VARIABLES_MAX = 8, VARIABLE_BYTES = 1024 };

/* Kept from the start: the program may have overwritten its environment by the time we end. */
static struct {
    bool allowed;
    struct rt_text named, beside, in_tree, moved, in_path;
    char variable[VARIABLES_MAX][VARIABLE_BYTES];
    char *environment[VARIABLES_MAX + 1];
    unsigned variables;
} tool;

struct job {
    const char *paths[PATHS_MAX + 1];
    char *arguments[9];
    bool wait;
};

/* PATH as it is seen from the current directory, which the program may leave; empty if that is not
 * known. */
static void path_set(struct rt_text *ret_path, const char *path, size_t bytes)
{
    static char current[RT_TEXT_BYTES];
    rt_text_clear(ret_path);
    if (bytes && path[0] != '/') {
        if (os_directory_current(current, sizeof current) < 0 || current[0] != '/') {
            return;
        }
        rt_text_add(ret_path, current);
        rt_text_add(ret_path, "/");
    }
    rt_text_add_bytes(ret_path, path, bytes);
}

/* The directory of our own library as the loader knows it; empty if it does not tell. */
static void own_directory(struct rt_text *ret_directory)
{
    struct dl_find_object object;
    rt_text_clear(ret_directory);
    if (!_dl_find_object || _dl_find_object((void *)own_directory, &object) < 0) {
        return;
    }
    const char *path = object.dlfo_link_map->l_name;
    path_set(ret_directory, path, (size_t)(rt_text_base_name(path) - path));
}

/* What the tool may see of the environment. LD_PRELOAD and its like are left out: the tool must not
 * be profiled; and no debuginfod server is asked at the end of somebody's program. */
static void variables_keep(const struct rt_environment *environment)
{
    static const char *const names[] = {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "NO_COLOR"};
    tool.variables = 0;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = rt_environment_get(environment, names[i]);
        size_t name_bytes = __builtin_strlen(names[i]);
        size_t bytes = value ? __builtin_strlen(value) + 1 : 0;
        if (!value || name_bytes + 1 + bytes > VARIABLE_BYTES) {
            continue;
        }
        char *target = tool.variable[tool.variables];
        __builtin_memcpy(target, names[i], name_bytes);
        target[name_bytes] = '=';
        __builtin_memcpy(target + name_bytes + 1, value, bytes);
        tool.environment[tool.variables++] = target;
    }
    tool.environment[tool.variables] = NULL;
}

/* The first directory of the kept PATH that has the tool. */
static void path_search(void)
{
    const char *path = NULL;
    for (unsigned i = 0; i < tool.variables; i++) {
        if (__builtin_strncmp(tool.variable[i], "PATH=", 5) == 0) {
            path = tool.variable[i] + 5;
        }
    }
    while (path && *path) {
        size_t bytes = 0;
        while (path[bytes] && path[bytes] != ':') {
            bytes++;
        }
        uint32_t mode, owner;
        rt_text_clear(&tool.in_path);
        rt_text_add_bytes(&tool.in_path, path, bytes);
        rt_text_add(&tool.in_path, "/thag_profile");
        if (tool.in_path.at[0] == '/' && os_file_lstat(tool.in_path.at, &mode, &owner) == 0) {
            return;
        }
        path += bytes + (path[bytes] == ':');
    }
    rt_text_clear(&tool.in_path);
}

void rt_resolver_prepare(const struct rt_session *session)
{
    /* In a set-user-ID program a path out of the environment must not be run. */
    bool secure = rt_environment_auxiliary(&session->environment, AT_SECURE) != 0;
    tool.allowed = session->config.resolve && !secure;
    if (!tool.allowed) {
        return;
    }
    path_set(&tool.named, session->config.resolver.at, session->config.resolver.bytes);
    own_directory(&tool.beside);
    tool.in_tree = tool.moved = tool.beside;
    if (tool.beside.bytes) {
        rt_text_add(&tool.beside, "thag_profile");
        rt_text_add(&tool.in_tree, "../analyzer/thag_profile");
        rt_text_add(&tool.moved, RT_MOVED_TOOL);
    }
    if (sizeof RT_MOVED_TOOL == 1) {
        rt_text_clear(&tool.moved);
    }
    variables_keep(&session->environment);
}

static void job_add_path(struct job *job, const struct rt_text *path)
{
    unsigned i = 0;
    while (job->paths[i]) {
        i++;
    }
    if (path->bytes && !path->cut) {
        job->paths[i] = path->at;
    }
}

static void job_paths(struct job *job, const struct rt_session *session)
{
    static struct rt_text installed;
    rt_text_clear(&installed);
    rt_text_add(&installed, RT_INSTALLED_TOOL);
    if (session->config.resolver.bytes) { /* the user named it: no other will do */
        job_add_path(job, &tool.named);
        return;
    }
    job_add_path(job, &tool.beside);
    job_add_path(job, &tool.in_tree);
    job_add_path(job, &tool.moved);
    job_add_path(job, &installed);
    path_search();
    job_add_path(job, &tool.in_path);
}

/* In the helper process. */
static int help(void *argument)
{
    struct job *job = argument;
    long pid = os_process_spawn(job->paths, job->arguments, tool.environment);
    if (pid > 0 && job->wait) {
        os_process_wait(pid);
    }
    os_process_exit(0);
}

static void run(struct job *job, const struct rt_session *session)
{
    job_paths(job, session);
    void *stack = job->paths[0] ? os_memory_map(STACK_BYTES) : NULL;
    if (!stack) {
        return;
    }
    uint64_t signals;
    uint64_t before = os_signals_pending();
    os_signals_block(&signals);
    os_process_run_hidden(help, job, stack, STACK_BYTES);
    if (job->wait) {
        /* At the end of the process. Without us it would have been gone before a signal came that
         * came meanwhile: it must not get an exit status from it, nor lose what it has not flushed.
         */
        signals |= os_signals_pending() & ~before;
    }
    os_signals_restore(signals);
    os_memory_unmap(stack, STACK_BYTES);
}

void rt_resolver_run(const struct rt_session *session)
{
    if (!tool.allowed) {
        return;
    }
    struct job job = {
        .arguments = {(char *)"thag_profile", (char *)"resolve", (char *)"--family",
                      (char *)session->path.at, NULL},
        .wait = true,
    };
    rt_recording.header->resolver_seen = 1;
    run(&job, session);
}

void rt_resolver_name(const struct rt_session *session, const struct rt_text *path)
{
    if (!tool.allowed) {
        return;
    }
    struct job job = {
        .arguments = {(char *)"thag_profile", (char *)"resolve", (char *)path->at, NULL},
        .wait = false,
    };
    run(&job, session);
}

void rt_resolver_follow(const struct rt_session *session)
{
    if (!tool.allowed) {
        return;
    }
    static struct rt_text every;
    rt_text_clear(&every);
    rt_text_add_number(&every, session->config.stream_s);
    struct job job = {
        .arguments = {(char *)"thag_profile", (char *)"resolve", (char *)"--follow",
                      (char *)"--every", every.at, (char *)session->path.at},
        .wait = false,
    };
    if (session->live_path.bytes) { /* the recording grows elsewhere; its names go where it ends */
        job.arguments[5] = (char *)"-o";
        job.arguments[6] = (char *)session->directory.at;
        job.arguments[7] = (char *)session->live_path.at;
    }
    run(&job, session);
}
