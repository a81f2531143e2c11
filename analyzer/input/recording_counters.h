/*
 * recording_counters.h -- sums the counters of all slots; part of the reader, not for others.
 *
 * Context: tool.
 */
#ifndef THAG_AN_RECORDING_COUNTERS_H
#define THAG_AN_RECORDING_COUNTERS_H

#include "analyzer/input/recording_reader.h"

/*
 * Sum the counters of the selected slots into recording->value.
 *
 * Inputs:   RECORDING has its file, its threads, and zeroed values.
 * Result:   0, or -errno with FAULT set: a sum that does not fit, a slot or stack that is not
 * there.
 */
int an_recording_counters_sum(struct an_recording *recording,
                              const struct an_recording_select *select, struct an_fault *fault);

/*
 * Call VISIT for every used counter of the selected slots, with its stack id and file offset,
 * until it returns other than 0; that is the result then.
 */
int an_recording_counters_visit(const struct an_recording *recording,
                                const struct an_recording_select *select,
                                int (*visit)(void *context, uint32_t stack, uint64_t offset,
                                             const struct rec_counter *counter),
                                void *context, struct an_fault *fault);

#endif
