/*
 * call_tree.h -- the time of every call, from the two hooks that the compiler puts into a function.
 *
 * A node of the call tree is the entry of the shadow stack too (struct rec_call): entering finds
 * the child of the current node, leaving goes to its parent. Two clock reads are most of the cost;
 * all else runs in their shadow. Entry reads the clock last, exit first.
 *
 * Which nodes are open follows from where frames begin, not from the exit hooks having run:
 * longjmp(), a child of vfork(), exceptions in clang's code and other ways out run none. A frame
 * begins above its return address, which is the hook's second argument: it is looked for on the
 * stack, and found where it was the last time. The stack pointer at the hook's call alone would not
 * do: of two functions called in turn the second may have the larger frame.
 *   dead      a node whose frame begins below that of the function that is entered now, or not
 *             above the stack pointer of the one that is left; or whose return address is no longer
 *             where it was: it cannot be there any more.
 *   entry     takes dead nodes off, and those whose frame begins where the new one does: there the
 *             call site differs, or it is the same hook again. Same place, same site and another
 *             hook is a function inlined into the current one.
 *   exit      takes the innermost node of its function and call site that is not dead. A hook that
 *             was called in place of a return (its return address is the call site) runs where the
 *             frame has been. No such node: nothing happens.
 *
 * Frame addresses are comparable within one stack. A thread has a place in the tree for each stack
 * that it is met on: its own, alternate signal stacks (what runs there is called by what was
 * interrupted), and fibres (under REC_SPECIAL_FIBRE).
 *
 * No guard: a handler may interrupt a hook at any instruction and run hooks itself. Whatever it
 * opens it closes, so the interrupted hook finds the current node as it was. It fills in a node
 * only after it has made it the current one; a node that is not open has a frame above all, so it
 * never looks dead. New nodes are published by one store.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_CALL_TREE_H
#define THAG_RT_CALL_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/format/recording_format.h"
#include "runtime/hot/call_spans.h"
#include "runtime/hot/clock.h"

#define RT_FRAME_NONE UINTPTR_MAX

struct rt_call_hash;
struct rt_site;
struct rt_deep_call;
struct rt_thread;

enum rt_stack_kind { RT_STACK_OWN, RT_STACK_SIGNAL, RT_STACK_FIBRE };

/* One stack that a thread has been met on, and where it was in the tree when it left it. */
struct rt_call_stack {
    uintptr_t low, high;
    enum rt_stack_kind kind;
    uint32_t number; /* in the spans of its calls: 0 for the own stack and what interrupts it */
    struct rec_call *current;
    struct rec_call *base;        /* popping stops here */
    struct rec_call *deep_marker; /* see call_deep.h */
    uint64_t uncounted_depth;
    uintptr_t uncounted_sp;
    struct rec_call deep; /* stands for the current node while calls are too deep for nodes */
};

/* The call tree of one slot, as its thread sees it. All zero: no tree. */
struct rt_calls {
    struct rec_call *current;    /* NULL: no tree yet, or a forked child */
    uintptr_t low, bytes;        /* of the stack that current belongs to */
    char *memory;                /* node numbers count from here in units of REC_CALL_BYTES */
    volatile uint64_t *switched; /* holds rt_call_mark until the kernel has switched threads */
    struct rec_thread *record;
    const struct rec_call *base; /* that of the stack; it may lie on another one */
    struct rt_spans spans;       /* its first word ends the cache line of all that hooks read */
    struct rt_call_stack *stack; /* the one that current belongs to */
    struct rec_call *root;
    uint64_t room;             /* nodes left << 32 | the next one */
    uintptr_t refilling;       /* frame of the hook that gets more room, 0: none */
    uint64_t node_count;       /* room ever got */
    struct rt_call_hash *hash; /* children behind the first four */
    struct rt_deep_call *deep_calls;
    uint32_t deep_count, deep_limit;
    struct rt_call_stack *deep_owner; /* the stack whose calls they are */
    struct rt_call_stack own;
    struct rt_call_stack *others; /* made with the second stack */
    uint32_t other_count;
    uint32_t *hints;          /* frame address to others */
    uint64_t wall_ns, cpu_ns; /* when the thread was last seen to have been switched */
    uint64_t paused_ticks;    /* rt_pause_ticks() that its open calls have been moved by */
    bool has_marks;           /* a mark was ever open */
    bool is_task;             /* see call_tasks.h */
    struct rec_call *kept;    /* the last call with the flag test that has ended; NULL: none */
    const struct rt_site *kept_site;
    uint64_t unwatched; /* stands in for the kernel's word where there is none */
    uint32_t slot, tid;
};

