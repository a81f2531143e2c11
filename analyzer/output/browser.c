/*
 * browser.c -- shows a file in a web browser.
 */
#include "analyzer/output/browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/output/desktop.h"
#include "analyzer/support/memory.h"

/*
 * Where the desktop names no browser. xdg-open last: it follows the file's type, and some desktops
 * show .svg in an image viewer and .html in an editor.
 */
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

/* The last one that was started: it is ours to bury when the next one is. */
static pid_t browser_last;

/*
 * A session of its own and no terminal: closing ours must not close the browser, and it must not
 * write on our screen. Signals are as in a fresh process, whatever the menu does with them.
 */
static bool browser_spawn(char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    pid_t pid;
    if (browser_last > 0)
        waitpid(browser_last, NULL, WNOHANG);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
    bool started = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (started)
        browser_last = pid;
    return started;
}

#define BROWSER_WORDS_MAX 16

/*
 * A word of $BROWSER with ADDRESS for each "%s", ":" for "%c" and "%" for "%%". Freed by free().
 * RET_PLACED becomes true if the address is in it.
 */
static char *browser_word(const char *word, const char *address, bool *ret_placed)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    for (; *word; word++) {
        if (word[0] != '%' || !word[1] || !strchr("sc%", word[1])) {
            putc(word[0], out);
            continue;
        }
        word++;
        if (*word == 's')
            fputs(address, out);
        else
            putc(*word == 'c' ? ':' : '%', out);
        *ret_placed = *ret_placed || *word == 's';
    }
    fclose(out);
    return text;
}

/* One entry of $BROWSER: words at blanks; the address for "%s", else behind them. */
static bool browser_start(char *command, char *address)
{
    char *words[BROWSER_WORDS_MAX + 2] = {NULL}, *rest = NULL;
    size_t count = 0;
    bool placed = false;
    for (char *word = strtok_r(command, " ", &rest); word && count < BROWSER_WORDS_MAX;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = browser_word(word, address, &placed);
    size_t owned = count;
    if (count && !placed)
        words[count++] = address;
    bool started = count && browser_spawn(words);
    for (size_t i = 0; i < owned; i++)
        free(words[i]);
    return started;
}

/* Result: true if an entry of $BROWSER could be started; RET_NAME is then its first word. */
static bool browser_start_wanted(const char *wanted, char *address,
                                 char ret_name[AN_BROWSER_NAME_MAX])
{
    char *list = an_memory_text(wanted), *rest = NULL;
    bool started = false;
    for (char *command = strtok_r(list, ":", &rest); command && !started;
         command = strtok_r(NULL, ":", &rest)) {
        int length = (int)strcspn(command, " ");
        snprintf(ret_name, AN_BROWSER_NAME_MAX, "%.*s", length, command);
        started = browser_start(command, address);
    }
    free(list);
    return started;
}

static bool browser_start_default(char *address, char ret_name[AN_BROWSER_NAME_MAX])
{
    char **words = an_desktop_browser_words(address);
    bool started = words && browser_spawn(words);
    if (started)
        snprintf(ret_name, AN_BROWSER_NAME_MAX, "%s", words[0]);
    an_desktop_words_free(words);
    for (size_t i = 0; i < sizeof(browser_names) / sizeof(browser_names[0]) && !started; i++) {
        char *arguments[] = {(char *)browser_names[i], address, NULL};
        started = browser_spawn(arguments);
        if (started)
            snprintf(ret_name, AN_BROWSER_NAME_MAX, "%s", browser_names[i]);
    }
    return started;
}

bool an_browser_open(const char *path, char ret_name[AN_BROWSER_NAME_MAX])
{
    const char *wanted = getenv("BROWSER"), *x = getenv("DISPLAY");
    const char *wayland = getenv("WAYLAND_DISPLAY");
    bool named = wanted && *wanted, display = (x && *x) || (wayland && *wayland);
    char name[AN_BROWSER_NAME_MAX] = "";
    if (!named && !display)
        return false;
    char *address = an_browser_address(path);
    if (!address)
        return false;
    bool started = named && browser_start_wanted(wanted, address, name);
    if (!started && display)
        started = browser_start_default(address, name);
    if (started)
        strcpy(ret_name, name);
    free(address);
    return started;
}
