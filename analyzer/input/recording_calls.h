/*
 * recording_calls.h -- the call trees of a recording's threads, checked, with times.
 *
 * Always true after an_recording_calls_load():
 *   - call[i].parent < i, or UINT32_MAX: a root, which has no time of its own;
 *   - calls that were open when the recording ended count up to its end, as far as that is known.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_RECORDING_CALLS_H
#define THAG_AN_RECORDING_CALLS_H

#include "analyzer/input/recording_reader.h"

/*
 * Read the call trees of the selected slots into recording->call.
 *
 * Inputs:   RECORDING has its file and its threads.
 * Result:   0, or -errno with FAULT set.
 */
int an_recording_calls_load(struct an_recording *recording,
                            const struct an_recording_select *select, struct an_fault *fault);

/* Nanoseconds of TICKS of the recording's clock; UINT64_MAX if that is more. */
uint64_t an_recording_calls_ns(const struct an_recording *recording, uint64_t ticks);

/* The moment at which the recording's clock showed TICKS, in ns since the start. */
uint64_t an_recording_calls_moment_ns(const struct an_recording *recording, uint64_t ticks);

#endif
