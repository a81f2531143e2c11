/*
 * process.h -- which process this is, and what only set-up can tell about its threads.
 *
 * Context: hot.
 */
#ifndef THAG_RT_PROCESS_H
#define THAG_RT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

struct rt_thread;

struct rt_process {
    uint32_t pid;
    uint32_t start_tid; /* the thread that began the recording */
    /* A word that reads 1 in the process that set it and 0 in each forked child of it, however the
     * child was made. NULL: the kernel cannot do that, then pids are compared. */
    volatile uint32_t *ours;
    /* The calling thread's own stack; 0, 0 if it cannot be told. Set by setup/. */
    void (*find_stack)(uintptr_t *ret_low, uintptr_t *ret_high);
    /* Have rt_thread_release() called for THREAD when the calling thread ends. Set by setup/. */
    void (*watch_thread_end)(struct rt_thread *thread);
};

extern struct rt_process rt_process __attribute__((visibility("hidden")));

/* The word `ours`, or one that reads 1 for ever where the kernel has no such word. */
const volatile uint32_t *rt_process_mark(void);

/* False in a forked child that has not begun its own recording. */
bool rt_process_is_ours(void);

void rt_process_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high);
void rt_process_watch_thread_end(struct rt_thread *thread);

#endif
