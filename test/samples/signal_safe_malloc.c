/*
 * signal_safe_malloc.c -- an allocator that may be called from signal handlers, as a library: it
 * takes blocks from one big piece of memory by an atomic addition and never gives any back.
 *
 * While INSIDE_MALLOC is set, malloc calls it before it returns: that is how a signal comes at a
 * known instruction, in the middle of whoever called malloc.
 */
#include "test/samples/signal_safe_malloc.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { UNIT = 16 };

static char memory[(size_t)1 << 29] __attribute__((aligned(64)));
static size_t used;

void (*volatile inside_malloc)(void);

static void *take(size_t alignment, size_t bytes)
{
    size_t room = ((bytes + UNIT - 1) & ~(size_t)(UNIT - 1)) + alignment + UNIT;
    size_t start = __atomic_fetch_add(&used, room, __ATOMIC_RELAXED);
    if (start + room > sizeof memory) {
        return NULL;
    }
    start = (start + UNIT + alignment - 1) & ~(alignment - 1);
    memcpy(memory + start - UNIT, &bytes, sizeof bytes);
    if (inside_malloc) {
        inside_malloc();
    }
    return memory + start;
}

void *malloc(size_t bytes)
{
    return take(UNIT, bytes);
}

void free(void *block)
{
    (void)block;
}

void *calloc(size_t count, size_t bytes)
{
    return take(UNIT, count * bytes);
}

void *realloc(void *block, size_t bytes)
{
    void *moved = take(UNIT, bytes);
    if (block && moved) {
        size_t old;
        memcpy(&old, (char *)block - UNIT, sizeof old);
        memcpy(moved, block, old < bytes ? old : bytes);
    }
    return moved;
}

void *memalign(size_t alignment, size_t bytes)
{
    return take(alignment < UNIT ? UNIT : alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **ret_block, size_t alignment, size_t bytes)
{
    *ret_block = memalign(alignment, bytes);
    return *ret_block ? 0 : 12;
}
