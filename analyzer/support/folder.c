/*
 * folder.c -- see the header.
 */
#include "analyzer/support/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/support/memory.h"

int an_folder_make_parents(const char *path, unsigned mode)
{
    char *folder = an_memory_text(path);
    char *from = folder[0] ? folder + 1 : folder;
    int failed = 0;
    for (char *slash = strchr(from, '/'); slash && !failed; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, mode) != 0 && errno != EEXIST)
            failed = -errno;
        *slash = '/';
    }
    free(folder);
    return failed;
}
