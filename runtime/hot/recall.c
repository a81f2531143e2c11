/*
 * recall.c -- a table of stacks that were walked twice, by a hash of their innermost frames.
 *
 * What nearly every look-up touches is one cache line of the table: a thousand stacks in use must
 * not push the program's own data out of the caches. A second line holds what does not fit.
 */
#include "runtime/hot/recall.h"

#include <stdbool.h>

#include "runtime/format/recording_format.h"
#include "runtime/hot/stack_table.h"
#include "runtime/hot/walk_memory.h"

#include "runtime/hot/rt_forbid.h"

/* Memos of a thread: at first, and at most. Doubled while many look-ups fail. */
enum { MEMOS_FIRST = 512, MEMOS_MOST = 8192 };

/* Failed look-ups from one judgement of the table to the next: it is good if they are one in so
 * many, poor if they are more than one in so many. Stacks are learnt in several visits, so it must
 * be poor often until it is not asked for a while. */
enum { JUDGED_FAILURES = 512, GOOD_SHARE = 16, POOR_SHARE = 2 };
enum { POOR_MOST = 32, IDLE_LOOKUPS = 1 << 16 };

/* Return addresses whose frame sizes are known; how many frames make a hash, and how often as many
 * are added to one that several stacks share. */
enum { FRAME_SIZES = 2048, HASHED_FRAMES = 4, DEEPER_MOST = 3 };

/* Inner words of a memo: in its first line, and in both. */
enum { WORDS_NEAR = 4, WORDS_FAR = 6, WORDS_MOST = WORDS_NEAR + WORDS_FAR };

/* An inner word: its place above the innermost sp, in words, and what it holds. */
#define VALUE_BITS 48
#define PLACES     (UINT64_C(1) << (64 - VALUE_BITS))

/* The stack of a memo that stands for several: they are told apart further out. */
#define SHARED UINT32_MAX

enum memo_flag {
    NEEDS_FP = 1, /* the stack depends on the innermost frame's fp */
    LEADS_FP = 2, /* the stack from the outer frame on depends on that frame's */
};

/* A stack: what its innermost frame was, the words that lead out of it, and where they lead to. */
struct memo {
    uint64_t key;        /* of the innermost frame, salted */
    uint64_t outer_hash; /* prefix hash of the frame that the words lead to */
    uint32_t sp; /* of the innermost frame and of that one, in words below the stack's end */
    uint32_t outer_sp;
    uint32_t stack; /* 0: the memo is void; or SHARED */
    uint16_t outer; /* the number of that frame in the walk */
    uint8_t words;
    uint8_t flags; /* enum memo_flag */
    uint64_t word[WORDS_NEAR];
};
_Static_assert(sizeof(struct memo) == 64, "a cache line");

struct memo_rest {
    uint64_t word[WORDS_FAR];
    uintptr_t fp, outer_fp; /* as the flags say */
};
_Static_assert(sizeof(struct memo_rest) == 64, "a cache line");

struct rt_recall {
    uint64_t asked;   /* hash of the last stack asked for; 0: it cannot be noted */
    uint32_t deeper;  /* how often frames were added to it */
    uint64_t salt;    /* differs from one address map to the next */
    uint32_t grown;   /* memos in use, less one, beyond the first ones */
    uint64_t lookups; /* and failures among them since the table was judged */
    uint32_t failures;
    uint32_t poor;                     /* judgements in a row */
    uint32_t idle;                     /* look-ups that are not tried */
    uint16_t frame_words[FRAME_SIZES]; /* by return address; 0: not known */
    uint32_t expected[MEMOS_MOST];     /* the hash that failed last at the memo, its upper half */
    struct memo memo[MEMOS_MOST] __attribute__((aligned(64)));
    struct memo_rest rest[MEMOS_MOST];
};

size_t rt_recall_bytes(void)
{
    return sizeof(struct rt_recall);
}

void rt_recall_forget(struct rt_recall *recall)
{
    recall->salt += UINT64_C(1) << VALUE_BITS;
    recall->asked = 0;
}

static inline size_t frame_size_place(uintptr_t ip)
{
    return (ip ^ ip >> 11) % FRAME_SIZES;
}

static inline size_t place_of(const struct rt_recall *recall, uint64_t hash)
{
    return hash & (recall->grown | (MEMOS_FIRST - 1));
}

/* How far out a hash has come. */
struct reach {
    uintptr_t ip, sp;
    uint64_t hash;
};

/* Add the next frames, as far as the sizes that their frames had once lead to them. */
static inline __attribute__((always_inline)) READS_STACKS void
reach_out(struct reach *reach, const struct rt_recall *recall, uintptr_t top)
{
#pragma GCC unroll 4
    for (int i = 0; i < HASHED_FRAMES; i++) {
        uintptr_t sp = reach->sp + 8 * (uintptr_t)recall->frame_words[frame_size_place(reach->ip)];
        if (__builtin_expect(sp > top, 0)) {
            break;
        }
        reach->sp = sp;
        reach->ip = word_at(sp - 8); /* of no size: the hook's own return address, or the same */
        reach->hash = rt_hash_step(reach->hash, reach->ip);
    }
    reach->hash ^= reach->hash >> 32;
}

