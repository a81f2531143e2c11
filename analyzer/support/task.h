/*
 * task.h -- what long work tells of its progress, and how it learns that nobody wants it any more.
 *
 * Whoever waits for work that a thread does makes a task and looks at it from another thread; the
 * work says how far it is and asks whether to go on, without knowing who waits, if anybody does.
 * That spares every function on the way a parameter.
 *
 * Context of all functions: tool, any thread.
 */
#ifndef THAG_AN_TASK_H
#define THAG_AN_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero is a task that is wanted and has not begun. */
struct an_task {
    atomic_bool unwanted;
    _Atomic(const char *) what; /* a literal, as in "naming functions"; NULL: nothing was told */
    _Atomic uint64_t done;
    _Atomic uint64_t total; /* 0: not known, and DONE is bytes */
};

/* This thread works for TASK, which has to live until the next call; NULL: for nobody. */
void an_task_enter(struct an_task *task);

/* The task that this thread works for, or NULL. */
struct an_task *an_task_current(void);

/* Tell how far the work is. WHAT has to be a literal. */
void an_task_step(const char *what, uint64_t done, uint64_t total);

/* False if the work should end as soon as it can, with -ECANCELED. */
bool an_task_is_wanted(void);

#endif
