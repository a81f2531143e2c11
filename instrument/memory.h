/*
 * memory.h -- the heap for the instrumenter: a request that cannot be met ends the program.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_MEMORY_H
#define THAG_IN_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Input that cannot be read, or no memory for it. */
#define IN_EXIT_BAD_INPUT 3

/* What OLD held (it may be NULL), with room for COUNT objects; OLD is gone. Freed by free(). */
void *in_memory_resize(void *old, size_t count, size_t size) __attribute__((returns_nonnull));

/*
 * Room for one more object in a growing array.
 *
 * Inputs:   OLD holds USED objects of SIZE bytes and has room for *ROOM.
 * Result:   OLD, or its successor, with room for at least USED + 1; *ROOM says for how many.
 */
void *in_memory_grow(void *old, size_t used, uint32_t *room, size_t size)
    __attribute__((returns_nonnull));

#endif
