/*
 * recording_events.h -- the single allocations and frees of a recording in detail mode.
 *
 * Context: tool.
 */
#ifndef THAG_AN_RECORDING_EVENTS_H
#define THAG_AN_RECORDING_EVENTS_H

#include "analyzer/input/recording_reader.h"

/*
 * Call VISIT for every event of all slots in the order of their times, until it returns other than
 * 0; that is the result then. Events are read as they are needed: memory is a buffer per slot.
 *
 * Result:   0, or -errno with FAULT set: an event of a stack that is not there, or an unreadable
 *           file. Events of stacks that are younger than RECORDING are left out.
 */
int an_recording_events_visit(const struct an_recording *recording,
                              int (*visit)(void *context, const struct rec_event *event),
                              void *context, struct an_fault *fault);

#endif
