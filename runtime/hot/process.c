/*
 * process.c -- which process this is.
 */
#include "runtime/hot/process.h"

#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

struct rt_process rt_process;

const volatile uint32_t *rt_process_mark(void)
{
    static const uint32_t always = 1;
    return rt_process.ours ? rt_process.ours : &always;
}

bool rt_process_is_ours(void)
{
    return rt_process.ours ? *rt_process.ours == 1 : os_process_id() == rt_process.pid;
}

void rt_process_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high)
{
    *ret_low = *ret_high = 0;
    if (rt_process.find_stack && !os_is_frozen()) { /* libpthread makes a system call for it */
        rt_process.find_stack(ret_low, ret_high);
    }
}

void rt_process_watch_thread_end(struct rt_thread *thread)
{
    if (rt_process.watch_thread_end) {
        rt_process.watch_thread_end(thread);
    }
}
