/*
 * exit_doors.c DOOR -- allocates, frees half, and leaves by DOOR. Exit status 5 where the door has
 * one. Exit handlers and destructors allocate, too.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCKS = 1000, BLOCK_BYTES = 100, HANDLER_BLOCKS = 10 };

extern char **environ;
void late_library_begin(void);
static void *kept[BLOCKS];
static char *self;

static void work(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        kept[i] = malloc(BLOCK_BYTES);
    }
    for (int i = 0; i < BLOCKS; i += 2) {
        free(kept[i]);
    }
}

static void late(void)
{
    for (int i = 0; i < HANDLER_BLOCKS; i++) {
        free(malloc(BLOCK_BYTES));
    }
}

static __attribute__((destructor)) void very_late(void)
{
    late();
}

static void by_signal(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

static void by_segv(void)
{
    *(volatile int *)8 = 1;
}

static void *exits(void *status)
{
    exit((int)(long)status);
}

/* With a block that is small enough for the recorder to hold it back for a while. */
static void *exits_at_once(void *status)
{
    kept[0] = malloc(40);
    _exit((int)(long)status);
}

static void by_thread_of(void *(*function)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, function, (void *)5L);
    pthread_join(thread, NULL);
}

static void by_thread(void)
{
    by_thread_of(exits);
}

static void by_thread_at_once(void)
{
    by_thread_of(exits_at_once);
}

static void on_term(int number)
{
    (void)number;
    _exit(5);
}

static void by_handler(void)
{
    signal(SIGTERM, on_term);
    raise(SIGTERM);
}

static void *execs(void *unused)
{
    char *arguments[] = {self, (char *)"return", NULL};
    kept[0] = malloc(40);
    execv("/proc/self/exe", arguments);
    return unused;
}

static void by_exec(void)
{
    by_thread_of(execs);
}

/* What dlerror() has to say is the program's, also behind calls that are not libdl's. */
static void by_failing_exec(void)
{
    char *arguments[] = {self, NULL};
    dlopen("/nowhere/at/all.so", RTLD_NOW);
    execv("/nowhere/at/all", arguments);
    execve("/", arguments, environ);
    const char *error = dlerror();
    error = error ? error : "no error of dlopen()";
    write(1, error, strlen(error));
    late();
    exit(5);
}

static void by_failing_exec_and_kill(void)
{
    char *arguments[] = {self, NULL};
    execv("/nowhere/at/all", arguments);
    raise(SIGKILL);
}

static void by_raw_exit(void)
{
    syscall(SYS_exit_group, 5);
}

static const struct door {
    const char *name;
    void (*leave)(void);
} doors[] = {
    {"abort", abort},
    {"thread", by_thread},
    {"thread-_exit", by_thread_at_once},
    {"handler", by_handler},
    {"segv", by_segv},
    {"exec", by_exec},
    {"failing-exec", by_failing_exec},
    {"failing-exec-killed", by_failing_exec_and_kill},
    {"raw", by_raw_exit},
};

static void by_status_or_signal(const char *door)
{
    if (strcmp(door, "exit") == 0) {
        exit(5);
    } else if (strcmp(door, "_exit") == 0) {
        _exit(5);
    } else if (strcmp(door, "_Exit") == 0) {
        _Exit(5);
    } else if (strcmp(door, "quick_exit") == 0) {
        quick_exit(5);
    } else if (strcmp(door, "pthread_exit") == 0) {
        pthread_exit(NULL);
    } else if (atoi(door) > 0) {
        by_signal(atoi(door));
    }
}

int main(int count, char **arguments)
{
    const char *door = count > 1 ? arguments[1] : "return";
    self = arguments[0];
    atexit(late);
    at_quick_exit(late);
    work();
    late_library_begin();
    for (size_t i = 0; i < sizeof doors / sizeof doors[0]; i++) {
        if (strcmp(doors[i].name, door) == 0) {
            doors[i].leave();
        }
    }
    by_status_or_signal(door);
    return 5;
}
