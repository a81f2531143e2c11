/*
 * ask.c -- run a command for what it says.
 */
#include "analyzer/launch/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/support/memory.h"

enum { ANSWER_BYTES = 256 * 1024, PATIENCE_MS = 10000 };

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Read until the other end is closed. False if that took too long. */
static bool answer_read(int fd, char *text)
{
    int64_t end_ms = now_ms() + PATIENCE_MS;
    size_t bytes = 0;
    char rest[4096];
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int64_t left_ms = end_ms - now_ms();
        int ready = left_ms > 0 ? poll(&wait, 1, (int)left_ms) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            break;
        bool has_room = bytes < ANSWER_BYTES;
        ssize_t count =
            has_room ? read(fd, text + bytes, ANSWER_BYTES - bytes) : read(fd, rest, sizeof(rest));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            text[bytes] = '\0';
            return true;
        }
        bytes += has_room ? (size_t)count : 0;
    }
    text[bytes] = '\0';
    return false;
}

static int ask_spawn(char *const arguments[], char *const environment[], int out, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_adddup2(&actions, out, 2);
    int error = posix_spawn(ret_pid, arguments[0], &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return -error;
}

int an_ask(char *const arguments[], char *const environment[], struct an_answer *ret_answer)
{
    int ends[2];
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    int error = ask_spawn(arguments, environment, ends[1], &pid);
    close(ends[1]);
    if (error == 0) {
        *ret_answer = (struct an_answer){.text = an_memory_array(ANSWER_BYTES + 1, 1), .pid = pid};
        if (!answer_read(ends[0], ret_answer->text))
            kill(pid, SIGKILL);
        while (waitpid(pid, &ret_answer->status, 0) < 0 && errno == EINTR)
            continue;
    }
    close(ends[0]);
    return error;
}

/* The change that is about ENTRY, "NAME=VALUE"; NULL: none. */
static const struct an_variable *change_of(const char *entry, const struct an_variable *changes)
{
    for (; changes->name; changes++) {
        size_t bytes = strlen(changes->name);
        if (strncmp(entry, changes->name, bytes) == 0 && entry[bytes] == '=')
            return changes;
    }
    return NULL;
}

char **an_environment_with(char *const environment[], const struct an_variable *changes)
{
    size_t count = 0, kept = 0;
    while (environment[count])
        count++;
    size_t room = count + 1;
    for (size_t i = 0; changes[i].name; i++)
        room++;
    char **made = an_memory_array(room, sizeof(*made));
    for (size_t i = 0; i < count; i++) {
        if (!change_of(environment[i], changes))
            made[kept++] = an_memory_text(environment[i]);
    }
    for (; changes->name; changes++) {
        if (!changes->value)
            continue;
        size_t bytes = strlen(changes->name) + strlen(changes->value) + 2;
        made[kept] = an_memory_array(bytes, 1);
        snprintf(made[kept++], bytes, "%s=%s", changes->name, changes->value);
    }
    made[kept] = NULL;
    return made;
}

void an_environment_free(char **environment)
{
    for (size_t i = 0; environment[i]; i++)
        free(environment[i]);
    free(environment);
}
