/*
 * unwind_native.c -- x86-64: walks by our own rules, and only as far as the stack has changed.
 *
 * A step from one frame to its caller is a function of the frame's state (ip, sp, fp) and of the
 * few words of memory that it reads. So if a walk comes to a frame in a state that the last walk
 * of this thread had there too, and all the words which the last walk read from there outwards
 * still hold, then the rest of the stack is the last one's, and need not be walked. This is exact.
 * To compare sp and ip alone is not: A() { f(); f(); } changes only the outermost return address.
 *
 * What may be read:
 *   - While the hook runs on the thread's own stack: the words of that stack from RED_ZONE below
 *     the hook's sp up to stack_high. They are mapped, and stay so as long as the thread lives.
 *   - Other words (fibres, alternate signal stacks, threads of unknown stack) are read only from
 *     pages that the kernel has just called readable, os_word_readable(). A rule by itself is no
 *     bound: assembly carries wrong ones, and then the host would die of us.
 *   - A frame pointer is believed without unwind data only inside [stack_low, stack_high):
 *     elsewhere anything may look like one.
 * Inside one stack the stack pointer must grow with every step. It may fall only where the walk
 * changes stacks, and SWITCHES_MAX times, so no loop of wrong data lasts.
 */
#include "runtime/hot/unwind.h"

#include <stddef.h>
#include <ucontext.h>

#include "runtime/format/recording_format.h"
#include "runtime/hot/unwind_libgcc.h"
#include "runtime/hot/unwind_rules.h"
#include "runtime/hot/walk_memory.h"
#include "runtime/os/probe.h"

#include "runtime/hot/rt_forbid.h"

/* A rule may find the saved frame pointer this far under the CFA, thus under sp in an epilogue. */
#define RED_ZONE     (8 * (uintptr_t)RT_RULE_SLOT_MAX)
#define SWITCHES_MAX 64
#define PAGE_BYTES   ((uintptr_t)4096)
/* A step reads three words at most, those of a signal frame; two are written for any. */
#define WORDS_PER_STEP 3

/* A frame of the walk in progress, innermost first. */
struct step {
    uint64_t key;
    uintptr_t sp;
    uintptr_t fp;
    uint64_t rule;
};

enum walk_end {
    WALK_ON,      /* not yet */
    WALK_MATCHED, /* met the last walk */
    WALK_ENDED,   /* at the outermost frame */
    WALK_CUT,     /* outer frames are missing; the state and the words alone say so */
    WALK_REFUSED, /* outer frames are missing; memory that may be otherwise next time said so */
    WALK_FULL,    /* more frames than the limit */
    WALK_SLOW,    /* a rule for libgcc */
};

/* The state of one frame. */
struct state {
    uintptr_t pc; /* where its rule is looked up: ip, or ip - 1 for a return address */
    uintptr_t sp;
    uintptr_t fp;
    uint64_t key;
};

struct run {
    struct rt_walk *walk;
    struct walk_memory *memory;
    struct state now; /* the frame that the walk is at */
    uint64_t epoch;
    uint32_t steps; /* frames left behind, in memory->step */
    bool stepped;   /* NOW is the caller of the last frame left behind */
    bool foreign;   /* words outside the own stack may have been read */
    bool exact;     /* the walk began where a signal interrupted */
    uint32_t depth; /* frames that are kept of the last walk */
    /* the comparison with the last walk: words below SAME hold, the word at CHANGED does not */
    uint32_t same;
    uint32_t changed;
    uint32_t switches;
    uintptr_t start_sp;
    /* pages outside the own stack that can be read; 0, 0: none asked for yet */
    uintptr_t readable_low;
    uintptr_t readable_high;
};

/* Whether a word lies in the part of the own stack that is surely mapped. */
static bool own_has(const struct run *run, uintptr_t address)
{
    uintptr_t low = run->walk->stack_low, high = run->walk->stack_high, sp = run->start_sp;
    if (sp < low || sp >= high) {
        return false;
    }
    if (sp - low > RED_ZONE) {
        low = sp - RED_ZONE;
    }
    return address >= low && address < high && high - address >= 8;
}

