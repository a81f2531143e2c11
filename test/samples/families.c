/*
 * families.c KIND -- a parent with 100 blocks of 100 bytes makes a child by KIND. The child frees
 * ten of the parent's blocks, makes twenty of its own and ends with status 4; the parent makes ten
 * more and prints what became of the child.
 */
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void *kept[200];
static char *again[] = {(char *)"families", (char *)"image", NULL};
static const char *self = "/proc/self/exe";

static void make(int from, int count)
{
    for (int i = from; i < from + count; i++) {
        kept[i] = malloc(100);
    }
}

static _Noreturn void child(void)
{
    for (int i = 0; i < 10; i++) {
        free(kept[i]);
    }
    make(100, 20);
    exit(4);
}

static pid_t by_fork(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        child();
    }
    return pid;
}

static pid_t by_plain_fork(void) /* runs no pthread_atfork handlers */
{
    pid_t pid = _Fork();
    if (pid == 0) {
        child();
    }
    return pid;
}

static pid_t by_raw_fork(void)
{
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0) {
        child();
    }
    return pid;
}

static int cloned(void *unused)
{
    (void)unused;
    child();
}

static pid_t by_clone(void)
{
    static char stack[65536] __attribute__((aligned(16)));
    return clone(cloned, stack + sizeof stack, SIGCHLD, NULL);
}

static char **own_arguments;

/* A program that shows another title, and has put variables that are gone. */
static pid_t by_fork_with_another_title(void)
{
    memset(own_arguments[1], 'T', strlen(own_arguments[1]));
    own_arguments[0] = own_arguments[1] = NULL;
    for (char **variable = environ; *variable; variable++) {
        *variable = (char *)8; /* no page is there */
    }
    pid_t pid = by_fork();
    environ = NULL;
    return pid;
}

static pid_t by_silent_fork(void) /* the child ends without a heap call */
{
    pid_t pid = fork();
    if (pid == 0) {
        _exit(4);
    }
    return pid;
}

static pid_t by_vfork(void)
{
    pid_t pid = vfork();
    if (pid == 0) {
        execv(self, again);
        _exit(9);
    }
    return pid;
}

static pid_t by_failing_vfork(void)
{
    pid_t pid = vfork();
    if (pid == 0) {
        execl("/nowhere/at/all", "nowhere", NULL);
        _exit(4);
    }
    return pid;
}

static pid_t by_fork_exec(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        execl(self, again[0], again[1], NULL);
        _exit(9);
    }
    return pid;
}

static pid_t by_spawn(void)
{
    pid_t pid = -1;
    posix_spawn(&pid, self, NULL, NULL, again, environ);
    return pid;
}

static pid_t by_cleared_exec(void)
{
    char *nothing[] = {NULL};
    pid_t pid = fork();
    if (pid == 0) {
        execve(self, again, nothing);
        _exit(9);
    }
    return pid;
}

static const struct kind {
    const char *name;
    pid_t (*make)(void);
} kinds[] = {
    {"fork", by_fork},
    {"_Fork", by_plain_fork},
    {"raw", by_raw_fork},
    {"clone", by_clone},
    {"title", by_fork_with_another_title},
    {"silent", by_silent_fork},
    {"vfork", by_vfork},
    {"failing-vfork", by_failing_vfork},
    {"exec", by_fork_exec},
    {"spawn", by_spawn},
    {"cleared", by_cleared_exec},
};

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";
    own_arguments = arguments;
    pid_t pid = -1;
    if (strcmp(name, "image") == 0) {
        make(0, 30);
        return 4;
    }
    make(0, 100);
    if (strcmp(name, "system") == 0) {
        pid = 0;
        printf("system: %d\n", WEXITSTATUS(system("exec /proc/$PPID/exe image")));
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            pid = kinds[i].make();
        }
    }
    make(120, 10);
    int status = 0;
    if (pid > 0 && waitpid(pid, &status, 0) == pid) {
        printf("child: %d %d\n", WIFEXITED(status), WEXITSTATUS(status));
    }
    return 6;
}
