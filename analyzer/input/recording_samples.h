/*
 * recording_samples.h -- timer samples: their sums per stack, and their order in time. Part of the
 * reader.
 *
 * Context: tool.
 */
#ifndef THAG_AN_RECORDING_SAMPLES_H
#define THAG_AN_RECORDING_SAMPLES_H

#include "analyzer/input/recording_reader.h"

/*
 * Sum the samples of the selected slots into recording->value.
 *
 * Inputs:   RECORDING has its file, its threads, and its values.
 * Result:   0, or -errno with FAULT set: a sum that does not fit, a slot or stack that is not
 *           there.
 */
int an_recording_samples_sum(struct an_recording *recording,
                             const struct an_recording_select *select, struct an_fault *fault);

/* What was measured: "CPU time" or "time". */
const char *an_recording_sample_clock_words(const struct rec_header *header);

/* How many samples of a second there are for a second, as asked for and as they came: "997 Hz
 * asked, 250 Hz reached". SAMPLES stand for NS. */
void an_recording_rate_text(const struct rec_header *header, uint64_t samples, uint64_t ns,
                            char *ret_text, size_t room);

#endif