/* Whether the word at ADDRESS can be read. */
static __attribute__((noinline)) bool word_check(struct run *run, uintptr_t address)
{
    if (own_has(run, address)) {
        return true;
    }
    if (address % 8 != 0) {
        return false; /* no stack does that, and it could cross into the next page */
    }
    run->foreign = true;
    if (run->readable_high == 0 && !run->exact) {
        /* the hook's return address lies there */
        run->readable_low = (run->start_sp - 8) & ~(PAGE_BYTES - 1);
        run->readable_high = run->readable_low + PAGE_BYTES;
    }
    if (address >= run->readable_low && address < run->readable_high) {
        return true;
    }
    if (!os_word_readable(address)) {
        return false;
    }
    uintptr_t page = address & ~(PAGE_BYTES - 1);
    if (page != run->readable_high) {
        run->readable_low = page;
    }
    run->readable_high = page + PAGE_BYTES;
    return true;
}

static READS_STACKS bool word_read(struct run *run, uintptr_t address, uintptr_t *ret_value)
{
    if (!word_check(run, address)) {
        return false;
    }
    *ret_value = word_at(address);
    return true;
}

/* All words from SAME on lie in the own stack: outermost first, as a change is likely far out. */
static inline bool words_hold_own(struct run *run, uint32_t count)
{
    const struct known_word *const first = run->memory->word;
    run->same = (uint32_t)(words_compare(first + run->same, first + count) - first);
    if (run->same != count) {
        run->changed = run->same;
        return false;
    }
    return true;
}

/*
 * Innermost first: as long as the words hold, the next one is a word that a walk by rules would
 * read too. The outer ones may lie in a stack that is unmapped by now.
 */
static __attribute__((noinline)) READS_STACKS bool words_hold_foreign(struct run *run,
                                                                      uint32_t count)
{
    const struct known_word *word = run->memory->word;
    for (uint32_t i = count; i > run->same; i--) {
        uintptr_t value;
        if (!word_read(run, word[i - 1].address, &value) || value != word[i - 1].value) {
            run->changed = i - 1;
            return false;
        }
    }
    run->same = count;
    return true;
}

/* Whether all words that the last walk read from KNOWN outwards hold. */
static inline bool known_holds(struct run *run, const struct known_frame *known)
{
    uint32_t count = known->words;
    if (count <= run->same) {
        return true;
    }
    if (count > run->changed) {
        return false;
    }
    return count <= run->memory->own_words ? words_hold_own(run, count)
                                           : words_hold_foreign(run, count);
}

/* Whether the last walk was here in the same state. */
static inline bool known_is(const struct known_frame *known, const struct state *now)
{
    return known->sp == now->sp && known->key == now->key &&
           (!known->needs_fp || known->fp == now->fp);
}

/*
 * Whether the last walk from KNOWN outwards is what is missing, when STEPS frames were left behind.
 * Where the depth limit cut the last walk, its outer frames serve only a stack of the same depth.
 */
static inline bool known_matches(struct run *run, const struct known_frame *known, size_t steps)
{
    const struct walk_memory *memory = run->memory;
    size_t depth = steps + (size_t)(known - memory->known) + 1;
    if (memory->elided ? depth != run->walk->limit : depth > run->walk->limit) {
        return false;
    }
    return known_holds(run, known);
}

/*
 * Whether the step to CFA may be made where own_top() does not settle it.
 * SAVED is where the caller's frame pointer is, or 0.
 */
static __attribute__((noinline)) bool cfa_check(struct run *run, uintptr_t sp, uintptr_t cfa,
                                                uintptr_t saved)
{
    const struct rt_walk *walk = run->walk;
    if (cfa <= sp) {
        bool own = sp < walk->stack_high && cfa >= walk->stack_low;
        if (own || ++run->switches > SWITCHES_MAX) {
            return false;
        }
    }
    return word_check(run, cfa - 8) && (saved == 0 || word_check(run, saved));
}

/*
 * Whether there can be code at PC: it is no special key (one less, for return addresses), and
 * within what a rule's word can hold, give or take the page at its end, which no program has.
 * Return addresses of 0 are stopped by this too.
 */
static inline bool pc_is_usable(uintptr_t pc)
{
    return (pc - (REC_SPECIAL_LIMIT - 1)) >> RT_RULE_PC_BITS == 0;
}

