/*
 * call_parts.h -- what the files of the call tree share among themselves.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_CALL_PARTS_H
#define THAG_RT_CALL_PARTS_H

#include "runtime/hot/call_tree.h"
#include "runtime/hot/unlocked.h"

/* Nodes from the root down to the deepest with children of their own. Deeper calls are folded. */
enum { RT_CALL_DEPTH_MAX = 1000 };

/* The child of PARENT for FUNCTION, made if it is new. NULL: there is no room. SP is as in
 * struct rt_call_hook. */
struct rec_call *rt_call_child_get(struct rt_calls *calls, struct rec_call *parent,
                                   uintptr_t function, uintptr_t sp);

/* Close NODE, which is the current one. */
void rt_call_close(struct rt_calls *calls, struct rec_call *node, uint64_t now);

/* A new node, not reached from anywhere. NULL: there is no room. */
struct rec_call *rt_call_node_new(struct rt_calls *calls, struct rec_call *parent,
                                  uintptr_t function, uintptr_t sp);

/* The thread is met on another stack than before. */
void rt_calls_change_stack(struct rt_calls *calls, uintptr_t sp);

/* The thread was switched since the last hook. NOW is the clock of an exit, 0 for an entry. */
void rt_calls_note_switch(struct rt_calls *calls, uint64_t now);

void rt_calls_pop_dead(struct rt_calls *calls, const struct rt_call_hook *hook, uintptr_t frame);

/* A node for the path of NODE, which is open already. NULL: there is no room. */
struct rec_call *rt_calls_twin(struct rt_calls *calls, struct rec_call *node, uintptr_t sp);

/* The innermost open node of a task that was laid down: that of its own stack, if it has one. */
struct rec_call *rt_calls_suspended(const struct rt_calls *calls);

/* Close what is open on the stack of the thread; on other stacks it stays as it is. */
void rt_calls_close_own(struct rt_calls *calls, uint64_t now);

/* The stack of the thread that runs CALLS from now on. */
void rt_calls_own_set(struct rt_calls *calls, uintptr_t low, uintptr_t high);

/* Close all open nodes of all stacks. */
void rt_calls_leave_at(struct rt_calls *calls, uint64_t now);

/* Close all open nodes of the current stack down to BASE, exclusive. */
void rt_calls_close_to(struct rt_calls *calls, const struct rec_call *base, uint64_t now);

/* A function or section that is marked in the source. */
static inline bool rt_call_is_mark(const struct rec_call *node)
{
    return (node->function & (REC_CALL_INSIDE | REC_CALL_NAMED)) != 0;
}

/* One beside the compiler's hook, no call of its own. */
static inline bool rt_call_is_attached(const struct rec_call *node)
{
    return node->function == REC_CALL_ATTACHED;
}

/* A section or task. */
static inline bool rt_call_is_section(const struct rec_call *node)
{
    return node->function & REC_CALL_NAMED && !rt_call_is_attached(node);
}

/* A section alone: a task is called by nobody. */
static inline bool rt_call_is_open_section(const struct rec_call *node)
{
    return rt_call_is_section(node) && node->site;
}

/* A tree's own beginning: no call. */
static inline bool rt_call_is_base(const struct rec_call *node)
{
    return node->function == REC_SPECIAL_THREAD || node->function == REC_SPECIAL_FIBRE;
}

/* The thread may be on another stack, or have been switched, since the last hook. */
void rt_calls_prepare(struct rt_calls *calls, uintptr_t sp, uint64_t now);

/* Where the frame of the hook's function begins; if its return address is not found, at least above
 * one. RET_WORDS is as rec_call.site_words. */
uintptr_t rt_calls_frame(const struct rt_calls *calls, const struct rt_call_hook *hook,
                         uint16_t *ret_words);

/* The same without a search, if it is where it was the last time. 0: it is not. */
uintptr_t rt_calls_frame_known(const struct rt_calls *calls, const struct rt_call_hook *hook,
                               uint16_t *ret_words);

/* RET_WORDS of a frame that begins at FRAME; UINT16_MAX: it is too large. */
uint16_t rt_calls_frame_words(const struct rt_call_hook *hook, uintptr_t frame);

