/*
 * thread_attributes.c -- pthread_getattr_np(): libc allocates for its answer while it holds the
 * lock of the thread that it is asked about.
 *
 * The first hook of a thread asks the same function for the bounds of the thread's stack. If that
 * hook were libc's own allocation here, the thread would wait for itself for ever: Java's threads
 * begin with this call. So a thread that asks has its state first.
 */
#include <pthread.h>

#include "preload/hook.h"
#include "preload/real_places.h"

PL_EXPORT int pthread_getattr_np(pthread_t thread, pthread_attr_t *ret_attributes);

PL_REAL_PLACE(pthread_getattr_np);

int pthread_getattr_np(pthread_t thread, pthread_attr_t *ret_attributes)
{
    struct rt_thread *state;
    /* With the guard taken it is the recorder that asks, or a handler inside a hook. */
    if (rt_tls.guard == 0 &&
        pl_hook_enter((uintptr_t)__builtin_frame_address(0), &state) == PL_RECORD) {
        pl_hook_leave(state);
    }
    return PL_REAL(pthread_getattr_np)(thread, ret_attributes);
}
