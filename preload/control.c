/*
 * control.c -- what a program may tell the recorder, or ask it, while it runs.
 */
#include <stddef.h>

#include "preload/marks.h"
#include "runtime/hot/pause.h"
#include "runtime/setup/snapshot.h"

PL_EXPORT int thag_library_is_profiling(void);
PL_EXPORT void thag_library_ignore(int change);
PL_EXPORT void thag_library_switch(int on);
PL_EXPORT int thag_library_snapshot(void);

int thag_library_is_profiling(void)
{
    return rt_gate_read() == &rt_gate_open && !rt_pause_is_on();
}

void thag_library_switch(int on)
{
    if (on) {
        rt_pause_start();
    } else {
        rt_pause_stop();
    }
}

int thag_library_snapshot(void)
{
    return rt_snapshot_take();
}

void thag_library_ignore(int change)
{
    struct rt_thread *thread = pl_thread_get(PL_CALLER_SP());
    if (thread) {
        thread->ignored += (uint32_t)change;
    }
}
