/*
 * thread_state.h -- what the recorder keeps per thread, and the way into and out of a hook.
 *
 * Thread-local storage of a preloaded library is carved out of every thread's stack, so it is two
 * words: a pointer to the state, and the guard. The state's first word points to one that the
 * kernel zeroes in forked children, which is how a child finds out that it is one. The state itself
 * is left to the child: if the fork came from a handler inside a hook, the hook goes on with it.
 *
 * A state belongs to one slot of the recording and is kept when its thread ends: the next thread
 * of that name takes it over and adds on top.
 *
 * The guard holds the frame address of the hook that is being run, 0 outside. A second hook that
 * finds it taken is nested: it belongs to the allocator, or to a signal handler that interrupted
 * the hook. If its own frame does not lie further in than the guard's on the same stack, the hook
 * that took the guard no longer exists -- a handler jumped out of it -- and the guard is taken
 * over.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_THREAD_STATE_H
#define THAG_RT_THREAD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/format/recording_format.h"
#include "runtime/hot/call_gate.h"
#include "runtime/hot/call_tree.h"
#include "runtime/hot/unwind.h"

#define rt_likely(x)   __builtin_expect(!!(x), 1)
#define rt_unlikely(x) __builtin_expect(!!(x), 0)

/* Counter pages of a slot, reached through two levels of pointers in private memory. */
enum { RT_COUNTER_DIRECTORY = 512, RT_COUNTER_TOP = 256 };

/* Merged events of a slot by stack, two levels likewise. */
enum { RT_MERGED_TOP = RT_COUNTER_TOP * REC_COUNTERS_PER_PAGE };

/* The size that was allocated last and is not counted yet: where it will be. */
struct rt_size_note {
    uint64_t *count;   /* NULL: none */
    uint64_t *largest; /* NULL: it cannot be the largest */
    uint64_t bytes;
};

struct rt_sampler;
struct rt_recall;
struct rt_guard;
struct rt_task;

/* The root of the thread's stacks, see call_roots.h. */
struct rt_root_place {
    uint32_t count;        /* roots that are open; 0: no root, the rest is void */
    bool frameless;        /* the outermost one has no frame of its own */
    uintptr_t guard;       /* of the outermost one */
    uintptr_t site;        /* its return address */
    struct rt_guard *last; /* entered last, until its words are known */
};

struct rt_thread {
    const volatile uint32_t *ours; /* reads 1; 0 in a forked child, for good */
    uint32_t slot;
    uint32_t tid;
    uint32_t map_epoch;        /* of the address map that the walk is valid for */
    uintptr_t last_block;      /* this thread's last allocation, 0: freed since */
    int64_t pending_bytes;     /* not yet added to the global live bytes */
    uint32_t moment_countdown; /* events until the next point of the timeline */
    uint32_t ignored;          /* above 0: allocations are not booked */
    struct rt_root_place root;
    struct rt_task *task;        /* entered last, NULL: none; then calls are the task's */
    bool event_wanted;           /* the last walk was for an event of its own */
    bool passed_by_section;      /* what is passed on goes to its function at least */
    uintptr_t passed_site;       /* see rt_calls_heap_stack(); 0: nothing is passed on */
    const struct rec_call *sections_from; /* the innermost call that is booked; NULL: no section is
                                             open from there outwards */
    struct rt_frame *cut_frames;          /* memory of call_cut.c */
    uint32_t end_rounds;         /* times that the end-of-thread destructor has run */
    struct rec_counter **counters[RT_COUNTER_TOP];
    struct rt_size_note size_note;
    uint64_t histogram_next, histogram_end;     /* file offsets: free units */
    struct rec_event *event_next, *merged_next; /* free places */
    uint32_t event_left, merged_left;
    uint32_t event_pages;          /* of the current extent */
    struct rec_event ***merged[2]; /* of allocations and of frees */
    struct rec_thread *record;
    struct rt_thread *next_free;
    struct rt_thread *next_known; /* all states there are, see rt_threads_first() */
    bool has_thread;              /* not waiting for one */
    struct rt_sampler *sampler;   /* NULL: never sampled */
    struct rt_walk walk;
    struct rt_recall *recall; /* of stacks that WALK has gone */
    struct rt_calls calls __attribute__((aligned(64)));
};
_Static_assert(offsetof(struct rt_calls, spans.least) == 56, "a hook reads one line of it");