/* The frame of a return address. */
static inline struct state state_of(uintptr_t ip, uintptr_t sp, uintptr_t fp)
{
    return (struct state){.pc = ip - 1, .sp = sp, .fp = fp, .key = ip};
}

/* The frame that a walk begins with. */
static struct state state_first(const struct rt_registers *registers)
{
    struct state state = state_of(registers->ip, registers->sp, registers->fp);
    if (__builtin_expect(registers->exact, 0)) {
        state.pc = registers->ip;
        state.key = registers->ip | REC_NODE_EXACT;
    }
    return state;
}

static bool step_drap(struct run *run, uint64_t rule)
{
    uintptr_t cfa, ip, fp = run->now.fp;
    if (!word_read(run, run->now.fp - rt_rule_offset(rule), &cfa) ||
        !cfa_check(run, run->now.sp, cfa, rt_rule_slot(rule) ? run->now.fp : 0) ||
        !word_read(run, cfa - 8, &ip)) {
        return false;
    }
    if (rt_rule_slot(rule) && !word_read(run, run->now.fp, &fp)) {
        return false;
    }
    run->now = state_of(ip, cfa, fp);
    return true;
}

static uintptr_t signal_word(uintptr_t sp, int number)
{
    return sp + offsetof(ucontext_t, uc_mcontext.gregs) + 8 * (uintptr_t)number;
}

static bool step_signal(struct run *run)
{
    uintptr_t ip, sp, fp;
    if (!word_read(run, signal_word(run->now.sp, REG_RIP), &ip) ||
        !word_read(run, signal_word(run->now.sp, REG_RSP), &sp) ||
        !word_read(run, signal_word(run->now.sp, REG_RBP), &fp) || !pc_is_usable(ip - 1)) {
        return false;
    }
    if (sp % 8 != 0 || (sp <= run->now.sp && ++run->switches > SWITCHES_MAX)) {
        return false;
    }
    run->now = (struct state){.pc = ip, .sp = sp, .fp = fp, .key = ip | REC_NODE_EXACT};
    return true;
}

/*
 * Whether IP, a return address, was not left by a call: it is where a function begins, and nothing
 * is known of the byte before. makecontext() ends its stacks so.
 */
static bool ip_is_made_up(const struct run *run, uintptr_t ip)
{
    uint64_t rule = rt_rule_find(ip, run->epoch);
    return rt_rule_kind(rule) != RT_RULE_GUESS;
}

/* No unwind data: the end of a made-up stack, or else the frame pointer is tried. */
static READS_STACKS enum walk_end step_guess(struct run *run)
{
    const struct rt_walk *walk = run->walk;
    uintptr_t frame = run->now.fp, ip, fp;
    if (!(run->now.key & REC_NODE_EXACT) && ip_is_made_up(run, run->now.pc + 1)) {
        return WALK_ENDED;
    }
    if (run->now.sp < walk->stack_low || frame < run->now.sp || frame % 8 != 0 ||
        walk->stack_high < 16 || frame > walk->stack_high - 16) {
        return WALK_CUT;
    }
    if (!word_read(run, frame + 8, &ip) || !word_read(run, frame, &fp)) {
        return WALK_REFUSED;
    }
    run->now = state_of(ip, frame + 16, fp);
    return WALK_ON;
}

/* All rules but those on sp and fp. WALK_ON: the run is at the caller's frame. */
static __attribute__((noinline)) enum walk_end step_rare(struct run *run, uint64_t rule)
{
    switch (rt_rule_kind(rule)) {
    case RT_RULE_DRAP:
        return step_drap(run, rule) ? WALK_ON : WALK_REFUSED;
    case RT_RULE_SIGNAL:
        return step_signal(run) ? WALK_ON : WALK_REFUSED;
    case RT_RULE_GUESS:
        return step_guess(run);
    case RT_RULE_END:
        return WALK_ENDED;
    default:
        return WALK_SLOW;
    }
}

/*
 * Up to where the stack pointer may go in a step from SP without further questions: to the own
 * stack's end, or nowhere.
 */
static inline uintptr_t own_top(const struct run *run, uintptr_t sp)
{
    const struct rt_walk *walk = run->walk;
    bool inside =
        run->start_sp >= walk->stack_low + RED_ZONE && sp >= run->start_sp && sp < walk->stack_high;
    return inside ? walk->stack_high : 0;
}