static inline __attribute__((always_inline)) READS_STACKS bool word_holds(uint64_t word,
                                                                          uintptr_t sp)
{
    uint64_t value = word & ((UINT64_C(1) << VALUE_BITS) - 1);
    return word_at(sp + 8 * (word >> VALUE_BITS)) == value;
}

/* The inner words of a memo. */
static inline __attribute__((always_inline)) READS_STACKS bool
inner_holds(const struct memo *memo, const struct memo_rest *rest, uintptr_t sp)
{
    unsigned near = memo->words < WORDS_NEAR ? memo->words : WORDS_NEAR;
    for (unsigned i = 0; i < near; i++) {
        if (!word_holds(memo->word[i], sp)) {
            return false;
        }
    }
    for (unsigned i = WORDS_NEAR; i < memo->words; i++) {
        if (!word_holds(rest->word[i - WORDS_NEAR], sp)) {
            return false;
        }
    }
    return true;
}

/* Whether the last walk still holds from where the inner words lead to. */
static inline __attribute__((always_inline)) READS_STACKS bool
outer_holds(const struct memo *memo, const struct memo_rest *rest, const struct rt_walk *walk,
            uintptr_t top)
{
    const struct walk_memory *memory = walk->back_end;
    if (memo->outer >= memory->known_count) {
        return false;
    }
    const struct known_frame *outer = memory->known + memo->outer;
    if ((top - outer->sp) / 8 != memo->outer_sp ||
        walk->frame[memo->outer].hash != memo->outer_hash ||
        (outer->needs_fp && (!(memo->flags & LEADS_FP) || outer->fp != rest->outer_fp))) {
        return false;
    }
    const struct known_word *end = memory->word + outer->words;
    return words_compare(memory->word, end) == end;
}

/* Whether MEMO was made for the frame that REGISTERS tell of, or is shared by such. */
static inline bool is_of_frame(const struct rt_recall *recall, const struct memo *memo,
                               const struct rt_registers *registers, uintptr_t top)
{
    return memo->key == (registers->ip ^ recall->salt) && memo->sp == (top - registers->sp) / 8;
}

static __attribute__((noinline)) READS_STACKS size_t
place_further_out(struct rt_recall *recall, struct reach *reach,
                  const struct rt_registers *registers, uintptr_t top)
{
    size_t place = place_of(recall, reach->hash);
    while (recall->deeper < DEEPER_MOST && recall->memo[place].stack == SHARED &&
           is_of_frame(recall, &recall->memo[place], registers, top)) {
        recall->deeper++;
        reach_out(reach, recall, top);
        place = place_of(recall, reach->hash);
    }
    return place;
}

READS_STACKS uint32_t rt_recall(struct rt_recall *recall, const struct rt_walk *walk,
                                const struct rt_registers *registers)
{
    const struct walk_memory *memory = walk->back_end;
    recall->asked = 0;
    recall->lookups++;
    if (__builtin_expect(registers->sp - memory->usual_low >= memory->usual_bytes, 0) ||
        __builtin_expect(recall->idle, 0)) {
        recall->idle -= recall->idle != 0;
        return 0;
    }
    const uintptr_t top = memory->usual_low + memory->usual_bytes;
    struct reach reach = {registers->ip, registers->sp,
                          registers->ip + registers->sp * UINT64_C(0x9e3779b97f4a7c15)};
    reach_out(&reach, recall, top);
    size_t place = place_of(recall, reach.hash);
    recall->deeper = 0;
    if (__builtin_expect(recall->memo[place].stack == SHARED, 0)) {
        struct reach further = reach; /* REACH itself can then stay in registers */
        place = place_further_out(recall, &further, registers, top);
        reach.hash = further.hash;
    }
    recall->asked = reach.hash;
    const struct memo *memo = &recall->memo[place];
    const struct memo_rest *rest = &recall->rest[place];
    if (!is_of_frame(recall, memo, registers, top) || memo->stack == 0 || memo->stack == SHARED ||
        (memo->flags & NEEDS_FP && rest->fp != registers->fp)) {
        return 0;
    }
    return inner_holds(memo, rest, registers->sp) && outer_holds(memo, rest, walk, top)
               ? memo->stack
               : 0;
}

