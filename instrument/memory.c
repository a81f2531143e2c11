/*
 * memory.c -- the heap for the instrumenter: a request that cannot be met ends the program.
 */
#include "instrument/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void *in_memory_resize(void *old, size_t count, size_t size)
{
    void *memory = reallocarray(old, count ? count : 1, size ? size : 1);
    if (!memory) {
        fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
        /* Not exit(): a handler could ask for memory in turn. */
        _Exit(IN_EXIT_BAD_INPUT);
    }
    return memory;
}

void *in_memory_grow(void *old, size_t used, uint32_t *room, size_t size)
{
    if (used < *room)
        return old;
    *room = *room ? *room + *room / 2 + 1 : 32;
    return in_memory_resize(old, *room, size);
}
