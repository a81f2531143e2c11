/*
 * memory.h -- the heap for the analyzer: a request that cannot be met ends the program.
 *
 * A tool that reads a file has nothing better to do without memory than to say so; checking at
 * every call would only hide that.
 *
 * Context of all functions: tool. Never: returns NULL, or less than asked because a product
 * passed SIZE_MAX.
 */
#ifndef THAG_AN_MEMORY_H
#define THAG_AN_MEMORY_H

#include <stddef.h>

/* The exit status of every failure that is not the user's wording: unreadable input, no memory. */
#define AN_EXIT_BAD_INPUT 3

/* Have ACT called before the program ends for want of memory, to give a terminal back; NULL: none.
 */
void an_memory_before_exhausted(void (*act)(void));

/* COUNT objects of SIZE bytes, not initialised (..._zeroed: all bytes 0). Freed by free(). */
void *an_memory_array(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *an_memory_zeroed(size_t count, size_t size) __attribute__((malloc, returns_nonnull));

/* What OLD held (it may be NULL), with room for COUNT objects; OLD is gone. */
void *an_memory_resize(void *old, size_t count, size_t size) __attribute__((returns_nonnull));

/* A copy of TEXT, freed by free(). */
char *an_memory_text(const char *text) __attribute__((malloc, returns_nonnull));

/* A copy of BYTES bytes of TEXT and a NUL, freed by free(). */
char *an_memory_text_part(const char *text, size_t bytes) __attribute__((malloc, returns_nonnull));

#endif
