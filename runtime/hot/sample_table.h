/*
 * sample_table.h -- where timer samples are booked: per (slot, stack) like heap events, and in
 * their order in time.
 *
 * The sums are exact. The points in time are bounded: when a slot has REC_SAMPLINGS of them, every
 * two neighbours become one and from then on so many samples as one point stands for are gathered
 * into the next one; the time that they stand for stays.
 *
 * Context of all functions: hot; the caller is the thread that owns the table, with all signals
 * blocked.
 */
#ifndef THAG_RT_SAMPLE_TABLE_H
#define THAG_RT_SAMPLE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/format/recording_format.h"

/* Pages of rec_sample of a slot, reached through two levels of pointers. */
enum { RT_SAMPLE_DIRECTORY = 512, RT_SAMPLE_TOP = 64 };

/* Extents that a slot's points in time lie in: one page, then twice what there is. */
enum { RT_SAMPLING_EXTENTS = 6 };

struct rt_sample_table {
    uint32_t slot;
    uint32_t tid; /* with RT_LOCK_NO_WAIT */
    struct rec_sample **pages[RT_SAMPLE_TOP];
    struct rec_sampling *extent[RT_SAMPLING_EXTENTS];
    uint32_t points;   /* filled */
    uint32_t step;     /* samples that a point stands for; 0: 1 */
    uint32_t gathered; /* samples since the last point */
    uint64_t gathered_ns;
    bool full; /* there is no room for more points */
};

/* One sample. */
struct rt_sampled {
    uint32_t stack;
    uint64_t ns;     /* the time that it stands for */
    uint64_t now_ns; /* CLOCK_MONOTONIC */
    bool is_signal;  /* not time that no signal was there for: that has no place in the order */
};

/* Book SAMPLED. Without room it counts as an event that was lost. */
void rt_sample_table_add(struct rt_sample_table *table, const struct rt_sampled *sampled);

#endif
