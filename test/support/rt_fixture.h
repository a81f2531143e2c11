/*
 * rt_fixture.h -- a recording in plain memory, so that runtime/hot can be tested without a file.
 *
 * One per process; Criterion runs every test in a process of its own. What is read back is read as
 * the analyzer would: from the header and the extent table, not from the recorder's own pointers.
 */
#ifndef THAG_TEST_RT_FIXTURE_H
#define THAG_TEST_RT_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/format/recording_format.h"
#include "runtime/hot/thread_state.h"

struct rt_fixture_settings {
    uint64_t bytes;           /* of the reservation; 0: 64 MiB */
    uint64_t threshold_bytes; /* as rt_heap_reset() takes it */
    bool shadow;              /* as rt_live_blocks_reset() takes it */
    bool alone;               /* libc shall say that there is one thread: Criterion has its own */
};

/* Every module of runtime/hot begun anew, the gate open, the caller being the start thread.
 * Aborts the test where that fails. */
void rt_fixture_begin(const struct rt_fixture_settings *settings);

/* The recording alone: header and extents, no thread, no stack. */
void rt_fixture_begin_recording(uint64_t bytes);

/* Into a hook and out of it, as a hook does it. */
struct rt_thread *rt_fixture_enter(void);
void rt_fixture_leave(struct rt_thread *thread);

/* Registers that nothing is behind: for the fake unwinder. */
extern const struct rt_registers rt_fixture_registers;

/* A walk of COUNT keys, outermost first, in FRAMES. */
struct rt_walk rt_fixture_walk(struct rt_frame *frames, const uint64_t *keys, uint32_t count);

/* The published entry INDEX of the extent table; NULL: there is none. */
const struct rec_extent *rt_fixture_extent(uint64_t index);

/* Records of one kind: where number INDEX lies, NULL if no extent holds it. */
const void *rt_fixture_record(enum rec_kind kind, uint64_t index, size_t record_bytes);

/* All slots' counters of STACK added up; saved_bytes holds the value at the global peak. */
struct rec_counter rt_fixture_counter(uint32_t stack);

/* All single sizes of STACK that were kept, per class, of all slots. RET_COUNTS has
 * REC_SIZE_GROUPS * 8 places and is added to. */
void rt_fixture_sizes(uint32_t stack, uint64_t *ret_counts);

/* A small generator: tests must do the same at every run. */
uint64_t rt_fixture_random(uint64_t *state);

#endif
