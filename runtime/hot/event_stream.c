/*
 * event_stream.c -- see the header.
 */
#include "runtime/hot/event_stream.h"

#include <stddef.h>

#include "runtime/hot/recording.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

/* An extent of a thread's first events is small; they double up to the largest. */
enum { PAGES_FIRST = 2, PAGES_MOST = 64, EVENT_COUNT_MOST = 0x7fffffff };

void rt_events_reset(uint64_t budget_bytes)
{
    rt_recording.header->events_budget_bytes = budget_bytes;
}

static uint64_t now_ns(void)
{
    return os_clock_monotonic_ns() - rt_recording.header->start_monotonic_ns;
}

static void fill(struct rec_event *event, uint32_t kind, uint32_t stack, uint64_t bytes)
{
    event->ns = now_ns();
    event->bytes = bytes;
    event->stack = stack;
    __atomic_store_n(&event->kind_count, kind | 1, __ATOMIC_RELEASE);
}

/* Claim PAGES of the budget. */
static bool budget_take(uint64_t pages)
{
    struct rec_header *header = rt_recording.header;
    uint64_t bytes = pages << REC_PAGE_SHIFT;
    uint64_t used = __atomic_load_n(&header->events_bytes, __ATOMIC_RELAXED);
    do {
        if (used + bytes > header->events_budget_bytes) {
            return false;
        }
    } while (!__atomic_compare_exchange_n(&header->events_bytes, &used, used + bytes, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

/* Room for more events of this thread. */
static bool extent_take(struct rt_thread *thread)
{
    uint32_t pages = thread->event_pages ? thread->event_pages * 2 : PAGES_FIRST;
    pages = pages > PAGES_MOST ? PAGES_MOST : pages;
    if (!budget_take(pages)) {
        return false;
    }
    uint64_t page = rt_recording_extent(REC_KIND_EVENTS, pages, thread->slot, 0, thread->tid);
    if (!page) {
        return false;
    }
    thread->event_pages = pages;
    thread->event_next = rt_recording_page(page);
    thread->event_left = (uint32_t)((pages << REC_PAGE_SHIFT) / sizeof(struct rec_event));
    return true;
}

/* The merged event of (STACK, KIND) in the thread's table, or the free place for it; NULL when the
 * table cannot grow. Open addressing over the last extents would move events: a table of pointers
 * does not. */
static struct rec_event **merged_place(struct rt_thread *thread, uint32_t kind, uint32_t stack)
{
    uint32_t top = stack / RT_COUNTER_DIRECTORY;
    struct rec_event ***directory = thread->merged[kind ? 1 : 0];
    if (!directory) {
        size_t bytes = RT_MERGED_TOP * sizeof *directory;
        directory = os_memory_reserve(bytes);
        if (!directory) {
            return NULL;
        }
        os_memory_wipe_on_fork(directory, bytes);
        thread->merged[kind ? 1 : 0] = directory;
    }
    if (top >= RT_MERGED_TOP) {
        return NULL;
    }
    if (!directory[top]) {
        size_t bytes = RT_COUNTER_DIRECTORY * sizeof **directory;
        directory[top] = os_memory_map(bytes);
        if (!directory[top]) {
            return NULL;
        }
        os_memory_wipe_on_fork(directory[top], bytes);
    }
    return &directory[top][stack % RT_COUNTER_DIRECTORY];
}

/* Merged events have room of their own: bounded by the number of stacks. */
static struct rec_event *merged_new(struct rt_thread *thread)
{
    if (thread->merged_left == 0) {
        uint64_t page = rt_recording_extent(REC_KIND_EVENTS, 1, thread->slot, 0, thread->tid);
        if (!page) {
            return NULL;
        }
        thread->merged_next = rt_recording_page(page);
        thread->merged_left = REC_PAGE_BYTES / sizeof(struct rec_event);
    }
    thread->merged_left--;
    return thread->merged_next++;
}

static void merge(struct rt_thread *thread, uint32_t kind, uint32_t stack, uint64_t bytes)
{
    struct rec_header *header = rt_recording.header;
    uint64_t never = 0;
    __atomic_compare_exchange_n(&header->events_merged_ns, &never, now_ns() + 1, false,
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    rt_recording_count(&header->events_merged);
    struct rec_event **place = merged_place(thread, kind, stack);
    if (place && *place && REC_EVENT_COUNT((*place)->kind_count) < EVENT_COUNT_MOST) {
        (*place)->bytes += bytes;
        __atomic_store_n(&(*place)->kind_count, (*place)->kind_count + 1, __ATOMIC_RELEASE);
        return;
    }
    struct rec_event *event = place ? merged_new(thread) : NULL;
    if (!event) {
        rt_recording_count(&header->events_lost);
        return;
    }
    fill(event, kind, stack, bytes);
    *place = event;
}

void rt_events_add(struct rt_thread *thread, uint32_t kind, uint32_t stack, uint64_t bytes)
{
    if (rt_unlikely(thread->event_left == 0) &&
        (rt_recording.header->events_merged_ns || !extent_take(thread))) {
        merge(thread, kind, stack, bytes);
        return;
    }
    fill(thread->event_next, kind, stack, bytes);
    thread->event_next++;
    thread->event_left--;
}
