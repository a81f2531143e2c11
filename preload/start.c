/*
 * start.c -- the library's own start, and the ordinary ways out.
 *
 * Most programs have allocated before any constructor runs, so the recorder has begun by now; one
 * that has not begins here.
 */
#include <stddef.h>
#include <stdlib.h>

#include "preload/bypass.h"
#include "preload/hook.h"
#include "preload/real_places.h"
#include "preload/threads.h"
#include "runtime/setup/lifecycle.h"

extern int __cxa_atexit(void (*function)(void *), void *argument, void *dso);

static void at_exit(void *argument)
{
    (void)argument;
    rt_lifecycle_end(REC_END_RETURN, 0);
}

static void at_quick_end(void)
{
    rt_lifecycle_end(REC_END_QUICK, 0);
}

/* Registered for no library in particular, and before the program's first own line: so it runs
 * after all exit handlers and after the destructors of other libraries, which still allocate. A
 * destructor of ours would run too early. */
static __attribute__((constructor)) void start(void)
{
    struct rt_thread *thread;
    pl_real_find_places();
    if (pl_hook_enter((uintptr_t)__builtin_frame_address(0), &thread) == PL_RECORD) {
        pl_hook_leave(thread);
    }
    pl_bypass_tell();
    pl_threads_watch_forks();
    __cxa_atexit(at_exit, NULL, NULL);
    at_quick_exit(at_quick_end);
}
