/*
 * preload.c -- libthagpreload.so: where it is, how a program is told of it, what its loader says.
 */
#include "analyzer/launch/preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/launch/ask.h"
#include "analyzer/launch/installed.h"
#include "analyzer/support/memory.h"

/* Beside the tool come first: a build tree must not use what is installed. */
static const char *const preload_beside[] = {"", "../preload/", "../" AN_INSTALLED_LIBDIR "/"};
enum { BESIDE_COUNT = sizeof(preload_beside) / sizeof(preload_beside[0]) };

static char *place_make(const char *folder, size_t bytes, const char *below)
{
    size_t room = bytes + strlen(below) + sizeof(AN_PRELOAD_NAME);
    char *path = an_memory_array(room, 1);
    snprintf(path, room, "%.*s%s%s", (int)bytes, folder, below, AN_PRELOAD_NAME);
    return path;
}

/* The I-th place; NULL behind the last. Freed by free(). */
static char *place_at(unsigned i)
{
    char tool[4096];
    ssize_t bytes = readlink("/proc/self/exe", tool, sizeof(tool) - 1);
    if (i == BESIDE_COUNT)
        return an_memory_text(AN_INSTALLED_LIBRARY);
    if (i > BESIDE_COUNT)
        return NULL;
    tool[bytes > 0 ? bytes : 0] = '\0';
    const char *slash = strrchr(tool, '/');
    return place_make(tool, slash ? (size_t)(slash + 1 - tool) : 0, preload_beside[i]);
}

char *an_preload_find(void)
{
    char *found = NULL;
    for (unsigned i = 0; !found; i++) {
        char *place = place_at(i);
        if (!place)
            break;
        if (access(place, R_OK) == 0)
            found = realpath(place, NULL);
        free(place);
    }
    return found;
}

char *an_preload_places(void)
{
    char *text = NULL, *place;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    for (unsigned i = 0; out && (place = place_at(i)); i++) {
        fprintf(out, "%s\n", place);
        free(place);
    }
    if (out)
        fclose(out);
    return text ? text : an_memory_text("");
}

bool an_preload_can_name(const char *path)
{
    return path[strcspn(path, " :\t\n")] == '\0';
}

/* True if an entry of LIST goes by the library's name. */
static bool list_has(const char *list)
{
    for (const char *at = list; *at;) {
        size_t bytes = strcspn(at, " :\t\n");
        size_t length = sizeof(AN_PRELOAD_NAME) - 1;
        if (bytes >= length && memcmp(at + bytes - length, AN_PRELOAD_NAME, length) == 0 &&
            (bytes == length || at[bytes - length - 1] == '/'))
            return true;
        at += bytes;
        at += strspn(at, " :\t\n");
    }
    return false;
}

char *an_preload_list(const char *library, const char *inherited)
{
    if (!inherited || !*inherited)
        return an_memory_text(library);
    if (list_has(inherited))
        return an_memory_text(inherited);
    size_t bytes = strlen(library) + strlen(inherited) + 2;
    char *list = an_memory_array(bytes, 1);
    snprintf(list, bytes, "%s:%s", library, inherited);
    return list;
}

/* "NAME => PATH (0xADDRESS)" or "PATH (0xADDRESS)", without its blanks in front. */
static void loading_take_line(struct an_loading *loading, const char *line)
{
    const char *arrow = strstr(line, " => ");
    const char *path = arrow ? arrow + 4 : line;
    const char *end = strstr(path, " (0x");
    if (!end || path[0] != '/')
        return;
    loading->path = an_memory_resize(loading->path, loading->count + 1, sizeof(*loading->path));
    loading->path[loading->count] = an_memory_text_part(path, (size_t)(end - path));
    loading->is_listed |= list_has(loading->path[loading->count++]);
}

static void loading_read(struct an_loading *loading, char *text)
{
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] == '\t')
            loading_take_line(loading, line + 1);
        else if (!loading->refusal && strstr(line, AN_PRELOAD_NAME))
            loading->refusal = an_memory_text(line);
    }
}

void an_loading_ask(const struct an_program *program, const char *list,
                    struct an_loading *ret_loading)
{
    const struct an_variable changes[] = {
        {"LD_PRELOAD", list}, {"LD_DEBUG", NULL}, {"LD_TRACE_LOADED_OBJECTS", NULL}, {NULL, NULL}};
    char *arguments[] = {program->loader, (char *)"--list", program->image, NULL};
    struct an_answer answer;
    *ret_loading = (struct an_loading){0};
    if (!program->loader || !program->image)
        return;
    char **environment = an_environment_with(environ, changes);
    if (an_ask(arguments, environment, &answer) == 0) {
        ret_loading->was_asked = true;
        loading_read(ret_loading, answer.text);
        free(answer.text);
    }
    an_environment_free(environment);
}

void an_loading_release(struct an_loading *loading)
{
    for (size_t i = 0; i < loading->count; i++)
        free(loading->path[i]);
    free(loading->path);
    free(loading->refusal);
    *loading = (struct an_loading){0};
}
