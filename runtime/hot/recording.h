/*
 * recording.h -- the mapped file: its header, its extents, its losses.
 *
 * There is one recording per process. Its memory never moves and is never given back while the
 * process lives, not even after the recording has ended or the process has forked: a hook in
 * another thread, or the frame that a signal interrupted, may still be looking at it.
 *
 * Context of all functions: hot, except rt_recording_begin() (setup).
 */
#ifndef THAG_RT_RECORDING_H
#define THAG_RT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/format/recording_format.h"
#include "runtime/hot/lock.h"

struct rt_recording {
    struct rec_header *header; /* page 0; NULL: no recording yet */
    uint64_t committed_pages;  /* from page 0 on, writable and backed */
    uint64_t limit_pages;      /* pages of the reservation */
    bool private_memory;       /* pages need no backing of a file */
    bool closed;               /* it has ended, the file is being cut to what is committed */
    int full_error;            /* why an extent was refused: -EFBIG: the reservation is used up */
    struct rt_lock lock;       /* of committed_pages and of the extent table's growth */
};

extern struct rt_recording rt_recording __attribute__((visibility("hidden")));

static inline void *rt_recording_page(uint64_t page)
{
    return (char *)rt_recording.header + (page << REC_PAGE_SHIFT);
}

/*
 * Take a mapping of BYTES as the recording and fill in what a header needs to be a header.
 * Inputs:   MEMORY is a PROT_NONE view of the file; PRIVATE says that pages are writable already.
 * Result:   0 with magic not yet published, or -errno if not even the first pages can be had.
 */
int rt_recording_begin(void *memory, uint64_t bytes, bool private_memory);

/*
 * Pages of one kind for OWNER. They are zero.
 * Result:   the first page's number, with the extent published, or 0 if the reservation or the disk
 *           is full; the first time that happens header->full_ns is set, for good. 0 also once the
 *           recording is closed.
 */
uint64_t rt_recording_extent(enum rec_kind kind, uint64_t pages, uint32_t owner,
                             uint64_t first_index, uint32_t tid);

/* Extent number INDEX, which may not be published yet; NULL: there are no more. */
const struct rec_extent *rt_recording_extent_at(uint64_t index);

/* True once an extent was refused: no new stack, slot or counter page can be had any more. */
bool rt_recording_is_full(void);

/* Copy TEXT of BYTES into the file; {0, 0} if it is full or BYTES is 0. */
struct rec_text rt_recording_text(const char *text, size_t bytes, uint32_t tid);

/* One more of a loss. Lost counts are exact, so this is an atomic addition; losses are rare. */
static inline void rt_recording_count(uint64_t *field)
{
    __atomic_fetch_add(field, 1, __ATOMIC_RELAXED);
}

/* Commit one more step now: there will be no other. */
void rt_recording_prepare_frozen(uint32_t tid);

/*
 * The program limits its address space: give back what of the reservation lies beyond BYTES and is
 * not committed.
 */
void rt_recording_shrink(uint64_t bytes, uint32_t tid);

/* The part of the reservation, in bytes, that a hook of this moment may be writing to. */
uint64_t rt_recording_reach(void);

/*
 * No page more from now on: a hook that is still on its way gets none, and what it would have
 * booked there is lost. What is committed stays writable.
 * Result:   the pages that are committed, for good; 0 if the lock could not be had.
 */
uint64_t rt_recording_close(uint32_t tid);

/* After a thread was found outside a hook that it had entered. */
void rt_recording_recover(uint32_t tid);

#endif
