/*
 * dlsym_that_allocates.c -- a library whose dlsym() takes and gives back memory before it looks
 * anything up, as that of older C libraries does.
 */
#include <dlfcn.h>
#include <stdlib.h>

static void *allocated(void)
{
    void *block = realloc(calloc(4, 10), 100);
    __asm__ volatile("" : "+r"(block));
    return block;
}

/* Ends in a jump: RTLD_NEXT begins behind the library that the call comes from. */
void *dlsym(void *restrict handle, const char *restrict name)
{
    static void *(*real)(void *restrict, const char *restrict);
    if (!real) {
        real = (void *(*)(void *restrict, const char *restrict))dlvsym(RTLD_NEXT, "dlsym",
                                                                       "GLIBC_2.34");
    }
    free(allocated());
    return real(handle, name);
}
