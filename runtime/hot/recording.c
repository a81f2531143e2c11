/*
 * recording.c -- handing out the pages of the mapped file.
 */
#include "runtime/hot/recording.h"

#include <errno.h>

#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

struct rt_recording rt_recording;

/* Room for text is taken by these many pages; paths of modules are what fills it. */
enum { TEXT_PAGES = 4, FIRST_STEP_PAGES = 8, LAST_STEP_PAGES = 256, LARGEST_REQUEST_PAGES = 1024 };

static struct {
    struct rt_lock lock;
    uint64_t next, end; /* file offsets of the free part of the current text extent */
} text_room;

/* Steps of commitment grow with the recording: few system calls, little slack. A page of a file
 * costs its block, so a program that ends at once should not pay for many. */
static int commit(uint64_t pages)
{
    struct rt_recording *recording = &rt_recording;
    if (pages <= recording->committed_pages) {
        return 0;
    }
    if (recording->closed) {
        return -ESHUTDOWN;
    }
    uint64_t step = recording->committed_pages / 4;
    uint64_t wanted = pages + (step < FIRST_STEP_PAGES ? FIRST_STEP_PAGES : step);
    if (wanted > recording->limit_pages) {
        wanted = recording->limit_pages;
    }
    if (pages > wanted) {
        return -EFBIG;
    }
    if (!recording->private_memory) {
        uint64_t from = recording->committed_pages;
        int result = os_file_commit(rt_recording_page(from), (wanted - from) << REC_PAGE_SHIFT);
        if (result < 0 && wanted > pages) { /* the slack may be what does not fit */
            wanted = pages;
            result = os_file_commit(rt_recording_page(from), (wanted - from) << REC_PAGE_SHIFT);
        }
        if (result < 0) {
            return result;
        }
    }
    __atomic_store_n(&recording->committed_pages, wanted, __ATOMIC_RELEASE);
    return 0;
}

int rt_recording_begin(void *memory, uint64_t bytes, bool private_memory)
{
    rt_recording = (struct rt_recording){
        .header = memory,
        .limit_pages = bytes >> REC_PAGE_SHIFT,
        .private_memory = private_memory,
    };
    text_room.lock.holder = 0;
    text_room.next = text_room.end = 0;
    int result = commit(2);
    if (result < 0) {
        rt_recording.header = NULL;
        return result;
    }
    struct rec_header *header = rt_recording.header;
    header->version = REC_VERSION;
    header->header_bytes = sizeof *header;
    header->byte_order = REC_BYTE_ORDER;
    header->page_bytes = REC_PAGE_BYTES;
    header->reservation_bytes = bytes;
    header->used_pages = 2;
    header->extent_segment[0] = 1;
    header->node_count = 1;
    header->stack_count = 1;
    return 0;
}

/* Where entry INDEX of the extent table lies; its segment is made if it is the first one in it.
 * NULL: the table cannot grow. The lock is held. */
static struct rec_extent *extent_entry(uint64_t index)
{
    struct rec_header *header = rt_recording.header;
    uint64_t position = index + REC_EXTENT_FIRST;
    unsigned segment = 63 - (unsigned)__builtin_clzll(position) - 7; /* 2^7 entries in the first */
    if (segment >= REC_EXTENT_SEGMENTS) {
        return NULL;
    }
    if (header->extent_segment[segment] == 0) {
        uint64_t pages =
            ((uint64_t)REC_EXTENT_FIRST << segment) * sizeof(struct rec_extent) >> REC_PAGE_SHIFT;
        if (commit(header->used_pages + pages) < 0) {
            return NULL;
        }
        header->extent_segment[segment] = header->used_pages;
        header->used_pages += pages;
    }
    struct rec_extent *table = rt_recording_page(header->extent_segment[segment]);
    return &table[position - ((uint64_t)REC_EXTENT_FIRST << segment)];
}

const struct rec_extent *rt_recording_extent_at(uint64_t index)
{
    const struct rec_header *header = rt_recording.header;
    if (index >= __atomic_load_n(&header->extent_count, __ATOMIC_ACQUIRE)) {
        return NULL;
    }
    uint64_t position = index + REC_EXTENT_FIRST;
    unsigned segment = 63 - (unsigned)__builtin_clzll(position) - 7;
    const struct rec_extent *table = rt_recording_page(header->extent_segment[segment]);
    return &table[position - ((uint64_t)REC_EXTENT_FIRST << segment)];
}