struct rt_tls {
    struct rt_thread *thread;
    uintptr_t guard;
};

extern __thread struct rt_tls rt_tls
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/*
 * One compare decides in every other hook whether there is anything to do. The gate is a pointer
 * whose initial value needs a relocation: before our own relocation it equals none of the marks
 * below (the linker leaves an addend in place, so a null test would not do), and nothing may be
 * called and no thread-local be read then. The marks are declared hidden, not only defined so: else
 * the compiler reads their addresses from the GOT, which before our relocation holds the same
 * addends as the gate.
 */
struct rt_gate_mark {
    char unused;
};
#define RT_GATE_MARK extern __attribute__((visibility("hidden"))) const struct rt_gate_mark
RT_GATE_MARK rt_gate_starting; /* relocated, but the recorder has not begun */
RT_GATE_MARK rt_gate_open;     /* recording */
RT_GATE_MARK rt_gate_off;      /* not recording: asked not to, or ended */
RT_GATE_MARK *rt_gate;

static inline const struct rt_gate_mark *rt_gate_read(void)
{
    return __atomic_load_n(&rt_gate, __ATOMIC_ACQUIRE);
}

/* The function hooks' gate, which may be shut alone, goes with it. */
static inline void rt_gate_set(const struct rt_gate_mark *mark)
{
    __atomic_store_n(&rt_gate, mark, __ATOMIC_RELEASE);
    rt_call_gate_set(mark == &rt_gate_open);
}

/* False for the state of a process that this one was forked from. */
static inline bool rt_thread_is_ours(const struct rt_thread *thread)
{
    return *thread->ours != 0;
}

/*
 * Into a hook, the short way.
 * Inputs:   FRAME is the hook's __builtin_frame_address(0).
 * Result:   the thread's state, with the guard taken; NULL: ask rt_thread_enter_slowly().
 */
static inline struct rt_thread *rt_thread_enter(uintptr_t frame)
{
    if (rt_unlikely(rt_gate_read() != &rt_gate_open)) {
        return NULL;
    }
    struct rt_thread *thread = rt_tls.thread;
    if (rt_unlikely(!thread || rt_tls.guard || !rt_thread_is_ours(thread))) {
        return NULL;
    }
    rt_tls.guard = frame;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return thread;
}

static inline void rt_thread_leave(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    rt_tls.guard = 0;
}

/* Why rt_thread_enter_slowly() gave no state. */
enum rt_entry {
    RT_ENTRY_TAKEN,  /* the state is there, the guard taken */
    RT_ENTRY_NESTED, /* inside a hook already: pass through */
    RT_ENTRY_FORKED, /* the process is a forked child: the recorder must begin again */
    RT_ENTRY_NONE,   /* no memory for a state: pass through */
};

/*
 * Into a hook, when the short way gave NULL and the gate is open: makes the state of a new thread,
 * takes over a dead guard, notices a fork.
 * Result:   RT_ENTRY_TAKEN with RET_THREAD set, or why not.
 */
enum rt_entry rt_thread_enter_slowly(uintptr_t frame, struct rt_thread **ret_thread);

/*
 * A thread's end: its state goes back. Tolerates that there is none.
 * The guard must be taken by the caller with rt_tls.guard.
 */
void rt_thread_release(struct rt_thread *thread);

/* True for the last thing that runs in a thread: the state was given back already. A hook that
 * comes later takes a state for one event and gives it back. */
bool rt_thread_is_ended(void);
void rt_thread_mark_ended(void);

/* A slot that is no thread's, for tasks of that name. NULL: there is no room. */
struct rec_thread *rt_threads_slot_for_tasks(const char *name, uint32_t tid, uint32_t *ret_slot);

/* Begin anew: no states, nobody has the lock. For the start and for a forked child. */
void rt_threads_reset(void);

/* All states that were made, the last one first; those are never given back to the system. */
struct rt_thread *rt_threads_first(void);

/* Threads that have a state now, and whether there was ever more than one. */
extern uint32_t rt_threads_alive __attribute__((visibility("hidden")));
extern bool rt_threads_were_many __attribute__((visibility("hidden")));

#endif
