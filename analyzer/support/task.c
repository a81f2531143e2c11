/*
 * task.c -- what long work tells of its progress.
 */
#include "analyzer/support/task.h"

#include <stddef.h>

static _Thread_local struct an_task *task_current;

void an_task_enter(struct an_task *task)
{
    task_current = task;
}

struct an_task *an_task_current(void)
{
    return task_current;
}

/* The three need not fit together to the unit: they are for a line that is shown for an instant. */
void an_task_step(const char *what, uint64_t done, uint64_t total)
{
    if (!task_current)
        return;
    atomic_store_explicit(&task_current->done, done, memory_order_relaxed);
    atomic_store_explicit(&task_current->total, total, memory_order_relaxed);
    atomic_store_explicit(&task_current->what, what, memory_order_release);
}

bool an_task_is_wanted(void)
{
    return !task_current || !atomic_load_explicit(&task_current->unwanted, memory_order_relaxed);
}
