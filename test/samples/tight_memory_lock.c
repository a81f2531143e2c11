/*
 * tight_memory_lock.c -- mlockall() as the kernel does it for a user who may lock 128 MiB: tests
 * run as whoever they run, with whatever limit.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LIMIT_BYTES = 128 << 20 };

int mlockall(int flags)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!(flags & MCL_CURRENT) || !file || fscanf(file, "%ld", &pages) != 1) {
        errno = EINVAL;
        return -1;
    }
    fclose(file);
    if (pages * sysconf(_SC_PAGESIZE) > LIMIT_BYTES) {
        errno = ENOMEM;
        return -1;
    }
    return 0;
}
