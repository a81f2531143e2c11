/*
 * call_tasks.h -- user-level tasks: work that is taken up and laid down on whatever thread.
 *
 * A task has a call tree of its own, in a slot of the recording that goes by the task's name; an
 * ended task's tree serves the next of that name, which adds on top. To enter a task is to exchange
 * the calls of the thread with the task's: what is open in it stays open, and no hook has to ask
 * whose tree it writes to. Signals are blocked for the exchange, for a handler must not find half
 * of each. What is booked on the heap goes to the slot of the thread, by stacks of the task.
 *
 * Always true: a task that is entered holds the calls which it replaced.
 *
 * Context of all functions: hot. THREAD is the caller's, with a call tree.
 */
#ifndef THAG_RT_CALL_TASKS_H
#define THAG_RT_CALL_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/hot/call_tree.h"

struct rt_task;
struct rt_thread;

/* NAME, up to 63 bytes of it, is copied. NULL: no room. */
struct rt_task *rt_task_create(struct rt_thread *thread, const char *name);

/* Nothing happens, but is noted, if the task is being run by somebody. SP is the caller's. */
void rt_task_enter(struct rt_thread *thread, struct rt_task *task, uintptr_t sp);

/* Also those that were entered since; nothing, but noted, if this thread does not run it. */
void rt_task_leave(struct rt_thread *thread, struct rt_task *task, uintptr_t sp);

/* Close what is open in it, and leave it first if this thread runs it. */
void rt_task_end(struct rt_thread *thread, struct rt_task *task, uintptr_t sp);

/* The thread leaves all tasks that it runs: it ends. */
void rt_tasks_leave(struct rt_thread *thread);

/* Lifetime: for ever. */
const char *rt_task_name(const struct rt_task *task);

/* Begin anew: tasks that were created before are none of this recording until they are entered. */
void rt_tasks_reset(void);

#endif
