/*
 * walk_memory.h -- what the rule walker keeps of the last stack of a thread.
 *
 * Written by unwind_native.c; recall.c reads it. Nobody else looks in.
 *
 * x86-64 only. Context: hot.
 */
#ifndef THAG_RT_WALK_MEMORY_H
#define THAG_RT_WALK_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* The stack is full of other functions' locals: no sanitizer shall judge our reading of it. */
#define READS_STACKS __attribute__((no_sanitize_address))

typedef uintptr_t stack_word __attribute__((may_alias));

/* A frame of the last walk: all that a walk compares lies in half a cache line. */
struct known_frame {
    uintptr_t sp;
    uintptr_t fp;
    uint64_t key;
    uint32_t words;   /* memory->word[0 .. words-1] were read from this frame outwards */
    uint8_t needs_fp; /* whether the steps from here outwards depend on fp */
    uint8_t flags;    /* enum rec_stack_flag, of frames 0 .. this */
};

/* A word that a step read, and what it held. */
struct known_word {
    uintptr_t address;
    uintptr_t value;
};

struct step;

/* The back end's memory of a walk. Its arrays follow it. */
struct walk_memory {
    struct known_frame *known; /* known[-1] is a sentinel whose sp nobody reaches */
    struct step *step;
    struct known_word *word; /* outermost frame's first */
    uint32_t known_count;    /* frames that may be used again: WALK->depth, or 0 */
    uint32_t own_words;      /* word[0 .. own_words-1] lie in the thread's own stack */
    bool elided;             /* frame 0 stands for those beyond the limit */
    /* Hooks with their sp here may compare as if all words were in the own stack, for those of the
     * known frames are; 0 bytes: none. */
    uintptr_t usual_low, usual_bytes;
};

static inline __attribute__((always_inline)) READS_STACKS uintptr_t word_at(uintptr_t address)
{
    return *(const stack_word *)address;
}

static inline __attribute__((always_inline)) READS_STACKS uintptr_t
word_difference(const struct known_word *word)
{
    return word_at(word->address) ^ word->value;
}

/* The first of the words that holds no longer, or END. All of them lie in the own stack. */
static inline __attribute__((always_inline)) READS_STACKS const struct known_word *
words_compare(const struct known_word *word, const struct known_word *end)
{
    while (end - word >= 4 && (word_difference(word) | word_difference(word + 1) |
                               word_difference(word + 2) | word_difference(word + 3)) == 0) {
        word += 4;
    }
    while (word != end && word_difference(word) == 0) {
        word++;
    }
    return word;
}

#endif