/*
 * A step by a rule on sp or fp. STEP is the frame NOW as it was kept, TOP as own_top() said.
 * False: refused.
 */
static inline __attribute__((always_inline)) READS_STACKS bool
step_plain(struct run *run, const struct step *step, struct state *now, uintptr_t *top)
{
    uint64_t rule = step->rule;
    uintptr_t base = rt_rule_kind(rule) == RT_RULE_SP ? now->sp : now->fp;
    uintptr_t cfa = base + rt_rule_offset(rule), slot = rt_rule_slot(rule);
    if (__builtin_expect(cfa <= now->sp || cfa > *top, 0)) {
        if (!cfa_check(run, now->sp, cfa, slot ? cfa - 8 * slot : 0)) {
            return false;
        }
        *top = own_top(run, cfa);
    }
    /* Without a branch: whether fp was saved differs from frame to frame. */
    uintptr_t fp = word_at(slot ? cfa - 8 * slot : (uintptr_t)&step->fp);
    *now = state_of(word_at(cfa - 8), cfa, fp);
    return true;
}

/*
 * Walk until the last walk is met, or the end. What the loop touches is in locals: RUN is visited
 * only for rare rules and strange stacks.
 */
static inline READS_STACKS enum walk_end run_walk(struct run *run)
{
    const struct known_frame *known = run->memory->known + run->memory->known_count - 1;
    struct step *const first = run->memory->step, *const full = first + run->walk->limit;
    struct step *step = first;
    const uint64_t epoch = run->epoch;
    struct state now = run->now;
    uintptr_t top = own_top(run, now.sp);
    enum walk_end end = WALK_FULL;
    for (;;) {
        while (known->sp < now.sp) {
            known--;
        }
        if (known_is(known, &now) && known_matches(run, known, (size_t)(step - first))) {
            run->depth = (uint32_t)(known - run->memory->known) + 1;
            end = WALK_MATCHED;
            break;
        }
        if (step == full) {
            break;
        }
        uint64_t rule = rt_rule_find(now.pc, epoch);
        *step++ = (struct step){.key = now.key, .sp = now.sp, .fp = now.fp, .rule = rule};
        if (__builtin_expect(rt_rule_kind(rule) <= RT_RULE_FP, 1)) {
            if (!step_plain(run, step - 1, &now, &top)) {
                run->steps = (uint32_t)(step - first);
                return WALK_REFUSED;
            }
        } else {
            run->now = now;
            run->steps = (uint32_t)(step - first);
            end = step_rare(run, rule);
            if (end != WALK_ON) {
                return end;
            }
            end = WALK_FULL;
            now = run->now;
            top = own_top(run, now.sp);
        }
        if (__builtin_expect(!pc_is_usable(now.pc), 0)) {
            end = now.key == 0 ? WALK_ENDED : WALK_CUT;
            break;
        }
    }
    run->now = now;
    run->steps = (uint32_t)(step - first);
    run->stepped = true;
    return end;
}

/* The outer part of a stack while it is put together. */
struct kept {
    struct known_word *word; /* places for the next word and frame */
    struct known_frame *known;
    struct rt_frame *frame;
    struct known_word *first_word;
    uint64_t hash;
    struct state outer; /* the frame put last, or the one that the walk stopped at */
    bool needs_fp;      /* whether the steps from OUTER outwards depend on its fp */
    bool stepped;       /* whether a step led to OUTER */
    uint8_t flags;
};

/*
 * Keep the words that the step from STEP to KEPT->outer read. Where the caller's fp came from
 * counts only if a step further out depends on it.
 */
static inline void words_keep_plain(struct kept *kept, const struct step *step)
{
    const struct state *outer = &kept->outer;
    uintptr_t slot = rt_rule_slot(step->rule);
    bool saved = slot != 0;
    /* Both are written, but the second may not count: cheaper than a branch. */
    kept->word[0] = (struct known_word){outer->sp - 8, outer->key};
    kept->word[1] = (struct known_word){outer->sp - 8 * slot, outer->fp};
    kept->word += 1 + (saved & kept->needs_fp);
    kept->needs_fp = (rt_rule_kind(step->rule) == RT_RULE_FP) | (kept->needs_fp & !saved);
}

