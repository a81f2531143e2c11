/*
 * desktop.c -- the web browser that was chosen on the desktop.
 */
#include "analyzer/output/desktop.h"

#include <ini.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

#define DESKTOP_WORDS_MAX 64

struct desktop_words {
    char **word;
    size_t count;
};

static void desktop_add_word(struct desktop_words *words, const char *text)
{
    if (words->count < DESKTOP_WORDS_MAX)
        words->word[words->count++] = an_memory_text(text);
}

/*
 * One word from *EXEC on, quotes taken off. RET_WORD has room for all of it.
 * Result: false at the end.
 */
static bool desktop_take_word(const char **exec, char *ret_word)
{
    const char *at = *exec + strspn(*exec, " \t");
    bool quoted = false, any = *at != '\0';
    for (; *at && (quoted || (*at != ' ' && *at != '\t')); at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (*at == '\\' && at[1])
            *ret_word++ = *++at;
        else
            *ret_word++ = *at;
    }
    *ret_word = '\0';
    *exec = at;
    return any;
}

char **an_desktop_exec_words(const char *exec, const char *address)
{
    struct desktop_words words = {an_memory_zeroed(DESKTOP_WORDS_MAX + 2, sizeof(char *)), 0};
    char *word = an_memory_array(strlen(exec) + 1, 1);
    bool placed = false;
    while (desktop_take_word(&exec, word)) {
        bool code = word[0] == '%' && word[1] && !word[2];
        if (code && strchr("uUfF", word[1])) {
            if (!placed)
                desktop_add_word(&words, address);
            placed = true;
        } else if (code && word[1] == '%') {
            desktop_add_word(&words, "%");
        } else if (!code) { /* %i, %c, %k and older ones say nothing to a browser */
            desktop_add_word(&words, word);
        }
    }
    free(word);
    if (words.count == 0 || (placed && words.count == 1)) {
        an_desktop_words_free(words.word);
        return NULL;
    }
    if (!placed)
        words.word[words.count++] = an_memory_text(address);
    return words.word;
}

void an_desktop_words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

/* What is looked for in an ini file, and the first one found. */
struct desktop_look {
    const char *section, *name;
    char *value;
};

static int desktop_take(void *context, const char *section, const char *name, const char *value)
{
    struct desktop_look *look = context;
    if (!look->value && strcmp(section, look->section) == 0 && strcmp(name, look->name) == 0)
        look->value = an_memory_text(value);
    return 1;
}

/* The value of a key in DIRECTORY/NAME, or NULL. Freed by free(). */
static char *desktop_look_up(const char *directory, const char *name, const char *section,
                             const char *key)
{
    struct desktop_look look = {section, key, NULL};
    char *path;
    if (asprintf(&path, "%s/%s", directory, name) < 0)
        return NULL;
    ini_parse(path, desktop_take, &look);
    free(path);
    return look.value;
}

/* Ask each directory of LIST (with colons; SUFFIX behind each) until LOOK has an answer. */
static char *desktop_ask_all(const char *list, const char *suffix,
                             char *(*ask)(const char *directory, const char *what),
                             const char *what)
{
    char *copy = an_memory_text(list), *rest = NULL, *answer = NULL;
    for (char *one = strtok_r(copy, ":", &rest); one && !answer; one = strtok_r(NULL, ":", &rest)) {
        char *directory;
        if (one[0] != '/' || asprintf(&directory, "%s%s", one, suffix) < 0)
            continue;
        answer = ask(directory, what);
        free(directory);
    }
    free(copy);
    return answer;
}

static char *desktop_ask_default(const char *directory, const char *scheme)
{
    return desktop_look_up(directory, "mimeapps.list", "Default Applications", scheme);
}

static char *desktop_ask_entry(const char *directory, const char *name)
{
    return desktop_look_up(directory, name, "Desktop Entry", "Exec");
}

/* A variable, or what the specification of base directories has in its place. */
static char *desktop_directories(const char *variable, const char *below_home, const char *other)
{
    const char *value = variable ? getenv(variable) : NULL, *home = getenv("HOME");
    char *list = NULL;
    if (value && *value)
        return an_memory_text(value);
    if (below_home && home && asprintf(&list, "%s/%s", home, below_home) > 0)
        return list;
    return an_memory_text(other);
}

/* The user's own directories, then the system's. */
static char *desktop_ask_data(char *(*ask)(const char *, const char *), const char *what)
{
    char *own = desktop_directories("XDG_DATA_HOME", ".local/share", "");
    char *system = desktop_directories("XDG_DATA_DIRS", NULL, "/usr/local/share:/usr/share");
    char *answer = desktop_ask_all(own, "/applications", ask, what);
    if (!answer)
        answer = desktop_ask_all(system, "/applications", ask, what);
    free(own);
    free(system);
    return answer;
}

static char *desktop_default(const char *scheme)
{
    char *own = desktop_directories("XDG_CONFIG_HOME", ".config", "");
    char *system = desktop_directories("XDG_CONFIG_DIRS", NULL, "/etc/xdg");
    char *answer = desktop_ask_all(own, "", desktop_ask_default, scheme);
    if (!answer)
        answer = desktop_ask_all(system, "", desktop_ask_default, scheme);
    if (!answer)
        answer = desktop_ask_data(desktop_ask_default, scheme);
    free(own);
    free(system);
    return answer;
}

char **an_desktop_browser_words(const char *address)
{
    char **words = NULL, *rest = NULL;
    char *entries = desktop_default("x-scheme-handler/https");
    if (!entries)
        entries = desktop_default("x-scheme-handler/http");
    /* A list: the first that is installed. A name with a slash would leave the directories. */
    for (char *entry = entries ? strtok_r(entries, ";", &rest) : NULL; entry && !words;
         entry = strtok_r(NULL, ";", &rest)) {
        char *exec = strchr(entry, '/') ? NULL : desktop_ask_data(desktop_ask_entry, entry);
        if (exec)
            words = an_desktop_exec_words(exec, address);
        free(exec);
    }
    free(entries);
    return words;
}
