/*
 * recording_spans.h -- the single calls of a recording.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_RECORDING_SPANS_H
#define THAG_AN_RECORDING_SPANS_H

#include "analyzer/input/recording_reader.h"
#include "analyzer/model/timeline.h"

/*
 * The spans of the slots whose calls are loaded, and the calls that were open at the end.
 *
 * Inputs:   PLACE has the tree node of each call of RECORDING, in TREE.
 * Result:   0, and RET_TIMELINE is freed by an_timeline_free(), NULL if there is not one span; or
 *           -errno with FAULT set.
 *           Lanes are in the order of slots, a thread's own stack before its fibres.
 */
int an_recording_spans(const struct an_recording *recording, const struct an_tree *tree,
                       const uint32_t *place, struct an_timeline **ret_timeline,
                       struct an_fault *fault);

/* The coarsest resolution of all slots that have spans, in ns. False: none has. */
bool an_recording_resolution(const struct an_recording *recording, uint64_t *ret_ns);

#endif
