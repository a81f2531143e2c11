/*
 * tasks.c -- tasks of the program's own scheduling.
 */
#include <stddef.h>

#include "preload/marks.h"
#include "runtime/hot/call_tasks.h"

PL_EXPORT struct thag_task *thag_library_task_create(const char *name);
PL_EXPORT void thag_library_task_enter(struct thag_task *task);
PL_EXPORT void thag_library_task_leave(struct thag_task *task);
PL_EXPORT void thag_library_task_end(struct thag_task *task);

/* The calling thread, with a call tree; NULL: nothing is recorded. */
static struct rt_thread *thread_get(uintptr_t sp)
{
    return pl_calls_get(sp) ? rt_tls.thread : NULL;
}

static struct rt_task *task_of(struct thag_task *task)
{
    return (struct rt_task *)(void *)task;
}

struct thag_task *thag_library_task_create(const char *name)
{
    struct rt_thread *thread = thread_get(PL_CALLER_SP());
    return thread ? (struct thag_task *)(void *)rt_task_create(thread, name ? name : "?") : NULL;
}

void thag_library_task_enter(struct thag_task *task)
{
    uintptr_t sp = PL_CALLER_SP();
    struct rt_thread *thread = thread_get(sp);
    if (thread) {
        rt_task_enter(thread, task_of(task), sp);
    }
}

void thag_library_task_leave(struct thag_task *task)
{
    uintptr_t sp = PL_CALLER_SP();
    struct rt_thread *thread = thread_get(sp);
    if (thread) {
        rt_task_leave(thread, task_of(task), sp);
    }
}

void thag_library_task_end(struct thag_task *task)
{
    uintptr_t sp = PL_CALLER_SP();
    struct rt_thread *thread = thread_get(sp);
    if (thread) {
        rt_task_end(thread, task_of(task), sp);
    }
}
