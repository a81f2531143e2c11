/*
 * exit.c -- the doors that run no exit handlers.
 *
 * A child of vfork() leaves by _exit() while it shares our memory: the recorder compares pids.
 */
#include "preload/hook.h"
#include "runtime/os/os.h"
#include "runtime/setup/lifecycle.h"

PL_EXPORT _Noreturn void _exit(int status);
PL_EXPORT _Noreturn void _Exit(int status);

void _exit(int status)
{
    rt_lifecycle_end(REC_END_EXIT, status);
    os_process_exit(status);
}

void _Exit(int status)
{
    rt_lifecycle_end(REC_END_EXIT, status);
    os_process_exit(status);
}
