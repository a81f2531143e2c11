/*
 * threads.h -- what libpthread tells about threads: their stacks and their ends.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_THREADS_H
#define THAG_RT_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* Set rt_process.find_stack, which asks ATTRIBUTES, libc's pthread_getattr_np(), and
 * .watch_thread_end. Called by the thread that starts. */
void rt_threads_watch(int (*attributes)(pthread_t, pthread_attr_t *));

/*
 * Memory for libpthread's own short-lived allocations while it answers us: they are neither the
 * program's nor to be seen by its allocator. The guard holds the scratch's address plus one.
 */
struct rt_scratch {
    size_t used;
    char bytes[2032] __attribute__((aligned(16)));
};

/* The scratch that GUARD names; NULL: it is a frame address. */
static inline struct rt_scratch *rt_scratch_of(uintptr_t guard)
{
    return guard & 1 ? (struct rt_scratch *)(guard - 1) : NULL;
}

/* From the scratch; NULL if it is full. */
void *rt_scratch_take(struct rt_scratch *scratch, size_t bytes);

#endif
