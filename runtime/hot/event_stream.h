/*
 * event_stream.h -- every allocation and free as an event, in bounded room.
 *
 * Events lie in extents of their slot, in the order of their happening; times order the slots among
 * each other. When the budget is used up, further events of one stack and kind are added to one
 * event: order and single sizes are lost from then on, sums stay exact, and the header says since
 * when.
 *
 * Context: hot. The caller holds the guard.
 */
#ifndef THAG_RT_EVENT_STREAM_H
#define THAG_RT_EVENT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/hot/thread_state.h"

/* Begin anew, with this much room for all events together. */
void rt_events_reset(uint64_t budget_bytes);

/* KIND is 0 for an allocation, REC_EVENT_FREE for a free, by STACK in both cases. */
void rt_events_add(struct rt_thread *thread, uint32_t kind, uint32_t stack, uint64_t bytes);

#endif