/* Learn the sizes of the innermost frames, of as many as the hash should have had. */
static void frame_sizes_learn(struct rt_recall *recall, const struct walk_memory *memory)
{
    const struct known_frame *frame = memory->known + memory->known_count - 1;
    uint32_t count = HASHED_FRAMES * (recall->deeper + 1);
    for (uint32_t i = 0; i < count && frame > memory->known; i++, frame--) {
        uintptr_t words = (frame[-1].sp - frame->sp) / 8;
        recall->frame_words[frame_size_place(REC_NODE_ADDRESS(frame->key))] =
            words <= UINT16_MAX ? (uint16_t)words : 0;
    }
}

/* A table in which many look-ups fail is doubled; one in which most do is left alone for a while.
 */
static void table_judge(struct rt_recall *recall)
{
    bool good = recall->lookups >= GOOD_SHARE * (uint64_t)recall->failures;
    bool poor = recall->lookups < POOR_SHARE * (uint64_t)recall->failures;
    if (!good && recall->grown < MEMOS_MOST - MEMOS_FIRST) {
        recall->grown = 2 * recall->grown + MEMOS_FIRST;
    }
    recall->poor = poor ? recall->poor + 1 : 0;
    if (recall->poor == POOR_MOST) {
        recall->poor = 0;
        recall->idle = IDLE_LOOKUPS;
    }
    recall->lookups = 0;
    recall->failures = 0;
}

/* The outermost frame for which at most MOST words were read further in. */
static uint32_t outer_choose(const struct walk_memory *memory, uint32_t most)
{
    uint32_t outer = memory->known_count - 1, words = memory->known[outer].words;
    while (outer > 0 && words - memory->known[outer - 1].words <= most) {
        outer--;
    }
    return outer;
}

/* Pack the words that were read further in than FIRST; false: they do not fit. */
static bool words_pack(struct memo *memo, struct memo_rest *rest, const struct walk_memory *memory,
                       uint32_t first, uintptr_t sp)
{
    uint32_t count = memory->known[memory->known_count - 1].words - first;
    for (uint32_t i = 0; i < count; i++) {
        const struct known_word *word = &memory->word[first + i];
        uint64_t place = (word->address - sp) / 8;
        if (place >= PLACES || word->value >> VALUE_BITS) {
            return false;
        }
        *(i < WORDS_NEAR ? &memo->word[i] : &rest->word[i - WORDS_NEAR]) =
            place << VALUE_BITS | word->value;
    }
    memo->words = (uint8_t)count;
    return true;
}

/* Make the memo at PLACE that of the last walk, which is STACK; void if that cannot be. */
static READS_STACKS void memo_make(struct rt_recall *recall, size_t place,
                                   const struct rt_walk *walk, uint32_t stack)
{
    struct memo *memo = &recall->memo[place];
    struct memo_rest *rest = &recall->rest[place];
    const struct walk_memory *memory = walk->back_end;
    const uintptr_t top = memory->usual_low + memory->usual_bytes;
    const struct known_frame *leaf = memory->known + memory->known_count - 1;
    bool again = memo->stack && memo->sp == (top - leaf->sp) / 8;
    if (again && recall->deeper < DEEPER_MOST && memo->key == (leaf->key ^ recall->salt) &&
        !inner_holds(memo, rest, leaf->sp)) {
        memo->stack = SHARED;
        return;
    }
    /* One that was made for this frame before did not reach far enough out. */
    uint32_t outer = outer_choose(memory, again || leaf->needs_fp ? WORDS_MOST : WORDS_NEAR);
    const struct known_frame *known = memory->known + outer;
    memo->stack = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (known == leaf || outer > UINT16_MAX || (top - leaf->sp) / 8 > UINT32_MAX ||
        !words_pack(memo, rest, memory, known->words, leaf->sp)) {
        return;
    }
    memo->key = leaf->key ^ recall->salt;
    memo->sp = (uint32_t)((top - leaf->sp) / 8);
    memo->outer = (uint16_t)outer;
    memo->outer_sp = (uint32_t)((top - known->sp) / 8);
    memo->outer_hash = walk->frame[outer].hash;
    memo->flags = (leaf->needs_fp ? NEEDS_FP : 0) | (known->needs_fp ? LEADS_FP : 0);
    if (memo->flags) {
        rest->fp = leaf->fp;
        rest->outer_fp = known->fp;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    memo->stack = stack;
}

void rt_recall_note(struct rt_recall *recall, const struct rt_walk *walk, uint32_t stack)
{
    const struct walk_memory *memory = walk->back_end;
    uint64_t hash = recall->asked;
    if (hash == 0) {
        return;
    }
    if (++recall->failures == JUDGED_FAILURES) {
        table_judge(recall);
    }
    if (memory->usual_bytes == 0 || stack == RT_STACK_UNKNOWN) {
        return;
    }
    size_t place = place_of(recall, hash);
    if (recall->expected[place] != hash >> 32) {
        frame_sizes_learn(recall, memory);
        recall->expected[place] = (uint32_t)(hash >> 32);
        return;
    }
    memo_make(recall, place, walk, stack);
}
