/*
 * source.h -- a source file, or standard input, in memory. Context of all functions: tool.
 */
#ifndef THAG_IN_SOURCE_H
#define THAG_IN_SOURCE_H

#include <stdint.h>
#include <sys/stat.h>

struct in_source {
    const char *name; /* for messages; not owned */
    char *text;       /* BYTES of it, and NULs behind them */
    uint32_t bytes;
    struct stat status;
};

/*
 * Inputs:   PATH NULL or "-" is standard input; it stays until the release.
 * Result:   0, or -errno: -EFBIG of 4 GiB and more. Ended by in_source_release().
 */
int in_source_load(const char *path, struct in_source *ret_source);
void in_source_release(struct in_source *source);

#endif
