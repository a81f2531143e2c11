/*
 * real.h -- the functions that the program would have called without us, and the memory that
 * serves while they are not known yet.
 *
 * Context of all functions: hot, except pl_real_find() (setup).
 */
#ifndef THAG_PL_REAL_H
#define THAG_PL_REAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_real {
    void *(*malloc)(size_t);
    void (*free)(void *);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    int (*pthread_getattr_np)(pthread_t, pthread_attr_t *);
    bool found;           /* published last */
    bool glibc_allocator; /* libc's own malloc is next */
};

/* Read before our relocation, so not through the GOT. */
extern __attribute__((visibility("hidden"))) struct pl_real pl_real;

/*
 * Look the next malloc family up, once. While a thread is at it, and before, the static arena
 * serves. Needs our own relocation to be done.
 */
void pl_real_find(void);

static inline bool pl_real_is_found(void)
{
    return __atomic_load_n(&pl_real.found, __ATOMIC_ACQUIRE);
}

/* --- the static arena --- */

/* A block of at least BYTES, ALIGNMENT a power of two; NULL when the arena is used up.
 * It is zero-filled, and counted for the recording as "before start". */
void *pl_arena_take(size_t alignment, size_t bytes);
bool pl_arena_owns(const void *memory);

/* The size that was asked for. MEMORY must be the arena's. */
size_t pl_arena_bytes(const void *memory);
uint64_t pl_arena_count(uint64_t *ret_bytes);

#endif