/* One call of a hook. */
struct rt_call_hook {
    uintptr_t function, site; /* the arguments */
    uintptr_t sp;             /* the function's stack pointer when it called the hook */
    uintptr_t hook_return;
};

/* What a thread's rseq_cs word holds until it is switched; see call_switch.c. */
extern uint64_t rt_call_mark RT_HIDDEN;

/* A clock went backwards, or a call's start was not noted: NODE's call counts 0 ticks. */
void rt_calls_step_back(struct rec_call *node);

static inline struct rec_call *rt_call_at(const struct rt_calls *calls, uint32_t number)
{
    return (struct rec_call *)(void *)(calls->memory + ((uint64_t)number << REC_CALL_SHIFT));
}

static inline uint32_t rt_call_number(const struct rt_calls *calls, const struct rec_call *node)
{
    return (uint32_t)((uintptr_t)((const char *)node - calls->memory) >> REC_CALL_SHIFT);
}

/* The low half of a child word: differs when another module lies at the same address. */
static inline uint32_t rt_call_key(uintptr_t function, uint32_t generation)
{
    return (uint32_t)function + generation;
}

/* One of the first four children; NULL: none of them. An empty word leads to number 0, which is no
 * node and has no function's address where a node has one. */
static inline struct rec_call *rt_call_child(const struct rt_calls *calls,
                                             const struct rec_call *node, uintptr_t function,
                                             uint32_t generation)
{
    uint32_t key = rt_call_key(function, generation);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        uint64_t word = node->child[i];
        if ((uint32_t)word == key) {
            struct rec_call *child = rt_call_at(calls, (uint32_t)(word >> 32));
            if (__builtin_expect(child->function == function, 1)) {
                return child;
            }
        }
    }
    return NULL;
}

/* Is the return address of an open node still there? A root has none. */
static inline bool rt_call_is_there(const struct rec_call *node)
{
    return node->frame == RT_FRAME_NONE || *((const uintptr_t *)node->frame - 1) == node->site;
}

/* False: another stack than before, or the thread was switched meanwhile, or there is no tree. */
static inline bool rt_calls_are_ready(const struct rt_calls *calls, uintptr_t sp)
{
    return __builtin_expect(sp - calls->low < calls->bytes, 1) &&
           __builtin_expect(*calls->switched == rt_call_mark, 1);
}

