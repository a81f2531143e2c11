/*
 * browser.c -- shows a file in a web browser.
 */
#include "analyzer/output/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/support/memory.h"

/* xdg-open last: it follows the file's type, and some desktops show .html in an editor. */
static const char *const browser_names[] = {"sensible-browser", "x-www-browser", "xdg-open"};

char *an_browser_address(const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._~/";
    char *absolute = realpath(path, NULL);
    if (!absolute)
        return NULL;
    char *address = an_memory_array(strlen(absolute) + 3, 3);
    char *to = stpcpy(address, "file://");
    for (const char *from = absolute; *from; from++) {
        if (strchr(plain, *from))
            *to++ = *from;
        else
            to += sprintf(to, "%%%02X", (unsigned char)*from);
    }
    *to = '\0';
    free(absolute);
    return address;
}

/* A session of its own and no terminal: closing ours must not close the browser. */
static bool browser_spawn(char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
    bool started = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

#define BROWSER_WORDS_MAX 16

/* One entry of $BROWSER: words at blanks, the address for "%s", else behind them. */
static bool browser_start(char *command, char *address)
{
    char *words[BROWSER_WORDS_MAX + 2], *rest = NULL;
    size_t count = 0;
    bool placed = false;
    for (char *word = strtok_r(command, " ", &rest); word && count < BROWSER_WORDS_MAX;
         word = strtok_r(NULL, " ", &rest)) {
        bool here = strcmp(word, "%s") == 0;
        words[count++] = here ? address : word;
        placed = placed || here;
    }
    if (count == 0)
        return false;
    if (!placed)
        words[count++] = address;
    words[count] = NULL;
    return browser_spawn(words);
}

bool an_browser_open(const char *path)
{
    const char *wanted = getenv("BROWSER");
    bool started = false;
    if (!wanted && !getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return false;
    char *address = an_browser_address(path);
    if (!address)
        return false;
    if (wanted && *wanted) {
        char *list = an_memory_text(wanted), *rest = NULL;
        for (char *command = strtok_r(list, ":", &rest); command && !started;
             command = strtok_r(NULL, ":", &rest))
            started = browser_start(command, address);
        free(list);
    }
    for (size_t i = 0; i < sizeof(browser_names) / sizeof(browser_names[0]) && !started; i++) {
        char *arguments[] = {(char *)browser_names[i], address, NULL};
        started = browser_spawn(arguments);
    }
    free(address);
    return started;
}
