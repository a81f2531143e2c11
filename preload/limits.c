/*
 * limits.c -- a program that limits its own memory, or locks it: the address space that the
 * recorder has reserved counts as the program's. As much as a limit of before the start would have
 * left is given back before the limit holds; and what is not used yet when all that there is may
 * not be locked.
 *
 * A child of vfork() limits itself while the memory is its parent's; the recorder compares pids.
 */
/* Else the headers call both names of a function by one. */
#undef _FILE_OFFSET_BITS
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "preload/hook.h"
#include "preload/real_places.h"
#include "runtime/os/os.h"
#include "runtime/setup/lifecycle.h"

PL_EXPORT int setrlimit(__rlimit_resource_t kind, const struct rlimit *limit);
PL_EXPORT int setrlimit64(__rlimit_resource_t kind, const struct rlimit64 *limit);
PL_EXPORT int prlimit(pid_t pid, enum __rlimit_resource kind, const struct rlimit *limit,
                      struct rlimit *ret_before);
PL_EXPORT int prlimit64(pid_t pid, enum __rlimit_resource kind, const struct rlimit64 *limit,
                        struct rlimit64 *ret_before);

PL_EXPORT int mlockall(int flags);

PL_REAL_PLACE(setrlimit);
PL_REAL_PLACE(setrlimit64);
PL_REAL_PLACE(prlimit);
PL_REAL_PLACE(prlimit64);
PL_REAL_PLACE(mlockall);

_Static_assert(sizeof(rlim_t) == sizeof(rlim64_t) && RLIM_INFINITY == UINT64_MAX,
               "one look at both kinds");

static void limited(int kind, const void *limit)
{
    if (limit && (kind == RLIMIT_AS || kind == RLIMIT_DATA)) {
        rt_lifecycle_memory_limited(kind, ((const struct rlimit *)limit)->rlim_cur);
    }
}

static bool is_own(pid_t pid)
{
    return pid == 0 || (uint32_t)pid == os_process_id();
}

int setrlimit(__rlimit_resource_t kind, const struct rlimit *limit)
{
    limited((int)kind, limit);
    return PL_REAL(setrlimit)(kind, limit);
}

int setrlimit64(__rlimit_resource_t kind, const struct rlimit64 *limit)
{
    limited((int)kind, limit);
    return PL_REAL(setrlimit64)(kind, limit);
}

int prlimit(pid_t pid, enum __rlimit_resource kind, const struct rlimit *limit,
            struct rlimit *ret_before)
{
    limited((int)kind, is_own(pid) ? limit : NULL);
    return PL_REAL(prlimit)(pid, kind, limit, ret_before);
}

int prlimit64(pid_t pid, enum __rlimit_resource kind, const struct rlimit64 *limit,
              struct rlimit64 *ret_before)
{
    limited((int)kind, is_own(pid) ? limit : NULL);
    return PL_REAL(prlimit64)(pid, kind, limit, ret_before);
}

int mlockall(int flags)
{
    int saved = errno;
    int result = PL_REAL(mlockall)(flags);
    if (result < 0 && errno == ENOMEM && rt_lifecycle_memory_scarce()) {
        errno = saved;
        result = PL_REAL(mlockall)(flags);
    }
    return result;
}
