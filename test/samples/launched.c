/*
 * launched.c -- a program for the launcher to start: it allocates, says what it was given, and ends
 * as its first argument says.
 *
 *   launched WORD...       prints its arguments and what it was preloaded with, ends with 3
 *   launched kill NUMBER   dies by that signal
 *   launched wait          says "ready"; ends with 5 after SIGINT, 6 after SIGTERM, 7 after SIGHUP
 *   launched start PROGRAM...  runs it and ends as it does
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t came;

static void on_signal(int number)
{
    came = came * 100 + number;
}

static int wait_for_signal(void)
{
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (signal(SIGHUP, on_signal) == SIG_IGN) {
        signal(SIGHUP, SIG_IGN);
        puts("deaf to SIGHUP");
    }
    puts("ready");
    fflush(stdout);
    while (!came)
        pause();
    usleep(400 * 1000); /* a second signal may be on its way */
    return came == SIGINT ? 5 : came == SIGTERM ? 6 : came == SIGHUP ? 7 : 99;
}

static int start(char **arguments)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        execvp(arguments[0], arguments);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return 98;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

static void say(const char *name)
{
    const char *value = getenv(name);
    printf("%s=%s\n", name, value ? value : "(not set)");
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 1000; i++) {
        char *block = malloc(100);
        block[0] = (char)i;
        if (i % 10)
            free(block);
    }
    if (argc > 2 && strcmp(argv[1], "kill") == 0)
        raise(atoi(argv[2]));
    if (argc > 2 && strcmp(argv[1], "start") == 0)
        return start(argv + 2);
    if (argc > 1 && strcmp(argv[1], "wait") == 0)
        return wait_for_signal();
    for (int i = 1; i < argc; i++)
        printf("argument %s\n", argv[i]);
    say("LD_PRELOAD");
    say("THAG_PROFILER");
    return 3;
}
