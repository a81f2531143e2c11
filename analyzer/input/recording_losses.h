/*
 * recording_losses.h -- what a recording says was lost or is limited, in words.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_RECORDING_LOSSES_H
#define THAG_AN_RECORDING_LOSSES_H

#include "analyzer/input/recording_reader.h"

/*
 * One kind of loss: its exact count and its sentence. KEY is a name for programs.
 */
struct an_recording_loss {
    const char *key;
    uint64_t count;
    const char *words; /* goes after the count */
};

#define AN_RECORDING_LOSSES 18

/*
 * All kinds of loss, also those that did not happen (count 0).
 * RET_LOSS has room for AN_RECORDING_LOSSES; the texts are constant.
 */
void an_recording_losses(const struct an_recording *recording, struct an_recording_loss *ret_loss);

/* Add a sentence to the profile for each loss that makes its numbers incomplete. */
void an_recording_losses_note(const struct an_recording *recording, struct an_profile *profile);

#endif
