/*
 * late_library.c -- a library that programs are linked to: its destructor runs after those of the
 * program and of libraries preloaded into it, and still frees and allocates.
 */
#include <stdlib.h>

void late_library_begin(void);

static void *kept;

void late_library_begin(void)
{
    kept = malloc(300);
}

static __attribute__((destructor)) void end(void)
{
    free(kept);
    for (int i = 0; i < 10; i++) {
        free(malloc(30));
    }
}