/* The guard of an open mark; NULL: it cannot be told, then the mark has no flags. */
struct rt_guard;
const struct rt_guard *rt_call_guard(const struct rec_call *mark);

/* FRAME is where the frame of HOOK's function begins. */
static inline bool rt_call_is_dead(const struct rec_call *node, const struct rt_call_hook *hook,
                                   uintptr_t frame)
{
    return node->frame < frame ||
           (node->frame == frame &&
            (node->site != hook->site || node->hook_return == (uint32_t)hook->hook_return)) ||
           (node->site_words != UINT16_MAX && !rt_call_is_there(node));
}

/* At an exit: has the node's function been left before? */
static inline bool rt_call_is_left(uintptr_t node_frame, const struct rt_call_hook *hook)
{
    bool in_place_of_return = hook->hook_return == hook->site;
    return in_place_of_return ? node_frame < hook->sp : node_frame <= hook->sp;
}

/* The prefix hashes of a walk whose keys are set. */
struct rt_walk;
void rt_calls_hash(struct rt_walk *walk);

/* --- children behind the first four (call_hash.c) --- */

/* 0: none. */
uint32_t rt_call_hash_find(const struct rt_calls *calls, uint32_t parent, uintptr_t function,
                           uint32_t generation);

/* Make sure that there is room for one more. False: there is not. */
bool rt_call_hash_reserve(struct rt_calls *calls);
void rt_call_hash_put(struct rt_calls *calls, uint32_t parent, uintptr_t function,
                      uint32_t generation, uint32_t node);

/* --- calls too deep for nodes (call_deep.c) --- */

static inline bool rt_calls_are_deep(const struct rt_calls *calls)
{
    return calls->current == &calls->stack->deep;
}

/* The innermost node that is no deep call's. */
static inline struct rec_call *rt_calls_innermost(const struct rt_calls *calls)
{
    return rt_calls_are_deep(calls) ? rt_call_at(calls, calls->stack->deep.parent) : calls->current;
}

/* Enter a function below the last node that may have children. */
void rt_deep_enter(struct rt_calls *calls, const struct rt_call_hook *hook, uintptr_t frame);

/* Take off dead calls. False: none is left, and the current node is an ordinary one again. */
bool rt_deep_pop(struct rt_calls *calls, const struct rt_call_hook *hook, uintptr_t frame);

/* True: the exit was that of a deep call, and is done. False: it is not, nothing has changed. That
 * of a mark is told by its guard: HOOK's hook_return is as that of the mark's node. */
bool rt_deep_exit(struct rt_calls *calls, const struct rt_call_hook *hook, uint64_t now);

/* Leave all deep calls of the current stack. */
void rt_deep_leave(struct rt_calls *calls, uint64_t now);

/* The node that the time of the innermost deep call goes to. A mark's leads to its guard. */
struct rec_call *rt_deep_node(const struct rt_calls *calls);

/* The same of the open deep call of a mark's guard. NULL: there is none, or no node for it. */
struct rec_call *rt_deep_mark(const struct rt_calls *calls, const struct rt_call_hook *hook);

/* Has the compiler's hook opened CALL for the function of the guard that is entered? */
struct rt_guard_entry;
bool rt_guard_is_hooked(const struct rt_guard_entry *entry, const struct rec_call *call);

/* Where that function's frame begins, of which the hook says HOOKS: it may have found a copy of the
 * return address instead, which is not above the guard. */
uintptr_t rt_guard_frame(const struct rt_calls *calls, const struct rt_guard_entry *entry,
                         uintptr_t hooks);

/* The frame of the guard's function, if the hook has opened it as a deep call, put right; else 0.
 */
uintptr_t rt_deep_frame(const struct rt_calls *calls, const struct rt_guard_entry *entry);

/* Is that function, whose frame begins at FRAME, open as a deep call? RET_OTHER: by this mark, or
 * NULL, by the compiler's hook. */
bool rt_deep_is_open(const struct rt_calls *calls, const struct rt_guard_entry *entry,
                     uintptr_t frame, const struct rt_guard **ret_other);

#endif
