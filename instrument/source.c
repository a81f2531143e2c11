/*
 * source.c -- a source file, or standard input, in memory.
 */
#include "instrument/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instrument/memory.h"

#define FIRST_BYTES 65536
/* Offsets have 32 bits, and what stands behind the last byte has one, too. */
#define MOST_BYTES (UINT32_MAX - 16)
#define PADDING    8

static int source_read(int descriptor, struct in_source *source, size_t expected)
{
    size_t room = expected + 1 > FIRST_BYTES ? expected + 1 : FIRST_BYTES, used = 0;
    ssize_t got = 1;
    source->text = in_memory_resize(NULL, room + PADDING, 1);
    while (got > 0) {
        if (used == room) {
            room += room / 2;
            source->text = in_memory_resize(source->text, room + PADDING, 1);
        }
        got = read(descriptor, source->text + used, room - used);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            used += (size_t)got;
        if (used > MOST_BYTES)
            return -EFBIG;
    }
    memset(source->text + used, 0, PADDING);
    source->bytes = (uint32_t)used;
    return got < 0 ? -errno : 0;
}

int in_source_load(const char *path, struct in_source *ret_source)
{
    bool piped = !path || strcmp(path, "-") == 0;
    struct in_source source = {.name = piped ? "standard input" : path};
    int descriptor = piped ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    int failed = descriptor < 0 || fstat(descriptor, &source.status) != 0 ? -errno : 0;
    if (!failed && S_ISREG(source.status.st_mode) && source.status.st_size > (off_t)MOST_BYTES)
        failed = -EFBIG;
    if (!failed)
        failed = source_read(descriptor, &source,
                             S_ISREG(source.status.st_mode) ? (size_t)source.status.st_size : 0);
    if (!piped && descriptor >= 0)
        close(descriptor);
    if (failed)
        free(source.text);
    else
        *ret_source = source;
    return failed;
}

void in_source_release(struct in_source *source)
{
    free(source->text);
}
