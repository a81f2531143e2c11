/*
 * histogram.h -- sizes of single allocations per stack, see recording_format.h.
 *
 * Counting costs one cache line beside the counter's own: where the counts lie and which classes
 * they cover stands in the counter. Even that line is one that a thousand stacks push out of the
 * caches between two uses, so a size is only noted, its line asked for, and counted when the next
 * one comes: one size per running thread may be missing from a histogram (never from a counter).
 * Memory is taken from the recording in units of REC_HISTOGRAM_UNIT bytes; a histogram that must
 * cover more octaves moves, its old place is lost.
 *
 * Context: hot. The caller holds the guard; histograms belong to the slot.
 */
#ifndef THAG_RT_HISTOGRAM_H
#define THAG_RT_HISTOGRAM_H

#include <stddef.h>

#include "runtime/hot/recording.h"
#include "runtime/hot/thread_state.h"

/* The class of a size, see recording_format.h. */
static inline uint32_t rt_histogram_class(uint64_t bytes)
{
    uint64_t value = bytes ? bytes - 1 : 0;
    if (value < 8) {
        return (uint32_t)value;
    }
    uint32_t top = 63u - (uint32_t)__builtin_clzll(value);
    return 8 * (top - 2) + ((uint32_t)(value >> (top - 3)) & 7);
}

static inline struct rec_histogram *rt_histogram_at(uint32_t unit)
{
    return (void *)((char *)rt_recording.header + (uint64_t)unit * REC_HISTOGRAM_UNIT);
}

/* Count the size that was noted last. */
static inline void rt_histogram_settle(struct rt_thread *thread)
{
    struct rt_size_note *note = &thread->size_note;
    if (note->count) {
        ++*note->count;
        if (rt_unlikely(note->largest) && note->bytes > *note->largest) {
            *note->largest = note->bytes;
        }
        note->count = NULL;
    }
}

/*
 * A size that COUNTER does not cover yet: the first one, a second one, a new octave or highest
 * class.
 * COUNTER->allocations does not count it yet. Where there is no room, sizes become unknown.
 */
void rt_histogram_widen(struct rt_thread *thread, struct rec_counter *counter, uint64_t bytes);

/* Note the size of one allocation, before it is counted in COUNTER->allocations. */
static inline void rt_histogram_note(struct rt_thread *thread, struct rec_counter *counter,
                                     uint64_t bytes)
{
    uint32_t mark = counter->size_mark;
    if (rt_likely(mark == bytes + 1 && mark < REC_SIZES_MANY)) {
        return;
    }
    /* Few sizes are in the highest class, and only those can be the largest: a branch that is
     * foreseen. With no histogram yet, classes is 0. */
    uint32_t index = rt_histogram_class(bytes) - REC_OCTAVE_CLASSES * REC_SIZES_FIRST(mark);
    uint32_t classes = mark >= REC_SIZES_MANY ? REC_SIZES_CLASSES(mark) : 0;
    if (rt_likely(index < classes)) {
        struct rec_histogram *histogram = rt_histogram_at(counter->histogram);
        uint64_t *largest = NULL;
        __builtin_prefetch(&histogram->count[index], 1);
        if (rt_unlikely(index + 1 == classes)) {
            largest = &histogram->max_bytes;
            __builtin_prefetch(largest, 1);
        }
        rt_histogram_settle(thread);
        thread->size_note = (struct rt_size_note){&histogram->count[index], largest, bytes};
        return;
    }
    rt_histogram_widen(thread, counter, bytes);
}

#endif
