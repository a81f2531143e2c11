/*
 * hand_over_malloc.c -- an allocator of equal places, as a library: a place that was given back is
 * the next one to be taken. Before free() and realloc() return they call AFTER_RELEASE, if it is
 * set: there another thread can take the place while its old owner is still in the call.
 */
#include "test/samples/hand_over_malloc.h"

#include <stddef.h>
#include <string.h>

enum { PLACE = 256, PLACES = 256, LARGE_BYTES = 1 << 20 };

static char places[PLACES][PLACE] __attribute__((aligned(PLACE)));
static char large[LARGE_BYTES] __attribute__((aligned(64)));
static size_t large_used;
static void *stack[PLACES];
static int depth = -1; /* of the stack of free places; -1: not filled yet */
static char busy;

void (*volatile after_release)(void);

static void lock(void)
{
    while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) {
    }
}

static void unlock(void)
{
    __atomic_clear(&busy, __ATOMIC_RELEASE);
}

static void *place_take(void)
{
    lock();
    if (depth < 0) {
        for (depth = 0; depth < PLACES; depth++) {
            stack[depth] = places[depth];
        }
    }
    void *place = depth > 0 ? stack[--depth] : NULL;
    unlock();
    return place;
}

/* What is too large for a place is never given back. */
static void *large_take(size_t alignment, size_t bytes)
{
    size_t room = bytes + alignment;
    size_t start = __atomic_fetch_add(&large_used, room, __ATOMIC_RELAXED);
    start = (start + alignment - 1) & ~(alignment - 1);
    return start + bytes <= sizeof large ? large + start : NULL;
}

static int is_place(const void *block)
{
    return (const char *)block >= places[0] && (const char *)block < places[0] + sizeof places;
}

void *memalign(size_t alignment, size_t bytes)
{
    alignment = alignment < 16 ? 16 : alignment;
    return bytes <= PLACE && alignment <= PLACE ? place_take() : large_take(alignment, bytes);
}

void *malloc(size_t bytes)
{
    return memalign(16, bytes);
}

void free(void *block)
{
    if (is_place(block)) {
        lock();
        stack[depth++] = block;
        unlock();
        if (after_release) {
            after_release();
        }
    }
}

void *calloc(size_t count, size_t bytes)
{
    void *block = memalign(16, count * bytes);
    return block ? memset(block, 0, count * bytes) : NULL;
}

void *realloc(void *block, size_t bytes)
{
    void *moved = memalign(16, bytes);
    if (block && moved) {
        memcpy(moved, block, is_place(block) && bytes > PLACE ? PLACE : bytes);
        free(block);
    }
    return moved;
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
