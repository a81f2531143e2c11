/*
 * histogram.h -- sizes of single allocations per stack.
 *
 * Most stacks only ever allocate one size, which the counter holds itself; a histogram is made for
 * the second. Its memory is in the recording, in units of REC_HISTOGRAM_UNIT bytes.
 *
 * Context: hot. The caller holds the guard; histograms belong to the slot.
 */
#ifndef THAG_RT_HISTOGRAM_H
#define THAG_RT_HISTOGRAM_H

#include <stddef.h>

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

/* Count one allocation of BYTES. Where there is no room it is missing from the histogram alone. */
void rt_histogram_add(struct rt_thread *thread, struct rec_counter *counter, size_t bytes);

#endif
