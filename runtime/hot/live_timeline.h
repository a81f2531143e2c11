/*
 * live_timeline.h -- live bytes over time, in bounded room.
 *
 * No thread and no timer takes the points: each thread counts its events down, and a point is taken
 * at 0. When the REC_MOMENTS places are full every second point is dropped and the step doubles.
 *
 * Context: hot. The caller holds the guard.
 */
#ifndef THAG_RT_LIVE_TIMELINE_H
#define THAG_RT_LIVE_TIMELINE_H

#include <stdint.h>

/* Begin anew. Without room the recording has no timeline. */
void rt_live_timeline_reset(uint32_t tid);

/* Take a point. Result: events until the calling thread's next one, at least 1. */
uint32_t rt_live_timeline_add(uint32_t tid);

void rt_live_timeline_recover(uint32_t tid);

#endif
