/*
 * perf_map.c -- names of code that was made at run time.
 */
#include "analyzer/symbols/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/support/memory.h"

#define LONGEST_FILE  ((off_t)1 << 30)
#define MOST_OVERLAPS 64u /* functions that begin before an address and may still hold it */

struct function {
    uint64_t start, bytes;
    char *name; /* inside of text */
    size_t order;
};

struct an_perf_map {
    char *text;
    struct function *function; /* by start, then as they were written */
    size_t count;
};

static int function_order(const void *left, const void *right)
{
    const struct function *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void line_take(struct an_perf_map *map, size_t *room, char *line)
{
    char *end = NULL;
    errno = 0;
    uint64_t start = strtoull(line, &end, 16);
    if (errno != 0 || end == line || *end != ' ')
        return;
    char *next = end;
    uint64_t bytes = strtoull(next, &end, 16);
    if (errno != 0 || end == next || *end != ' ' || end[1] == '\0' || bytes == 0 ||
        bytes > UINT64_MAX - start)
        return;
    if (map->count == *room) {
        *room = *room == 0 ? 256 : *room * 2;
        map->function = an_memory_resize(map->function, *room, sizeof(*map->function));
    }
    map->function[map->count] = (struct function){start, bytes, end + 1, map->count};
    map->count++;
}

static char *file_read(int fd, off_t bytes)
{
    char *text = an_memory_array((size_t)bytes + 1, 1);
    size_t done = 0;
    while (done < (size_t)bytes) {
        ssize_t got = read(fd, text + done, (size_t)bytes - done);
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    text[done] = '\0';
    return text;
}

struct an_perf_map *an_perf_map_read(const char *path, uint32_t owner, uint64_t not_before_ns)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    bool fits = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                (status.st_uid == owner || status.st_uid == 0) && status.st_size > 0 &&
                status.st_size <= LONGEST_FILE &&
                (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec >=
                    not_before_ns;
    if (!fits) {
        close(fd);
        return NULL;
    }
    struct an_perf_map *map = an_memory_zeroed(1, sizeof(*map));
    size_t room = 0;
    map->text = file_read(fd, status.st_size);
    close(fd);
    for (char *line = map->text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        line_take(map, &room, line);
    }
    if (map->count != 0)
        qsort(map->function, map->count, sizeof(*map->function), function_order);
    return map;
}

void an_perf_map_free(struct an_perf_map *map)
{
    if (map == NULL)
        return;
    free(map->function);
    free(map->text);
    free(map);
}

const char *an_perf_map_name(const struct an_perf_map *map, uint64_t address)
{
    size_t low = 0, high = map == NULL ? 0 : map->count;
    const struct function *found = NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->function[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t steps = 0; low != 0 && steps < MOST_OVERLAPS; low--, steps++) {
        const struct function *function = &map->function[low - 1];
        if (address - function->start < function->bytes &&
            (found == NULL || function->order > found->order))
            found = function;
    }
    return found == NULL ? NULL : found->name;
}