static __attribute__((noinline)) void words_keep_rare(struct kept *kept, const struct step *step)
{
    const struct state *outer = &kept->outer;
    uintptr_t ret = outer->sp - 8, saved = 0;
    bool needs_fp = true;
    switch (rt_rule_kind(step->rule)) {
    case RT_RULE_DRAP:
        *kept->word++ = (struct known_word){step->fp - rt_rule_offset(step->rule), outer->sp};
        saved = rt_rule_slot(step->rule) ? step->fp : 0;
        break;
    case RT_RULE_SIGNAL:
        *kept->word++ = (struct known_word){signal_word(step->sp, REG_RSP), outer->sp};
        ret = signal_word(step->sp, REG_RIP);
        saved = signal_word(step->sp, REG_RBP);
        needs_fp = false;
        break;
    case RT_RULE_GUESS:
        ret = step->fp + 8;
        saved = step->fp;
        kept->flags |= kept->stepped ? REC_STACK_GUESSED : 0;
        break;
    default:
        needs_fp = false;
        break;
    }
    if (kept->stepped) {
        *kept->word++ = (struct known_word){ret, (uintptr_t)REC_NODE_ADDRESS(outer->key)};
        if (kept->needs_fp && saved) {
            *kept->word++ = (struct known_word){saved, outer->fp};
        }
    }
    kept->needs_fp = needs_fp;
}

/* Put one more frame, that of STEP, which shall be known by KEY. */
static inline __attribute__((always_inline)) void frame_put(struct kept *kept,
                                                            const struct step *step, uint64_t key)
{
    if (__builtin_expect(rt_rule_kind(step->rule) <= RT_RULE_FP, 1)) {
        words_keep_plain(kept, step);
    } else {
        struct kept copy = *kept; /* KEPT itself can then stay in registers */
        words_keep_rare(&copy, step);
        *kept = copy;
    }
    kept->stepped = true;
    kept->outer = (struct state){.key = step->key, .sp = step->sp, .fp = step->fp};
    *kept->known++ = (struct known_frame){.sp = step->sp,
                                          .fp = step->fp,
                                          .key = key,
                                          .words = (uint32_t)(kept->word - kept->first_word),
                                          .needs_fp = kept->needs_fp,
                                          .flags = kept->flags};
    kept->hash = rt_hash_step(kept->hash, key);
    *kept->frame++ = (struct rt_frame){.key = key, .hash = kept->hash};
}

/*
 * Put the frames that were walked behind those that are kept of the last walk; WORDS and FLAGS are
 * those of the kept part. There is at least one.
 *
 * Result:   how many words the stack depends on.
 */
static inline uint32_t frames_append(struct run *run, uint32_t words, uint8_t flags)
{
    struct walk_memory *memory = run->memory;
    const struct step *const innermost = memory->step, *step = innermost + run->steps - 1;
    struct kept kept = {.word = memory->word + words,
                        .known = memory->known + run->depth,
                        .frame = run->walk->frame + run->depth,
                        .first_word = memory->word,
                        .hash = run->walk->seed,
                        .outer = run->now,
                        .stepped = run->stepped,
                        .flags = flags};
    if (run->depth) {
        kept.needs_fp = kept.known[-1].needs_fp;
        kept.hash = kept.frame[-1].hash;
    }
    frame_put(&kept, step, run->depth == 0 && memory->elided ? REC_SPECIAL_ELIDED : step->key);
    while (step-- > innermost) {
        frame_put(&kept, step, step->key);
    }
    return (uint32_t)(kept.word - kept.first_word);
}

/* Note how many of the words lie in the own stack: KEPT are the last walk's, COUNT all. */
static inline void own_words_update(struct run *run, uint32_t kept, uint32_t count)
{
    struct walk_memory *memory = run->memory;
    if (memory->own_words < kept) {
        return; /* there is a foreign word further out already */
    }
    if (!run->foreign) {
        memory->own_words = count;
        return;
    }
    memory->own_words = kept;
    while (memory->own_words < count && own_has(run, memory->word[memory->own_words].address)) {
        memory->own_words++;
    }
}

