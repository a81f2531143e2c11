/*
 * unwind.h -- the call stack of the caller of a hook, as the recorder wants it.
 *
 * One interface, several back ends, of which the build links one (option "unwinder"):
 *   unwind_libgcc.c     the hidden _Unwind_Backtrace of libgcc_eh walks every stack
 *   unwind_libunwind.c  libunwind walks every stack (architectures without a rule walker)
 *   unwind_native.c     our own rules and incremental walk; libgcc_eh for what it cannot read
 *
 * Words used here:
 *   key     an address as a recording holds it: a return address, or REC_NODE_EXACT | address for
 *           an instruction that a signal interrupted.
 *   walk    the memory of the last stack of one thread, outermost frame first. It belongs to its
 *           thread; a signal handler of that thread finds the guard taken and never gets here.
 *   prefix hash  of frame i: a number made of the keys of frames 0..i. The hash of the innermost
 *           frame names the stack.
 *
 * Context of all functions: hot. No heap, no blocking lock, no errno.
 */
#ifndef THAG_RT_UNWIND_H
#define THAG_RT_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The registers of the hook's caller, at its return address; or those of code that a signal has
 * interrupted. */
struct rt_registers {
    uintptr_t ip; /* return address into the caller; EXACT: the next instruction */
    uintptr_t sp; /* the caller's stack pointer after the hook will have returned */
    uintptr_t fp; /* the caller's frame pointer register, whatever it holds */
    bool exact;   /* interrupted: the walk begins at that instruction, not behind a call */
};

/* One frame of a walk. What only one back end needs lies behind the walk, not here. */
struct rt_frame {
    uint64_t key;
    uint64_t hash; /* prefix hash */
    /* What the caller of rt_unwind() found for frames 0..this one, or 0: the stack id, and the node
     * of the trie. Set back to 0 by the back end whenever the frame changes. */
    uint32_t stack;
    uint32_t node;
};

/*
 * The walk of one thread. FRAME holds DEPTH frames, outermost first.
 * Always true: DEPTH <= LIMIT; hash of frame i == rt_hash_step(hash of frame i - 1, key of i), and
 * the hash before frame 0 is the seed.
 */
struct rt_walk {
    struct rt_frame *frame;
    uint32_t depth;
    uint32_t limit;                  /* frames that there is room for */
    uint32_t flags;                  /* enum rec_stack_flag, of the last stack */
    uint32_t generation;             /* of the address map that the memory belongs to */
    uint64_t seed;                   /* hash of the empty stack: differs per generation */
    uintptr_t stack_low, stack_high; /* the thread's own stack; 0, 0: not known */
    void *back_end; /* the back end's own memory for this walk, RT_WALK_BYTES(limit) long */
};

/* The step of the prefix hash; odd multiplier, so no key is lost. */
static inline uint64_t rt_hash_step(uint64_t hash, uint64_t key)
{
    return ((hash << 7 | hash >> 57) ^ key) * UINT64_C(0x9e3779b97f4a7c15);
}

/*
 * Bytes of back-end memory that a walk of LIMIT frames needs. Zero-filled by the caller of
 * rt_walk_reset().
 */
size_t rt_walk_bytes(uint32_t limit);

/*
 * Forget the last stack: the address map changed, or the memory is new.
 *
 * Inputs:   WALK with frame, limit, back_end, stack_low and stack_high set. SEED is the new hash of
 *           the empty stack.
 * Result:   an empty walk; the next rt_unwind() walks from the leaf to the root.
 */
void rt_walk_reset(struct rt_walk *walk, uint64_t seed);

/*
 * Forget everything that is known about code, in all threads: some module went away.
 * A walk in progress elsewhere stays right, for no frame of it can lie in that module.
 */
void rt_unwind_forget_code(void);

/*
 * Walk the stack.
 *
 * Inputs:   REGISTERS of the hook's caller, or, in a signal handler, of what it interrupted.
 * Result:   the number of frames, now in WALK->frame[0..n-1]; at least 1. Flags say whether the
 *           outer end is missing (REC_STACK_CUT) or a frame was guessed (REC_STACK_GUESSED). A
 * stack deeper than the limit keeps its innermost limit - 1 frames, and frame 0 is
 *           REC_SPECIAL_ELIDED.
 * Never:    reads an address that it has not bounded; takes the loader's lock.
 */
uint32_t rt_unwind(struct rt_walk *walk, const struct rt_registers *registers);

/*
 * Where the frame that REGISTERS belong to begins: the address above its return address. No stack
 * is read, and the registers are believed: bound the answer.
 * Result:   0: this back end, or the data of that code, does not tell without a walk.
 */
uintptr_t rt_unwind_frame(const struct rt_registers *registers);

#endif
