/*
 * unwind_rules.h -- address of an instruction -> how to step from its frame to the caller's.
 *
 * A rule is a call frame row boiled down to 28 bits, because nearly all code needs no more. Rules
 * are kept in one global cache of 64-bit words; a word is read and written whole, so there is no
 * lock, and a signal handler may come at any point.
 *
 * Always true:
 *   - a word holds the address it is for, the epoch it was made in, and a rule; it is used only if
 *     both are the asker's;
 *   - a word of an old epoch that is stored late is never used, and does not stay.
 *
 * x86-64 only. Context of all functions: hot. No heap, no locks, no errno.
 */
#ifndef THAG_RT_UNWIND_RULES_H
#define THAG_RT_UNWIND_RULES_H

#include <stdatomic.h>
#include <stdint.h>

#include "runtime/hot/cfi.h"

/*
 * How to step. N is rt_rule_offset(), S is rt_rule_slot(); "[x]" is the word at address x.
 * Return address [CFA - 8], caller's sp = CFA, caller's fp = S ? [CFA - 8 * S] : same, except
 * where it is told otherwise.
 */
enum rt_rule_kind {
    RT_RULE_NONE = 0, /* never the kind of a rule: an empty word */
    RT_RULE_SP,       /* CFA = sp + N */
    RT_RULE_FP,       /* CFA = fp + N */
    RT_RULE_DRAP,     /* CFA = [fp - N]: the frame of a function that re-aligned its stack;
                         caller's fp = S ? [fp] : same */
    RT_RULE_SIGNAL,   /* a struct ucontext at sp holds the interrupted registers */
    RT_RULE_END,      /* the outermost frame */
    RT_RULE_GUESS,    /* no data: only the frame pointer is left to try */
    RT_RULE_SLOW,     /* data that a rule cannot hold: libgcc can read it */
};

/*
 * A rule is the rule part of a word of the cache, the rest being 0:
 *
 *   bit 63        35 34   33 32  25 24  22 21       17 16     0
 *      | pc 46..18  | epoch |  S   | kind |  pc 4..0  | N / 8 |
 *
 * The bits of the address stand as far apart as in the address, so a shift and a mask put all of
 * them in place. Bits 17..5 follow from them and the number of the line.
 */
#define RT_RULE_OFFSET_BITS 17
#define RT_RULE_SLOT_BITS   8
#define RT_RULE_OFFSET_MAX  ((INT64_C(8) << RT_RULE_OFFSET_BITS) - 8)
#define RT_RULE_SLOT_MAX    ((INT64_C(1) << RT_RULE_SLOT_BITS) - 1)

#define RT_RULE_KIND_SHIFT  22
#define RT_RULE_SLOT_SHIFT  25
#define RT_RULE_EPOCH_SHIFT 33
#define RT_RULE_PC_SHIFT    17
#define RT_RULE_PC_MASK     UINT64_C(0xfffffff8003e0000)
#define RT_RULE_EPOCH_MASK  (UINT64_C(3) << RT_RULE_EPOCH_SHIFT)
#define RT_RULE_TAG_MASK    (RT_RULE_PC_MASK | RT_RULE_EPOCH_MASK)
/* What lies higher does not fit into a word. Programs get no such memory unless they ask for it. */
#define RT_RULE_PC_BITS 47

static inline uint64_t rt_rule_make(enum rt_rule_kind kind, int64_t offset, int64_t slot)
{
    return (uint64_t)kind << RT_RULE_KIND_SHIFT | (uint64_t)offset / 8 |
           (uint64_t)slot << RT_RULE_SLOT_SHIFT;
}

static inline enum rt_rule_kind rt_rule_kind(uint64_t rule)
{
    return (enum rt_rule_kind)(rule >> RT_RULE_KIND_SHIFT & 7);
}

static inline uintptr_t rt_rule_offset(uint64_t rule)
{
    return (uintptr_t)(rule & ((1u << RT_RULE_OFFSET_BITS) - 1)) * 8;
}

static inline uintptr_t rt_rule_slot(uint64_t rule)
{
    return (uintptr_t)(rule >> RT_RULE_SLOT_SHIFT);
}

/*
 * The cache. 64 bytes of code share a pair of lines, so that the frames of a function and of its
 * neighbours are found together; one rule per line costs 9 to 24 % of a walk.
 */
#define RT_RULE_LINES 8192u
#define RT_RULE_WAYS  8u

/* Hidden, lest a look-up begin with one in the GOT. */
extern _Atomic uint64_t rt_rule_cache[RT_RULE_LINES * RT_RULE_WAYS]
    __attribute__((visibility("hidden")));
extern _Atomic uint32_t rt_rule_epoch __attribute__((visibility("hidden")));

/* An epoch as it stands in a word. Never 0, so that an empty word is nobody's. */
static inline uint64_t rt_rule_epoch_bits(uint32_t epoch)
{
    return (uint64_t)(epoch & 3) << RT_RULE_EPOCH_SHIFT;
}

/* The bits of the cache's epoch now. A walk reads them once and hands them to each look-up. */
static inline uint64_t rt_rules_epoch(void)
{
    return rt_rule_epoch_bits(atomic_load_explicit(&rt_rule_epoch, memory_order_acquire));
}

static inline uint64_t rt_rule_tag(uintptr_t pc, uint64_t epoch)
{
    return ((uint64_t)pc << RT_RULE_PC_SHIFT & RT_RULE_PC_MASK) | epoch;
}

static inline _Atomic uint64_t *rt_rule_line(uintptr_t pc)
{
    return rt_rule_cache + ((pc >> 5 ^ (pc >> 18) * 0x9e5) & (RT_RULE_LINES - 1)) * RT_RULE_WAYS;
}

/*
 * The rule of PC: the slow part of rt_rule_find().
 *
 * Result:   the rule, which is in the cache from now on, unless rt_rules_forget() came since EPOCH.
 */
uint64_t rt_rule_fill(uintptr_t pc, uint64_t epoch);

/* Look behind the first way of the line. */
uint64_t rt_rule_find_further(uintptr_t pc, uint64_t epoch);

/*
 * The rule of the instruction at PC. For a return address that is one byte before it, so that a
 * call at the very end of a function is found in that function.
 *
 * Inputs:   PC has at most RT_RULE_PC_BITS bits. EPOCH as rt_rules_epoch() said.
 */
static inline uint64_t rt_rule_find(uintptr_t pc, uint64_t epoch)
{
    uint64_t word =
        atomic_load_explicit(rt_rule_line(pc) + (pc >> 2) % RT_RULE_WAYS, memory_order_relaxed);
    uint64_t rule = word ^ rt_rule_tag(pc, epoch);
    if (__builtin_expect((rule & RT_RULE_TAG_MASK) == 0, 1)) {
        return rule;
    }
    return rt_rule_find_further(pc, epoch);
}

/*
 * Empty the cache; walks that began before may go on with what they read.
 * Other threads may look up, fill and forget at the same time.
 */
void rt_rules_forget(void);

/* The rule that SECTION's data gives for PC; nothing is cached. */
uint64_t rt_rule_read(const struct rt_cfi_section *section, uintptr_t pc);

/* The rule that ROW, the row of PC, comes down to. */
uint64_t rt_rule_of_row(const struct rt_cfi_row *row, uintptr_t pc);

#endif
