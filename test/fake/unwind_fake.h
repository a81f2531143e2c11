/*
 * unwind_fake.h -- an unwinder that finds the stack that the test wants.
 *
 * Linked before the archive it takes the place of the real back end.
 */
#ifndef THAG_TEST_UNWIND_FAKE_H
#define THAG_TEST_UNWIND_FAKE_H

#include <stdint.h>

enum { UNWIND_FAKE_DEPTH_MAX = 64 };

/* What the calling thread's next walks find, outermost first. */
struct unwind_fake {
    uint64_t key[UNWIND_FAKE_DEPTH_MAX];
    uint32_t depth;
    uint32_t flags; /* enum rec_stack_flag */
};

extern __thread struct unwind_fake unwind_fake;

/* How often code was forgotten. */
extern uint32_t unwind_fake_forgets;

/* A stack of one frame. */
void unwind_fake_set(uint64_t key);

#endif
