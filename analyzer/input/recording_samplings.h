/*
 * recording_samplings.h -- the samples of a recording in the order of time.
 *
 * Context: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_RECORDING_SAMPLINGS_H
#define THAG_AN_RECORDING_SAMPLINGS_H

#include "analyzer/input/recording_reader.h"
#include "analyzer/model/timeline.h"

/*
 * A lane for each selected slot that was sampled. A span is a frame that neighbouring samples have
 * in common, from the first's begin to the last's end; where there were none for longer than one
 * stands for, the spans end. So a span need not be one call.
 *
 * Inputs:   PLACE has the tree node of each stack of RECORDING, in TREE; 0: none.
 * Result:   0, and RET_TIMELINE is freed by an_timeline_free(), NULL if there is not one sample; or
 *           -errno with FAULT set.
 */
int an_recording_samplings(const struct an_recording *recording,
                           const struct an_recording_select *select, const struct an_tree *tree,
                           const uint32_t *place, struct an_timeline **ret_timeline,
                           struct an_fault *fault);

#endif
