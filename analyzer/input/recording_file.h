/*
 * recording_file.h -- BASE.thag as a file: header, extents, and bytes that were checked.
 *
 * Knows pages and extents; what the records mean is recording_reader.h's business.
 *
 * The file is read with pread(), never mapped: a page that a mapping shows can vanish when the
 * file is cut by someone else, and SIGBUS is no way to report that. A copy also stays what it was
 * when it was checked, which a mapping of a file that is being written does not.
 *
 * Always true after an_recording_file_open():
 *   - the header is this format's, and its counts fit 32 bits;
 *   - extents lie behind page 0, inside used_pages and inside the file, and no two share a page;
 *   - extent[] is in the order of first_page.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_RECORDING_FILE_H
#define THAG_AN_RECORDING_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/support/fault.h"
#include "runtime/format/recording_format.h"

struct an_recording_file {
    int fd;         /* -1: not open */
    char *path;     /* owned, for messages */
    uint64_t bytes; /* size of the file; a live recording's is its reservation */
    struct rec_header header;
    struct rec_extent *extent; /* owned; published ones only */
    uint32_t extent_count;
};

/*
 * Open and check header and extents.
 *
 * Result:   0; -errno of the system call that failed; -EBADMSG for a file that is no recording or a
 *           damaged one, -ENOTSUP for another version. FAULT then names the file, the place and the
 * reason, RET_FILE is untouched.
 */
int an_recording_file_open(const char *path, struct an_recording_file *ret_file,
                           struct an_fault *fault);

/* The same for a file that is open as FD, which is taken over; PATH is for messages alone. */
int an_recording_file_open_descriptor(int fd, const char *path, struct an_recording_file *ret_file,
                                      struct an_fault *fault);

/* Read the header alone, without its extents; for looking through a directory. */
int an_recording_file_header(const char *path, struct rec_header *ret_header,
                             struct an_fault *fault);

/* Read header and extents again: the recording has grown. On failure FILE stays as it was. */
int an_recording_file_refresh(struct an_recording_file *file, struct an_fault *fault);

void an_recording_file_close(struct an_recording_file *file);

/* Read BYTES bytes at OFFSET; a short file is a fault that names WHAT. */
int an_recording_file_read(const struct an_recording_file *file, uint64_t offset, void *ret_bytes,
                           size_t bytes, const char *what, struct an_fault *fault);

/*
 * The extent of KIND in which the BYTES bytes at OFFSET lie as a whole.
 * Result: NULL if there is none.
 */
const struct rec_extent *an_recording_file_extent(const struct an_recording_file *file,
                                                  enum rec_kind kind, uint64_t offset,
                                                  uint64_t bytes);

/*
 * A copy of a text, which may have up to LIMIT bytes; NULs inside are kept, one is added.
 * Result:   0, with NULL and 0 for "no text"; or a fault that names WHAT.
 */
int an_recording_file_text(const struct an_recording_file *file, const struct rec_text *text,
                           uint32_t limit, const char *what, char **ret_text, size_t *ret_bytes,
                           struct an_fault *fault);

/* False while the header says that the recording may still grow, or did while it was copied. */
static inline bool an_recording_file_ended(const struct an_recording_file *file)
{
    return file->header.end_ns != 0 && file->header.end_reason != REC_END_SNAPSHOT;
}

#endif
