/*
 * run.c -- run a program in our place.
 */
#include "analyzer/launch/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/launch/ask.h"

enum { GRACE_NS = 100 * 1000 * 1000 };

/* Signals of the time before, for the program. */
struct dispositions {
    struct sigaction interrupt, quit, child;
    sigset_t mask;
};

static void signal_ignore(int number, struct sigaction *ret_before)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(number, &ignore, ret_before);
}

/* RET_WAIT: what is waited for. A signal that was ignored stays so (nohup). */
static void dispositions_take(struct dispositions *before, sigset_t *ret_wait)
{
    static const int passed[] = {SIGTERM, SIGHUP};
    struct sigaction standard = {.sa_handler = SIG_DFL}, now;
    signal_ignore(SIGINT, &before->interrupt);
    signal_ignore(SIGQUIT, &before->quit);
    /* Where SIGCHLD is ignored, nobody learns how a child ended. */
    sigaction(SIGCHLD, &standard, &before->child);
    sigemptyset(ret_wait);
    sigaddset(ret_wait, SIGCHLD);
    for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
        if (sigaction(passed[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(ret_wait, passed[i]);
    }
    sigprocmask(SIG_BLOCK, ret_wait, &before->mask);
}

static void dispositions_give_back(const struct dispositions *before)
{
    sigaction(SIGINT, &before->interrupt, NULL);
    sigaction(SIGQUIT, &before->quit, NULL);
    sigaction(SIGCHLD, &before->child, NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* True if the process has ended within TIME (NULL: however long it takes) or before a signal that
 * is to be passed on came, which RET_SIGNAL then names; 0: none. */
static bool child_wait(pid_t pid, const sigset_t *wait, const struct timespec *time,
                       int *ret_status, int *ret_signal)
{
    *ret_signal = 0;
    for (;;) {
        siginfo_t info;
        if (waitpid(pid, ret_status, WNOHANG) == pid)
            return true;
        int number = sigtimedwait(wait, &info, time);
        if (number < 0 && errno == EINTR)
            continue;
        if (number < 0)
            return waitpid(pid, ret_status, WNOHANG) == pid;
        /* The kernel's own SIGHUP goes to all who are on the terminal. */
        if (number != SIGCHLD && info.si_code <= 0) {
            *ret_signal = number;
            return false;
        }
    }
}

static void child_end(pid_t pid, const sigset_t *wait, int *ret_status)
{
    const struct timespec grace = {.tv_nsec = GRACE_NS};
    int number, other;
    while (!child_wait(pid, wait, NULL, ret_status, &number)) {
        if (child_wait(pid, wait, &grace, ret_status, &other))
            return;
        kill(pid, number);
    }
}

/* In the child. FAILED is written to if the program does not start. */
static _Noreturn void child_start(char *const arguments[], char *const environment[],
                                  const char *pid_variable, int failed)
{
    char number[24];
    snprintf(number, sizeof(number), "%ld", (long)getpid());
    const struct an_variable changes[] = {{pid_variable, number}, {NULL, NULL}};
    execvpe(arguments[0], arguments, an_environment_with(environment, changes));
    int error = errno;
    if (write(failed, &error, sizeof(error)) < 0)
        _exit(126);
    _exit(error == ENOENT ? 127 : 126);
}

int an_run_program(char *const arguments[], char *const environment[], const char *pid_variable,
                   pid_t *ret_pid, int *ret_status)
{
    struct dispositions before;
    sigset_t wait;
    int failed[2], error = 0;
    if (pipe2(failed, O_CLOEXEC) != 0)
        return -errno;
    fflush(NULL);
    dispositions_take(&before, &wait);
    pid_t pid = fork();
    if (pid == 0) {
        dispositions_give_back(&before);
        child_start(arguments, environment, pid_variable, failed[1]);
    }
    if (pid < 0)
        error = errno;
    close(failed[1]);
    if (pid > 0) {
        ssize_t bytes = read(failed[0], &error, sizeof(error));
        while (bytes < 0 && errno == EINTR)
            bytes = read(failed[0], &error, sizeof(error));
        child_end(pid, &wait, ret_status);
        *ret_pid = pid;
    }
    close(failed[0]);
    /* What was meant for both has done its work: we still have something to say. */
    const struct timespec now = {0};
    while (sigtimedwait(&wait, NULL, &now) > 0)
        continue;
    dispositions_give_back(&before);
    return -error;
}

int an_run_end_like(int status)
{
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    int number = WTERMSIG(status);
    sigset_t alone;
    fflush(NULL);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    signal(number, SIG_DFL);
    sigemptyset(&alone);
    sigaddset(&alone, number);
    sigprocmask(SIG_UNBLOCK, &alone, NULL);
    raise(number);
    return 128 + number;
}