/* Whether the next walk may be usual_walk(): it compares as if all words were in the own stack. */
static inline void usual_allow(const struct rt_walk *walk, struct walk_memory *memory)
{
    uintptr_t low = walk->stack_low + RED_ZONE;
    bool may = memory->known_count && !memory->elided && low < walk->stack_high &&
               memory->own_words >= memory->known[memory->known_count - 1].words;
    memory->usual_low = low;
    memory->usual_bytes = may ? walk->stack_high - low : 0;
}

/* Make the walk's outcome the last walk. */
static inline uint32_t run_keep(struct run *run, enum walk_end end)
{
    struct walk_memory *memory = run->memory;
    struct rt_walk *walk = run->walk;
    uint32_t words = 0, depth = run->depth + run->steps;
    uint8_t flags = 0;
    if (__builtin_expect(end == WALK_MATCHED, 1)) {
        words = memory->known[run->depth - 1].words;
        flags = memory->known[run->depth - 1].flags;
    } else {
        flags = end == WALK_ENDED ? 0 : REC_STACK_CUT;
        memory->elided = end == WALK_FULL;
    }
    if (run->steps) {
        own_words_update(run, words, frames_append(run, words, flags));
        flags = memory->known[depth - 1].flags;
    }
    walk->depth = depth;
    walk->flags = flags;
    memory->known_count = end == WALK_REFUSED ? 0 : depth;
    usual_allow(walk, memory);
    return depth;
}

size_t rt_walk_bytes(uint32_t limit)
{
    size_t frame_bytes = sizeof(struct known_frame) + sizeof(struct step) +
                         WORDS_PER_STEP * sizeof(struct known_word);
    /* one frame more for the sentinel */
    return sizeof(struct walk_memory) + sizeof(struct known_frame) + (size_t)limit * frame_bytes;
}

void rt_walk_reset(struct rt_walk *walk, uint64_t seed)
{
    struct walk_memory *memory = walk->back_end;
    struct known_frame *sentinel = (struct known_frame *)(memory + 1);
    sentinel->sp = UINTPTR_MAX;
    memory->known = sentinel + 1;
    memory->step = (struct step *)(memory->known + walk->limit);
    memory->word = (struct known_word *)(memory->step + walk->limit);
    memory->known_count = 0;
    memory->own_words = 0;
    memory->elided = false;
    memory->usual_bytes = 0;
    walk->seed = seed;
    walk->depth = 0;
    walk->flags = 0;
}

void rt_unwind_forget_code(void)
{
    rt_rules_forget();
}

uintptr_t rt_unwind_frame(const struct rt_registers *registers)
{
    uintptr_t pc = registers->ip - !registers->exact;
    uint64_t rule = pc_is_usable(pc) ? rt_rule_find(pc, rt_rules_epoch()) : 0;
    switch (rt_rule_kind(rule)) {
    case RT_RULE_SP:
        return registers->sp + rt_rule_offset(rule);
    case RT_RULE_FP:
        return registers->fp + rt_rule_offset(rule);
    default:
        return 0;
    }
}

/*
 * The walk of usual_walk() out to where it meets the last one, NOW being its first frame.
 * Result:   the frame where they met, which NOW is too, and RET_STEPS that were taken; or NULL.
 */
static inline __attribute__((always_inline)) READS_STACKS const struct known_frame *
usual_meet(const struct walk_memory *memory, const struct step *full, struct state *now,
           struct step **ret_step)
{
    const struct known_frame *known = memory->known + memory->known_count - 1;
    const uintptr_t top = memory->usual_low + memory->usual_bytes;
    const uint64_t epoch = rt_rules_epoch();
    const struct known_word *holds_to = NULL; /* words before it hold; NULL: not compared yet */
    for (struct step *step = memory->step;; step++) {
        while (known->sp < now->sp) {
            known--;
        }
        if (known_is(known, now)) {
            const struct known_word *end = memory->word + known->words;
            holds_to = holds_to ? holds_to : words_compare(memory->word, end);
            if (__builtin_expect(end <= holds_to, 1)) {
                *ret_step = step;
                return known;
            }
        }
        uint64_t rule = rt_rule_find(now->pc, epoch);
        uintptr_t base = rt_rule_kind(rule) == RT_RULE_SP ? now->sp : now->fp;
        uintptr_t cfa = base + rt_rule_offset(rule), slot = rt_rule_slot(rule);
        if (__builtin_expect(step == full || rt_rule_kind(rule) > RT_RULE_FP, 0) ||
            __builtin_expect(cfa <= now->sp || cfa > top, 0)) {
            return NULL;
        }
        *step = (struct step){.key = now->key, .sp = now->sp, .fp = now->fp, .rule = rule};
        uintptr_t fp = word_at(slot ? cfa - 8 * slot : (uintptr_t)&step->fp);
        *now = state_of(word_at(cfa - 8), cfa, fp);
        if (__builtin_expect(!pc_is_usable(now->pc), 0)) {
            return NULL;
        }
    }
}

