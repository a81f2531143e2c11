/*
 * exec.c -- the exec family: the new image is told which family it belongs to.
 *
 * Thin wrappers: an environment with one entry more on the caller's stack, then libc's function.
 * The program's own environment is not changed. These run in children of vfork() too, where memory
 * is the parent's: nothing is allocated.
 */
#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include "preload/hook.h"
#include "preload/real_places.h"
#include "runtime/setup/lifecycle.h"

extern char **environ;

enum { VARIABLES_MAX = 1 << 16 };

PL_EXPORT int execve(const char *path, char *const arguments[], char *const environment[]);
PL_EXPORT int execv(const char *path, char *const arguments[]);
PL_EXPORT int execvp(const char *file, char *const arguments[]);
PL_EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[]);
PL_EXPORT int fexecve(int fd, char *const arguments[], char *const environment[]);
PL_EXPORT int execl(const char *path, const char *argument, ...);
PL_EXPORT int execlp(const char *file, const char *argument, ...);
PL_EXPORT int execle(const char *path, const char *argument, ...);
PL_EXPORT int posix_spawn(pid_t *ret_pid, const char *path,
                          const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const arguments[],
                          char *const environment[]);
PL_EXPORT int posix_spawnp(pid_t *ret_pid, const char *file,
                           const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[],
                           char *const environment[]);

PL_REAL_PLACE(execve);
PL_REAL_PLACE(execvpe);
PL_REAL_PLACE(fexecve);
PL_REAL_PLACE(posix_spawn);
PL_REAL_PLACE(posix_spawnp);

static size_t list_count(char *const list[])
{
    size_t count = 0;
    while (list && list[count]) {
        count++;
    }
    return count;
}

static bool is_family_entry(const char *entry)
{
    return __builtin_strncmp(entry, "THAG_PARENT=", sizeof "THAG_PARENT=" - 1) == 0;
}

/* RET_LIST has room for all of ENVIRONMENT, one more entry and the end. */
static char *const *environment_fill(char *const environment[], const char *family, char **ret_list)
{
    size_t count = 0;
    for (char *const *entry = environment; entry && *entry; entry++) {
        if (!is_family_entry(*entry)) {
            ret_list[count++] = *entry;
        }
    }
    ret_list[count++] = (char *)family;
    ret_list[count] = NULL;
    return ret_list;
}

/* ENVIRONMENT with the family's entry, in the frame of the function where this is written. */
#define WITH_FAMILY(environment)                                                                   \
    ({                                                                                             \
        const char *family_ = rt_lifecycle_family_entry();                                         \
        size_t count_ = list_count(environment);                                                   \
        family_ &&count_ < VARIABLES_MAX                                                           \
            ? environment_fill(environment, family_, alloca((count_ + 2) * sizeof(char *)))        \
            : (environment);                                                                       \
    })

/* Run an exec with the end stamped; it only returns if it failed. */
#define EXEC(call)                                                                                 \
    ({                                                                                             \
        bool stamped_ = rt_lifecycle_exec_begins();                                                \
        int result_ = (call);                                                                      \
        if (stamped_) {                                                                            \
            rt_lifecycle_exec_failed();                                                            \
        }                                                                                          \
        result_;                                                                                   \
    })

int execve(const char *path, char *const arguments[], char *const environment[])
{
    char *const *told = WITH_FAMILY(environment);
    return EXEC(PL_REAL(execve)(path, arguments, told));
}

int execv(const char *path, char *const arguments[])
{
    char *const *told = WITH_FAMILY(environ);
    return EXEC(PL_REAL(execve)(path, arguments, told));
}

int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    char *const *told = WITH_FAMILY(environment);
    return EXEC(PL_REAL(execvpe)(file, arguments, told));
}

int execvp(const char *file, char *const arguments[])
{
    char *const *told = WITH_FAMILY(environ);
    return EXEC(PL_REAL(execvpe)(file, arguments, told));
}

int fexecve(int fd, char *const arguments[], char *const environment[])
{
    char *const *told = WITH_FAMILY(environment);
    return EXEC(PL_REAL(fexecve)(fd, arguments, told));
}

/* The arguments behind FIRST as a list on the stack of the function where this is written; LIST is
 * left behind the closing NULL. */
#define ARGUMENT_LIST(first, list)                                                                 \
    ({                                                                                             \
        va_list counter_;                                                                          \
        size_t count_ = 1;                                                                         \
        va_copy(counter_, list);                                                                   \
        for (const char *next_ = first; next_; next_ = va_arg(counter_, const char *)) {           \
            count_++;                                                                              \
        }                                                                                          \
        va_end(counter_);                                                                          \
        char **arguments_ = alloca(count_ * sizeof(char *));                                       \
        arguments_[0] = (char *)first;                                                             \
        for (size_t i_ = 1; i_ < count_; i_++) {                                                   \
            arguments_[i_] = va_arg(list, char *);                                                 \
        }                                                                                          \
        arguments_;                                                                                \
    })

int execl(const char *path, const char *argument, ...)
{
    va_list list;
    va_start(list, argument);
    char **arguments = ARGUMENT_LIST(argument, list);
    va_end(list);
    return execv(path, arguments);
}

int execlp(const char *file, const char *argument, ...)
{
    va_list list;
    va_start(list, argument);
    char **arguments = ARGUMENT_LIST(argument, list);
    va_end(list);
    return execvp(file, arguments);
}

int execle(const char *path, const char *argument, ...)
{
    va_list list;
    va_start(list, argument);
    char **arguments = ARGUMENT_LIST(argument, list);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, arguments, environment);
}

int posix_spawn(pid_t *ret_pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[],
                char *const environment[])
{
    char *const *told = WITH_FAMILY(environment);
    return PL_REAL(posix_spawn)(ret_pid, path, actions, attributes, arguments, told);
}

int posix_spawnp(pid_t *ret_pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[],
                 char *const environment[])
{
    char *const *told = WITH_FAMILY(environment);
    return PL_REAL(posix_spawnp)(ret_pid, file, actions, attributes, arguments, told);
}
