/*
 * sandbox.c -- noticing that the program locks itself in.
 *
 * A seccomp filter comes by prctl() or by syscall() (syscall.c); both are watched, and the recorder
 * makes its last system calls before the filter is set. If the kernel refuses the filter --
 * programs ask in that way what it can do -- all goes on as before. Everything else passes through
 * unchanged.
 */
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "preload/hook.h"
#include "preload/real_places.h"
#include "preload/sandbox.h"
#include "runtime/os/os.h"
#include "runtime/setup/lifecycle.h"

PL_EXPORT int prctl(int option, ...);

PL_REAL_PLACE(prctl);

bool pl_sandbox_begins(bool strict)
{
    bool was_free = !os_is_frozen();
    rt_lifecycle_sandboxed(strict);
    return was_free;
}

void pl_sandbox_ends(bool was_free, long result)
{
    if (was_free && result < 0) {
        rt_lifecycle_sandbox_refused();
    }
}

int prctl(int option, ...)
{
    unsigned long argument[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++) { /* as libc does: what was not passed is not looked at */
        argument[i] = va_arg(list, unsigned long);
    }
    va_end(list);
    if (option != PR_SET_SECCOMP) {
        return PL_REAL(prctl)(option, argument[0], argument[1], argument[2], argument[3]);
    }
    bool was_free = pl_sandbox_begins(argument[0] == SECCOMP_MODE_STRICT);
    int result = PL_REAL(prctl)(option, argument[0], argument[1], argument[2], argument[3]);
    pl_sandbox_ends(was_free, result);
    return result;
}
