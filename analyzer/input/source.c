/*
 * source.c -- a stream of bytes from a file or standard input, decompressed on the way.
 */
#include "analyzer/input/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "analyzer/support/memory.h"

#define SOURCE_BUFFER_BYTES (256u * 1024)

enum source_coding { SOURCE_PLAIN, SOURCE_GZIP, SOURCE_ZSTD };

struct an_source {
    int descriptor;
    bool regular;
    bool ended;    /* read() has said 0 */
    bool in_frame; /* compressed data would be cut here */
    enum source_coding coding;
    z_stream gzip;
    ZSTD_DStream *zstd;
    uint8_t ahead[AN_SOURCE_PEEK_MAX]; /* decompressed, but not read yet */
    size_t ahead_at, ahead_filled;
    size_t at, filled; /* the bytes of buffer still to be used */
    uint8_t buffer[SOURCE_BUFFER_BYTES];
};

/* Result: 0 or -errno; at the end of the file nothing is added and `ended` is set. */
static int source_fill(struct an_source *source)
{
    if (source->at == source->filled)
        source->at = source->filled = 0;
    while (!source->ended && source->filled < sizeof(source->buffer)) {
        ssize_t got = read(source->descriptor, source->buffer + source->filled,
                           sizeof(source->buffer) - source->filled);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            source->ended = true;
        source->filled += (size_t)got;
        /* A pipe delivers in pieces; what is there is enough once the magic can be told. */
        if (source->filled >= 4)
            break;
    }
    return 0;
}

static int source_start_coding(struct an_source *source)
{
    static const uint8_t gzip_magic[] = {0x1f, 0x8b};
    static const uint8_t zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (source->filled >= 2 && memcmp(source->buffer, gzip_magic, 2) == 0) {
        source->coding = SOURCE_GZIP;
        source->in_frame = true;
        return inflateInit2(&source->gzip, 15 + 16) == Z_OK ? 0 : -ENOMEM;
    }
    if (source->filled >= 4 && memcmp(source->buffer, zstd_magic, 4) == 0) {
        source->coding = SOURCE_ZSTD;
        source->in_frame = true;
        source->zstd = ZSTD_createDStream();
        return source->zstd ? 0 : -ENOMEM;
    }
    return 0;
}

static int source_prepare(const char *path, struct an_source *source)
{
    struct stat status;
    source->descriptor =
        strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (source->descriptor < 0)
        return -errno;
    if (fstat(source->descriptor, &status) != 0)
        return -errno;
    if (S_ISDIR(status.st_mode))
        return -EISDIR;
    source->regular = S_ISREG(status.st_mode) && source->descriptor != STDIN_FILENO;
    if (source->regular)
        posix_fadvise(source->descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    int failed = source_fill(source);
    return failed ? failed : source_start_coding(source);
}

int an_source_open(const char *path, struct an_source **ret_source)
{
    struct an_source *source = an_memory_array(1, sizeof(*source));
    /* Not the buffer: pages of it that stay unused should cost nothing. */
    memset(source, 0, offsetof(struct an_source, buffer));
    source->descriptor = -1;
    int failed = source_prepare(path, source);
    if (failed) {
        an_source_close(source);
        return failed;
    }
    *ret_source = source;
    return 0;
}

void an_source_close(struct an_source *source)
{
    if (!source)
        return;
    if (source->coding == SOURCE_GZIP)
        inflateEnd(&source->gzip);
    ZSTD_freeDStream(source->zstd);
    if (source->descriptor > STDIN_FILENO)
        close(source->descriptor);
    free(source);
}

/* One step of decompression. Result: bytes made (0 is possible), or -EBADMSG. */
static ssize_t source_inflate(struct an_source *source, void *buffer, size_t bytes)
{
    z_stream *gzip = &source->gzip;
    if (!source->in_frame) {
        /* Zero bytes behind the last member are padding, as gzip itself sees it. */
        while (source->at < source->filled && source->buffer[source->at] == 0)
            source->at++;
        if (source->at == source->filled)
            return 0;
        inflateReset(gzip);
        source->in_frame = true;
    }
    gzip->next_in = source->buffer + source->at;
    gzip->avail_in = (uInt)(source->filled - source->at);
    gzip->next_out = buffer;
    gzip->avail_out = (uInt)bytes;
    int result = inflate(gzip, Z_NO_FLUSH);
    source->at = source->filled - gzip->avail_in;
    if (result == Z_STREAM_END)
        source->in_frame = false;
    else if (result != Z_OK && result != Z_BUF_ERROR)
        return -EBADMSG;
    return (ssize_t)(bytes - gzip->avail_out);
}

static ssize_t source_unzstd(struct an_source *source, void *buffer, size_t bytes)
{
    /* Asked again behind a frame, it would want the next one. */
    if (!source->in_frame && source->at == source->filled)
        return 0;
    ZSTD_inBuffer in = {source->buffer, source->filled, source->at};
    ZSTD_outBuffer out = {buffer, bytes, 0};
    size_t result = ZSTD_decompressStream(source->zstd, &out, &in);
    if (ZSTD_isError(result))
        return -EBADMSG;
    source->at = in.pos;
    source->in_frame = result != 0;
    return (ssize_t)out.pos;
}

static ssize_t source_read_plain(struct an_source *source, void *buffer, size_t bytes)
{
    size_t there = source->filled - source->at;
    if (there == 0 && !source->ended) {
        /* Straight into the caller's buffer: one copy less of the whole file. */
        ssize_t got;
        do
            got = read(source->descriptor, buffer, bytes);
        while (got < 0 && errno == EINTR);
        source->ended = got == 0;
        return got < 0 ? -errno : got;
    }
    size_t used = there < bytes ? there : bytes;
    memcpy(buffer, source->buffer + source->at, used);
    source->at += used;
    return (ssize_t)used;
}

static ssize_t source_read_coded(struct an_source *source, void *buffer, size_t bytes)
{
    if (source->coding == SOURCE_PLAIN)
        return source_read_plain(source, buffer, bytes);
    if (bytes > 1u << 30)
        bytes = 1u << 30; /* zlib counts in unsigned int */
    for (;;) {
        ssize_t made = source->coding == SOURCE_GZIP ? source_inflate(source, buffer, bytes)
                                                     : source_unzstd(source, buffer, bytes);
        if (made != 0)
            return made;
        if (source->at < source->filled)
            continue;
        if (source->ended)
            return source->in_frame ? -EBADMSG : 0;
        int failed = source_fill(source);
        if (failed)
            return failed;
    }
}

ssize_t an_source_read(struct an_source *source, void *buffer, size_t bytes)
{
    size_t there = source->ahead_filled - source->ahead_at;
    if (there == 0)
        return source_read_coded(source, buffer, bytes);
    if (there > bytes)
        there = bytes;
    memcpy(buffer, source->ahead + source->ahead_at, there);
    source->ahead_at += there;
    return (ssize_t)there;
}

ssize_t an_source_peek(struct an_source *source, void *buffer, size_t bytes)
{
    while (source->ahead_filled < bytes) {
        ssize_t got = source_read_coded(source, source->ahead + source->ahead_filled,
                                        bytes - source->ahead_filled);
        if (got < 0)
            return got;
        if (got == 0)
            break;
        source->ahead_filled += (size_t)got;
    }
    size_t there = source->ahead_filled < bytes ? source->ahead_filled : bytes;
    memcpy(buffer, source->ahead, there);
    return (ssize_t)there;
}

bool an_source_is_derived(const struct an_source *source)
{
    return source->coding != SOURCE_PLAIN || !source->regular;
}
