/*
 * recording_size_facts.h -- the smallest and the largest single allocation of each tree node.
 *
 * Context: tool.
 */
#ifndef THAG_AN_RECORDING_SIZE_FACTS_H
#define THAG_AN_RECORDING_SIZE_FACTS_H

#include "analyzer/input/recording_reader.h"
#include "analyzer/model/profile.h"

/*
 * Fill the sizes of PROFILE's tree. The smallest size of a stack that allocated several is known to
 * its class alone, but exactly where all its allocations are among the events of a recording with
 * detail.
 *
 * Inputs:   PLACE has the tree node of each stack. THREAD: only of threads of this name; NULL: all.
 * Result:   what cannot be read is left out, and a note of the profile says why.
 */
void an_recording_note_sizes(const struct an_recording *recording, const char *thread,
                             const uint32_t *place, struct an_profile *profile);

#endif