/*
 * Put the frames that were walked, in memory->step before STEP, behind MET, to which the last of
 * them led in the state NOW.
 */
static inline __attribute__((always_inline)) void usual_keep(struct rt_walk *walk,
                                                             const struct known_frame *met,
                                                             const struct step *step,
                                                             struct state now)
{
    struct walk_memory *memory = walk->back_end;
    struct known_frame *known = memory->known + (met - memory->known) + 1;
    struct rt_frame *frame = walk->frame + (met - memory->known) + 1;
    struct known_word *word = memory->word + met->words;
    uint64_t hash = frame[-1].hash;
    bool needs_fp = met->needs_fp;
    const uint8_t flags = met->flags;
    while (step-- != memory->step) {
        uintptr_t slot = rt_rule_slot(step->rule);
        *word++ = (struct known_word){now.sp - 8, now.key};
        if (needs_fp && slot) {
            *word++ = (struct known_word){now.sp - 8 * slot, now.fp};
            needs_fp = false;
        }
        needs_fp |= rt_rule_kind(step->rule) == RT_RULE_FP;
        now = (struct state){.key = step->key, .sp = step->sp, .fp = step->fp};
        *known++ = (struct known_frame){.sp = now.sp,
                                        .fp = now.fp,
                                        .key = now.key,
                                        .words = (uint32_t)(word - memory->word),
                                        .needs_fp = needs_fp,
                                        .flags = flags};
        hash = rt_hash_step(hash, now.key);
        *frame++ = (struct rt_frame){.key = now.key, .hash = hash};
    }
    memory->own_words = (uint32_t)(word - memory->word);
    memory->known_count = walk->depth = (uint32_t)(known - memory->known);
    walk->flags = flags;
}

/*
 * What nearly every walk is: on the own stack, by rules on sp and fp alone, until it meets the last
 * one. What run_walk() asks at each step, beyond that, was settled when the last walk was kept.
 * Result:   false: it is not that kind, and the last walk is as it was.
 */
static inline __attribute__((always_inline)) READS_STACKS bool
usual_walk(struct rt_walk *walk, const struct rt_registers *registers)
{
    const struct walk_memory *memory = walk->back_end;
    if (__builtin_expect(registers->sp - memory->usual_low >= memory->usual_bytes, 0)) {
        return false;
    }
    struct state now = state_of(registers->ip, registers->sp, registers->fp);
    struct step *step;
    const struct known_frame *met = usual_meet(memory, memory->step + walk->limit, &now, &step);
    if (__builtin_expect(!met || (met - memory->known) + (step - memory->step) >= walk->limit, 0)) {
        return false;
    }
    usual_keep(walk, met, step, now);
    return true;
}

static __attribute__((noinline)) uint32_t unusual_walk(struct rt_walk *walk,
                                                       const struct rt_registers *registers)
{
    struct run run = {
        .walk = walk,
        .memory = walk->back_end,
        .now = state_first(registers),
        .exact = registers->exact,
        .start_sp = registers->sp,
        .epoch = rt_rules_epoch(),
        .changed = UINT32_MAX,
    };
    enum walk_end end = run_walk(&run);
    if (__builtin_expect(end == WALK_SLOW, 0)) {
        run.memory->known_count = 0;
        run.memory->usual_bytes = 0;
        return rt_unwind_libgcc(walk, registers);
    }
    return run_keep(&run, end);
}

READS_STACKS uint32_t rt_unwind(struct rt_walk *walk, const struct rt_registers *registers)
{
    return usual_walk(walk, registers) ? walk->depth : unusual_walk(walk, registers);
}
