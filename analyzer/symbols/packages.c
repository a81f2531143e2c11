/*
 * packages.c -- which package of the distribution a file came in, by dpkg's lists of files.
 */
#include "analyzer/symbols/packages.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/support/memory.h"

#define LISTS        "/var/lib/dpkg/info"
#define LONGEST_LIST ((off_t)64 << 20)

/* The text of a list with a line end before its first line; NULL: none. Freed by free(). */
static char *list_read(int folder, const char *name)
{
    struct stat status;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char *text = NULL;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= LONGEST_LIST) {
        text = an_memory_array((size_t)status.st_size + 2, 1);
        ssize_t bytes = read(fd, text + 1, (size_t)status.st_size);
        text[0] = '\n';
        text[1 + (bytes < 0 ? 0 : bytes)] = '\0';
    }
    close(fd);
    return text;
}

static bool list_has(const char *text, const char *path)
{
    size_t bytes = strlen(path);
    for (const char *at = text; (at = strstr(at, path)) != NULL; at += bytes) {
        if (at[-1] == '\n' && (at[bytes] == '\n' || at[bytes] == '\0'))
            return true;
    }
    return false;
}

/* "/usr/lib/x" and "/lib/x" are one file where the directories are merged. */
static bool list_has_either(const char *text, const char *path)
{
    char other[PATH_MAX];
    if (list_has(text, path))
        return true;
    int bytes = strncmp(path, "/usr/", 5) == 0 ? snprintf(other, sizeof(other), "%s", path + 4)
                                               : snprintf(other, sizeof(other), "/usr%s", path);
    return bytes > 0 && (size_t)bytes < sizeof(other) && list_has(text, other);
}

static void list_look(const char *text, const char *name, struct an_package_query *query,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        /* "libc6:amd64.list" is of libc6. */
        if (query[i].package == NULL && query[i].path[0] == '/' && query[i].path[1] != '\0' &&
            list_has_either(text, query[i].path))
            query[i].package = an_memory_text_part(name, strcspn(name, ":"));
    }
}

void an_packages_find(const char *sysroot, struct an_package_query *query, uint32_t count)
{
    char path[PATH_MAX];
    int bytes = snprintf(path, sizeof(path), "%s" LISTS, sysroot == NULL ? "" : sysroot);
    DIR *folder = bytes > 0 && (size_t)bytes < sizeof(path) ? opendir(path) : NULL;
    const struct dirent *entry;
    while (folder != NULL && count != 0 && (entry = readdir(folder)) != NULL) {
        size_t length = strlen(entry->d_name);
        if (length <= 5 || strcmp(entry->d_name + length - 5, ".list") != 0)
            continue;
        char *text = list_read(dirfd(folder), entry->d_name);
        char *name = an_memory_text_part(entry->d_name, length - 5);
        if (text != NULL)
            list_look(text, name, query, count);
        free(name);
        free(text);
    }
    if (folder != NULL)
        closedir(folder);
}