/* Make NODE, which is not open, the open current one. The clock is read behind this. */
static inline __attribute__((always_inline)) void rt_call_open(struct rt_calls *calls,
                                                               struct rec_call *node,
                                                               struct rt_call_hook hook,
                                                               uintptr_t frame)
{
    __atomic_store_n(&calls->current, node, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    node->frame = frame;
    node->site = hook.site;
    node->hook_return = (uint32_t)hook.hook_return;
    node->calls++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* NODE, which is the current one, has ended after TICKS. */
static inline __attribute__((always_inline)) void
rt_call_credit(struct rt_calls *calls, struct rec_call *node, uint64_t ticks)
{
    node->start = REC_CALL_NO_START;
    node->inclusive += ticks;
    if (ticks < node->shortest) {
        node->shortest = ticks;
    }
    if (ticks > node->longest) {
        node->longest = ticks;
    }
    node->frame = RT_FRAME_NONE;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&calls->current, rt_call_at(calls, node->parent), __ATOMIC_RELAXED);
}

/*
 * A function is entered, the short way: a known child, nothing dead, a plain counter for a clock.
 * No call in it, so that a hook needs no register saved.
 * Result:   false: nothing was done, take the long way.
 */
static inline __attribute__((always_inline)) bool
rt_call_enter(struct rt_calls *calls, struct rt_call_hook hook, uint32_t generation)
{
    if (!rt_calls_are_ready(calls, hook.sp)) {
        return false;
    }
    const struct rec_call *current = calls->current;
    struct rec_call *node = rt_call_child(calls, current, hook.function, generation);
    if (__builtin_expect(!node || node->frame != RT_FRAME_NONE, 0)) {
        return false;
    }
    uintptr_t frame = hook.sp + (node->site_words + UINT64_C(1)) * sizeof(uintptr_t);
    if (__builtin_expect(current->frame <= frame, 0) &&
        (current->frame < frame || current->site != hook.site ||
         current->hook_return == (uint32_t)hook.hook_return)) {
        return false;
    }
    /* What lies further in than an open frame of the same stack can be read. */
    if (__builtin_expect(current == calls->base, 0)) {
        __atomic_signal_fence(
            __ATOMIC_ACQUIRE); /* so that no register keeps the bounds till here */
        if (frame - calls->low > calls->bytes) {
            return false;
        }
    }
    const uintptr_t *place = (const uintptr_t *)frame - 1;
    if (__builtin_expect(*place != hook.site || !rt_call_is_there(current), 0)) {
        return false;
    }
    rt_call_open(calls, node, hook, frame);
    node->start = rt_clock_ticks();
    return true;
}

/* The current node is left, after a call that is to have a span or that seems to have ended before
 * it began. A hook does nothing behind it, so that it is a jump there. */
void rt_call_exit_kept(struct rt_calls *calls, struct rec_call *node, uint64_t now);

/* A function is left, the short way; likewise. */
static inline __attribute__((always_inline)) bool
rt_call_exit(struct rt_calls *calls, struct rt_call_hook hook, uint64_t now)
{
    if (!rt_calls_are_ready(calls, hook.sp)) {
        return false;
    }
    struct rec_call *node = calls->current;
    if (__builtin_expect(node->function != hook.function || node->site != hook.site ||
                             node->frame <= hook.sp,
                         0)) {
        return false;
    }
    uint64_t ticks = now - node->start;
    if (__builtin_expect(ticks >= calls->spans.least, 0)) {
        rt_call_exit_kept(calls, node, now);
        return true;
    }
    rt_call_credit(calls, node, ticks);
    calls->record->last_ticks = now;
    return true;
}

/* The long ways, for any clock. */
void rt_calls_enter(struct rt_calls *calls, const struct rt_call_hook *hook);
void rt_calls_exit(struct rt_calls *calls, const struct rt_call_hook *hook, uint64_t now);

/* --- set-up and ends --- */

/* Give the thread its tree, or bring it up to date with the thread that has taken the slot over.
 * False: no room for one. */
bool rt_calls_begin(struct rt_thread *thread);

/* A tree for tasks, in a slot of its own that goes by NAME. CALLS is zeroed. */
bool rt_calls_begin_task(struct rt_calls *calls, const char *name, const struct rt_thread *thread);

/* Nothing of this thread is open any more. */
void rt_calls_leave(struct rt_calls *calls);

/* All threads take the long way at their next hook: the recording has gone on. */
void rt_calls_alert(void);

/* CALLS are the calling thread's from now on: what it knows of the kernel's switches is void. */
void rt_calls_take_over(struct rt_calls *calls);

/* Move the starts of all open calls by the time that the recording has stood still since the last
 * time. False: it has not. */
bool rt_calls_catch_up(struct rt_calls *calls);

/* The thread ends: the same, and its next hook begins anew. */
void rt_calls_end(struct rt_calls *calls);

/*
 * The stack that heap use by a function whose stack pointer is SP is booked on: the functions that
 * are open. DETAIL: single events are recorded, with their stacks.
 * Result:   a stack id, or 0 if no function is open or the innermost mark wants whole stacks: then
 *           the stack must be walked.
 */
uint32_t rt_calls_heap_stack(struct rt_thread *thread, uintptr_t sp, bool detail);

/* True: behind that, what is walked is not to be taken whole. */
#define rt_calls_cut(thread)                                                                       \
    ((thread)->root.count || (thread)->passed_site || (thread)->sections_from)

/* The walked stack as heap use is booked on it: below the thread's root, without the marks inside
 * that record no memory, and with the sections that are open. */
uint32_t rt_calls_cut_stack(struct rt_thread *thread);

/* A calls structure over MEMORY of COUNT zeroed nodes, number 0 unused, that no recording knows of:
 * for calibration. RECORD receives what a slot's would. */
void rt_calls_begin_apart(struct rt_calls *calls, struct rec_call *memory, uint32_t count,
                          struct rec_thread *record);

#endif
