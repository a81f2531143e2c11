/*
 * histogram.h -- sizes of single allocations per stack, see recording_format.h.
 *
 * Counting costs one cache line beside the counter's own: where the counts lie and which classes
 * they cover stands in the counter. Memory is taken from the recording in units of
 * REC_HISTOGRAM_UNIT bytes; a histogram that must cover more octaves moves, its old place is lost.
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
    return (struct rec_histogram *)((char *)rt_recording.header +
                                    (uint64_t)unit * REC_HISTOGRAM_UNIT);
}

/*
 * A size that COUNTER does not cover yet: the first one, a second one, a new octave.
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
    uint32_t index = rt_histogram_class(bytes) - REC_OCTAVE_CLASSES * REC_SIZES_FIRST(mark);
    if (rt_likely(mark >= REC_SIZES_MANY && index < REC_OCTAVE_CLASSES * REC_SIZES_OCTAVES(mark))) {
        struct rec_histogram *histogram = rt_histogram_at(counter->histogram);
        histogram->count[index]++;
        if (rt_unlikely(index + REC_OCTAVE_CLASSES >=
                        REC_OCTAVE_CLASSES * REC_SIZES_OCTAVES(mark)) &&
            bytes > histogram->max_bytes) { /* only the last octave can hold a new maximum */
            histogram->max_bytes = bytes;
        }
        return;
    }
    rt_histogram_widen(thread, counter, bytes);
}

#endif
