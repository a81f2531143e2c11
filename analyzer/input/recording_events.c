/*
 * recording_events.c -- the single allocations and frees of a recording in detail mode.
 *
 * Each slot has its events in order, spread over extents; a heap of the slots merges them by time.
 */
#include "analyzer/input/recording_events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

#define BUFFER_EVENTS 170u /* one page, nearly */

/* Where the reading of one slot is. */
struct cursor {
    const struct rec_extent **extent; /* of all[], this slot's */
    uint32_t extent_count;
    uint64_t at; /* the next event to read of extent[0] */
    struct rec_event *buffer;
    uint32_t filled, next;
};

struct merging {
    const struct an_recording *recording;
    struct an_fault *fault;
    const struct rec_extent **all; /* by slot, then in the order of their making */
    uint32_t all_count;
    struct cursor *cursor;
    uint32_t cursor_count;
    uint32_t *heap; /* numbers of cursors, the earliest event first */
    uint32_t heap_count;
};

static int extent_order(const void *left, const void *right)
{
    const struct rec_extent *a = *(const struct rec_extent *const *)left;
    const struct rec_extent *b = *(const struct rec_extent *const *)right;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    return (a->first_page > b->first_page) - (a->first_page < b->first_page);
}

static void cursors_make(struct merging *merging)
{
    const struct an_recording_file *file = &merging->recording->file;
    merging->all = an_memory_array((size_t)file->extent_count + 1, sizeof(*merging->all));
    for (uint32_t i = 0; i < file->extent_count; i++) {
        if (file->extent[i].kind == REC_KIND_EVENTS)
            merging->all[merging->all_count++] = &file->extent[i];
    }
    if (merging->all_count != 0)
        qsort(merging->all, merging->all_count, sizeof(*merging->all), extent_order);
    merging->cursor = an_memory_zeroed((size_t)merging->all_count + 1, sizeof(*merging->cursor));
    merging->heap = an_memory_array((size_t)merging->all_count + 1, sizeof(*merging->heap));
    for (uint32_t i = 0; i < merging->all_count; i++) {
        if (i == 0 || merging->all[i]->owner != merging->all[i - 1]->owner)
            merging->cursor[merging->cursor_count++].extent = &merging->all[i];
        merging->cursor[merging->cursor_count - 1].extent_count++;
    }
}

static const struct rec_event *cursor_event(const struct cursor *cursor)
{
    return &cursor->buffer[cursor->next];
}

/*
 * Make sure that there is a next event in the buffer.
 * Result: 1, 0 at the end of the slot's events, or -errno.
 */
static int cursor_fill(const struct merging *merging, struct cursor *cursor)
{
    while (cursor->next == cursor->filled && cursor->extent_count != 0) {
        const struct rec_extent *extent = cursor->extent[0];
        uint64_t count = extent->page_count * REC_PAGE_BYTES / sizeof(struct rec_event);
        uint64_t wanted = count - cursor->at;
        if (wanted > BUFFER_EVENTS)
            wanted = BUFFER_EVENTS;
        if (cursor->buffer == NULL)
            cursor->buffer = an_memory_array(BUFFER_EVENTS, sizeof(*cursor->buffer));
        int error = an_recording_file_read(
            &merging->recording->file,
            extent->first_page * REC_PAGE_BYTES + cursor->at * sizeof(struct rec_event),
            cursor->buffer, wanted * sizeof(struct rec_event), "the events", merging->fault);
        if (error != 0)
            return error;
        cursor->next = 0;
        cursor->filled = 0;
        while (cursor->filled < wanted && cursor->buffer[cursor->filled].kind_count != 0)
            cursor->filled++;
        cursor->at += wanted;
        if (cursor->filled < wanted || cursor->at == count) {
            cursor->extent++;
            cursor->extent_count--;
            cursor->at = 0;
        }
    }
    return cursor->next < cursor->filled;
}

static bool earlier(const struct merging *merging, uint32_t a, uint32_t b)
{
    uint64_t a_ns = cursor_event(&merging->cursor[a])->ns;
    uint64_t b_ns = cursor_event(&merging->cursor[b])->ns;
    return a_ns != b_ns ? a_ns < b_ns : a < b;
}

static void heap_sink(struct merging *merging, uint32_t at)
{
    for (;;) {
        uint32_t child = 2 * at + 1, best = at;
        if (child < merging->heap_count &&
            earlier(merging, merging->heap[child], merging->heap[best]))
            best = child;
        if (child + 1 < merging->heap_count &&
            earlier(merging, merging->heap[child + 1], merging->heap[best]))
            best = child + 1;
        if (best == at)
            return;
        uint32_t moved = merging->heap[at];
        merging->heap[at] = merging->heap[best];
        merging->heap[best] = moved;
        at = best;
    }
}

static int heap_make(struct merging *merging)
{
    for (uint32_t i = 0; i < merging->cursor_count; i++) {
        int filled = cursor_fill(merging, &merging->cursor[i]);
        if (filled < 0)
            return filled;
        if (filled != 0)
            merging->heap[merging->heap_count++] = i;
    }
    for (uint32_t i = merging->heap_count / 2; i-- != 0;)
        heap_sink(merging, i);
    return 0;
}

static int event_visit(const struct merging *merging, const struct rec_event *event,
                       int (*visit)(void *context, const struct rec_event *event), void *context)
{
    const struct an_recording *recording = merging->recording;
    if (event->stack < recording->stack_count)
        return visit(context, event);
    if (!an_recording_file_ended(&recording->file))
        return 0; /* younger than what was read of the stacks */
    return an_fault_set(merging->fault, -EBADMSG,
                        "%s: an event of stack %" PRIu32 ", but there are only %" PRIu32,
                        recording->file.path, event->stack, recording->stack_count);
}

int an_recording_events_visit(const struct an_recording *recording,
                              int (*visit)(void *context, const struct rec_event *event),
                              void *context, struct an_fault *fault)
{
    struct merging merging = {.recording = recording, .fault = fault};
    cursors_make(&merging);
    int error = heap_make(&merging);
    while (error == 0 && merging.heap_count != 0) {
        struct cursor *cursor = &merging.cursor[merging.heap[0]];
        error = event_visit(&merging, cursor_event(cursor), visit, context);
        if (error != 0)
            break;
        cursor->next++;
        int filled = cursor_fill(&merging, cursor);
        if (filled < 0)
            error = filled;
        else if (filled == 0)
            merging.heap[0] = merging.heap[--merging.heap_count];
        heap_sink(&merging, 0);
    }
    for (uint32_t i = 0; i < merging.cursor_count; i++)
        free(merging.cursor[i].buffer);
    free(merging.cursor);
    free(merging.heap);
    free(merging.all);
    return error;
}
