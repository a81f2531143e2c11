/*
 * memory.c -- the heap for the analyzer: a request that cannot be met ends the program.
 */
#include "analyzer/support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*memory_act)(void);

void an_memory_before_exhausted(void (*act)(void))
{
    memory_act = act;
}

static void memory_exhausted(void)
{
    if (memory_act)
        memory_act();
    fputs("thag_profile: out of memory\n", stderr);
    /* Not exit(): a handler could ask for memory in turn. */
    _Exit(AN_EXIT_BAD_INPUT);
}

void *an_memory_resize(void *old, size_t count, size_t size)
{
    void *memory = reallocarray(old, count ? count : 1, size ? size : 1);
    if (!memory)
        memory_exhausted();
    return memory;
}

void *an_memory_array(size_t count, size_t size)
{
    return an_memory_resize(NULL, count, size);
}

void *an_memory_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        memory_exhausted();
    return memory;
}

char *an_memory_text_part(const char *text, size_t bytes)
{
    char *copy = an_memory_array(bytes + 1, 1);
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    return copy;
}

char *an_memory_text(const char *text)
{
    return an_memory_text_part(text, strlen(text));
}
