/*
 * locks_memory.c -- a program that must not wait for its memory, as those that play sound. Prints
 * how that went, and errno, which a success leaves alone; then goes on allocating.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static void *volatile kept;

static void work(void)
{
    for (int i = 0; i < 1000; i++) {
        kept = malloc(100);
        free(kept);
    }
}

int main(void)
{
    work();
    errno = 4711;
    int result = mlockall(MCL_CURRENT | MCL_FUTURE);
    int error = errno;
    work();
    printf("%d %d\n", result, error);
    return 0;
}