static void set_full(int error)
{
    uint64_t never = 0;
    if (__atomic_compare_exchange_n(&rt_recording.header->full_ns, &never, os_clock_monotonic_ns(),
                                    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        rt_recording.full_error = error;
    }
}

bool rt_recording_is_full(void)
{
    return __atomic_load_n(&rt_recording.header->full_ns, __ATOMIC_RELAXED) != 0;
}

uint64_t rt_recording_extent(enum rec_kind kind, uint64_t pages, uint32_t owner,
                             uint64_t first_index, uint32_t tid)
{
    struct rec_header *header = rt_recording.header;
    if (rt_recording_is_full() || !rt_lock_take(&rt_recording.lock, tid)) {
        return 0;
    }
    uint64_t first = 0;
    struct rec_extent *entry = extent_entry(header->extent_count);
    int result = commit(header->used_pages + pages);
    if (entry && result == 0) {
        first = header->used_pages;
        __atomic_store_n(&header->used_pages, first + pages, __ATOMIC_RELEASE);
        entry->owner = owner;
        entry->first_page = first;
        entry->page_count = pages;
        entry->first_index = first_index;
        __atomic_store_n(&header->extent_count, header->extent_count + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&entry->kind, kind, __ATOMIC_RELEASE);
    }
    bool closed = rt_recording.closed;
    rt_lock_give(&rt_recording.lock);
    if (first == 0 && !closed) {
        set_full(result < 0 ? result : -ENOSPC);
    }
    return first;
}

struct rec_text rt_recording_text(const char *text, size_t bytes, uint32_t tid)
{
    struct rec_text none = {0, 0, 0};
    if (bytes == 0 || bytes > UINT32_MAX || !rt_lock_take(&text_room.lock, tid)) {
        return none;
    }
    if (text_room.end - text_room.next < bytes) {
        uint64_t pages = (bytes + REC_PAGE_BYTES - 1) >> REC_PAGE_SHIFT;
        pages = pages < TEXT_PAGES ? TEXT_PAGES : pages;
        uint64_t page = rt_recording_extent(REC_KIND_TEXT, pages, 0, 0, tid);
        if (page) { /* else the rest of the old room still serves shorter texts */
            text_room.next = page << REC_PAGE_SHIFT;
            text_room.end = (page + pages) << REC_PAGE_SHIFT;
        }
    }
    struct rec_text result = none;
    if (text_room.end - text_room.next >= bytes) {
        char *target = (char *)rt_recording.header + text_room.next;
        for (size_t i = 0; i < bytes; i++) {
            target[i] = text[i];
        }
        result = (struct rec_text){text_room.next, (uint32_t)bytes, 0};
        text_room.next += bytes;
    }
    rt_lock_give(&text_room.lock);
    return result;
}

void rt_recording_prepare_frozen(uint32_t tid)
{
    if (rt_lock_take(&rt_recording.lock, tid)) {
        uint64_t used = rt_recording.header->used_pages;
        uint64_t left = rt_recording.limit_pages - used;
        uint64_t step = left < LAST_STEP_PAGES ? left : LAST_STEP_PAGES;
        while (step && commit(used + step) < 0) { /* the disk may have room for less */
            step /= 2;
        }
        rt_lock_give(&rt_recording.lock);
    }
}

void rt_recording_shrink(uint64_t bytes, uint32_t tid)
{
    struct rt_recording *recording = &rt_recording;
    if (!rt_lock_take(&recording->lock, tid)) {
        return;
    }
    uint64_t before = recording->limit_pages, limit = bytes >> REC_PAGE_SHIFT;
    limit = limit < recording->committed_pages ? recording->committed_pages : limit;
    if (limit < before) {
        recording->limit_pages = limit;
        recording->header->reservation_bytes = limit << REC_PAGE_SHIFT;
        os_memory_unmap(rt_recording_page(limit), (before - limit) << REC_PAGE_SHIFT);
    }
    rt_lock_give(&recording->lock);
}

uint64_t rt_recording_reach(void)
{
    /* A step that is being committed is not counted yet: a quarter, and what was asked for. */
    uint64_t pages = 2 * rt_recording.committed_pages + LARGEST_REQUEST_PAGES;
    return (pages < rt_recording.limit_pages ? pages : rt_recording.limit_pages) << REC_PAGE_SHIFT;
}

uint64_t rt_recording_close(uint32_t tid)
{
    if (!rt_lock_take(&rt_recording.lock, tid)) {
        return 0;
    }
    rt_recording.closed = true;
    uint64_t pages = rt_recording.committed_pages;
    rt_lock_give(&rt_recording.lock);
    return pages;
}

void rt_recording_recover(uint32_t tid)
{
    rt_lock_recover(&text_room.lock, tid);
    rt_lock_recover(&rt_recording.lock, tid);
}
