/*
 * relatives.c -- the recordings in a directory that belong to one run of a program.
 */
#include "analyzer/input/relatives.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/input/recording_file.h"
#include "analyzer/input/runs.h"
#include "analyzer/support/memory.h"

static char *path_in(const char *directory, const char *name)
{
    bool is_here = strcmp(directory, ".") == 0;
    bool has_slash = directory[0] != '\0' && directory[strlen(directory) - 1] == '/';
    size_t room = strlen(directory) + strlen(name) + 2;
    char *path = an_memory_array(room, 1);
    snprintf(path, room, "%s%s%s", is_here ? "" : directory, is_here || has_slash ? "" : "/", name);
    return path;
}

static bool name_ends(const char *name, const char *suffix)
{
    size_t bytes = strlen(name), length = strlen(suffix);
    return bytes > length && strcmp(name + bytes - length, suffix) == 0;
}

void an_relatives_find(const char *directory, uint32_t pid, uint64_t start_ns,
                       struct an_relatives *ret_relatives)
{
    struct an_relatives found = {0};
    DIR *stream = opendir(directory);
    const struct dirent *entry;
    while (stream && (entry = readdir(stream))) {
        struct an_relative one;
        struct an_fault fault;
        if (!name_ends(entry->d_name, ".thag"))
            continue;
        one.path = path_in(directory, entry->d_name);
        if (an_recording_file_header(one.path, &one.header, &fault) != 0 ||
            (one.header.pid != pid && one.header.family_pid != pid) ||
            one.header.start_realtime_ns < start_ns) {
            free(one.path);
            continue;
        }
        found.relative = an_memory_resize(found.relative, found.count + 1, sizeof(one));
        found.relative[found.count++] = one;
    }
    if (stream)
        closedir(stream);
    *ret_relatives = found;
}

void an_relatives_release(struct an_relatives *relatives)
{
    for (size_t i = 0; i < relatives->count; i++)
        free(relatives->relative[i].path);
    free(relatives->relative);
    *relatives = (struct an_relatives){0};
}

const struct an_relative *an_relatives_own(const struct an_relatives *relatives, uint32_t pid)
{
    const struct an_relative *own = NULL;
    for (size_t i = 0; i < relatives->count; i++) {
        const struct an_relative *one = &relatives->relative[i];
        if (one->header.pid == pid &&
            (!own || one->header.start_realtime_ns > own->header.start_realtime_ns))
            own = one;
    }
    return own;
}

const struct an_relative *an_relatives_largest(const struct an_relatives *relatives)
{
    const struct an_relative *largest = NULL;
    for (size_t i = 0; i < relatives->count; i++) {
        const struct an_relative *one = &relatives->relative[i];
        if (!largest || one->header.peak_bytes > largest->header.peak_bytes)
            largest = one;
    }
    return largest;
}

char *an_relative_stem(const struct an_relative *relative)
{
    return an_memory_text_part(relative->path, strlen(relative->path) - strlen(".thag"));
}

/* The run of BASE among RUNS, NULL: it is not there. */
static struct an_run *run_find(const struct an_runs *runs, const char *base)
{
    for (uint32_t i = 0; i < runs->count; i++) {
        if (strcmp(runs->run[i].base, base) == 0)
            return &runs->run[i];
    }
    return NULL;
}

size_t an_relative_files(const struct an_relative *relative, char *ret_paths[AN_RELATIVE_FILES])
{
    char *stem = an_relative_stem(relative);
    const char *slash = strrchr(stem, '/');
    char *folder =
        slash ? an_memory_text_part(stem, (size_t)(slash + 1 - stem)) : an_memory_text(".");
    struct an_runs runs = {0};
    struct an_run *run =
        an_runs_scan(folder, &runs) == 0 ? run_find(&runs, slash ? slash + 1 : stem) : NULL;
    size_t count = 0;
    for (int kind = 0; run && kind <= AN_KIND_RECORDING; kind++) {
        if (run->file[kind])
            ret_paths[count++] = path_in(folder, run->file[kind]);
    }
    an_runs_release(&runs);
    free(folder);
    free(stem);
    return count;
}
