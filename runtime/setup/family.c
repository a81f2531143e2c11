/*
 * family.c -- see the header.
 */
#include "runtime/setup/family.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/os/os.h"
#include "runtime/setup/text.h"

enum { ANCESTORS_MAX = 16 };

/* A file of /proc, read through once. Static: small stacks start recorders, too. */
static struct {
    int fd;
    size_t at, end;
    char buffer[1024];
} stream;

static bool stream_open(uint32_t pid, const char *name)
{
    static struct rt_text path;
    rt_text_clear(&path);
    rt_text_add(&path, "/proc/");
    rt_text_add_number(&path, pid);
    rt_text_add(&path, name);
    stream.fd = os_file_open(path.at, O_RDONLY, 0);
    stream.at = stream.end = 0;
    return stream.fd >= 0;
}

/* The next byte; -1 at the end. */
static int stream_next(void)
{
    if (stream.at == stream.end) {
        long bytes = os_file_read(stream.fd, stream.buffer, sizeof stream.buffer);
        if (bytes <= 0) {
            return -1;
        }
        stream.at = 0;
        stream.end = (size_t)bytes;
    }
    return (unsigned char)stream.buffer[stream.at++];
}

/* Read up to behind WORD, whose first byte occurs nowhere else in it; MATCHED bytes of it stand
 * before the stream already. */
static bool stream_find(const char *word, size_t bytes, size_t matched)
{
    while (matched < bytes) {
        int next = stream_next();
        if (next < 0) {
            return false;
        }
        if (next != (unsigned char)word[matched]) {
            matched = next == (unsigned char)word[0];
        } else {
            matched++;
        }
    }
    return true;
}

static uint32_t stream_number(void)
{
    uint32_t number = 0;
    int next = stream_next();
    while (next == ' ' || next == '\t') {
        next = stream_next();
    }
    for (; next >= '0' && next <= '9'; next = stream_next()) {
        number = number * 10 + (uint32_t)(next - '0');
    }
    return number;
}

#define WORD(literal) literal, sizeof(literal) - 1

/* A preloaded process has the variable from its own start, and its recording mapped. */
static bool is_recording(uint32_t pid)
{
    if (!stream_open(pid, "/environ")) {
        return false;
    }
    bool found = stream_find(WORD("\0LD_PRELOAD="), 1);
    os_file_close(stream.fd);
    if (!found || !stream_open(pid, "/maps")) {
        return false;
    }
    found = stream_find(WORD(".thag"), 0);
    os_file_close(stream.fd);
    return found;
}

/* The family that PID was told of when it was exec'ed; 0: none. */
static uint32_t told_family(uint32_t pid)
{
    uint32_t family = 0;
    if (stream_open(pid, "/environ")) {
        if (stream_find(WORD("\0THAG_PARENT="), 1)) {
            family = stream_number();
        }
        os_file_close(stream.fd);
    }
    return family;
}

static uint32_t parent_of(uint32_t pid)
{
    uint32_t parent = 0;
    if (stream_open(pid, "/status")) {
        if (stream_find(WORD("\nPPid:"), 0)) {
            parent = stream_number();
        }
        os_file_close(stream.fd);
    }
    return parent;
}

uint32_t rt_family_find(const struct rt_environment *environment, uint32_t own)
{
    const char *parent = rt_environment_get(environment, "THAG_PARENT");
    uint32_t family = 0;
    for (; parent && *parent >= '0' && *parent <= '9'; parent++) {
        family = family * 10 + (uint32_t)(*parent - '0');
    }
    if (family) {
        return family;
    }
    family = own;
    uint32_t ancestor = os_process_parent();
    for (int i = 0; i < ANCESTORS_MAX && ancestor && is_recording(ancestor); i++) {
        family = told_family(ancestor);
        if (family) {
            return family;
        }
        family = ancestor; /* or a forked child of the one above */
        ancestor = parent_of(ancestor);
    }
    return family;
}
