/*
 * source.h -- a stream of bytes from a file or standard input, decompressed on the way.
 *
 * gzip (also several members in a row) and zstd (also several frames) are known by their first
 * bytes; anything else passes unchanged.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_SOURCE_H
#define THAG_AN_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct an_source;

/* Result: 0, or -errno (-EISDIR for a directory). "-" is standard input. Ended by _close(). */
int an_source_open(const char *path, struct an_source **ret_source);
void an_source_close(struct an_source *source);

/*
 * Result: how many bytes were put into BUFFER, 0 at the end, -EBADMSG if compressed data are
 *         damaged or end too early, or what read() said.
 */
ssize_t an_source_read(struct an_source *source, void *buffer, size_t bytes);

/*
 * The first BYTES bytes (at most AN_SOURCE_PEEK_MAX), decompressed; they are read again later. To
 * be called before the first an_source_read(). Result: how many there are, or as an_source_read().
 */
#define AN_SOURCE_PEEK_MAX 16u
ssize_t an_source_peek(struct an_source *source, void *buffer, size_t bytes);

/* True if the bytes come decompressed, or from a pipe: nobody else can open the same again. */
bool an_source_is_derived(const struct an_source *source);

#endif
