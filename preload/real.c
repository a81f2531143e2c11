/*
 * real.c -- see the header.
 */
#include "preload/real.h"

#include <dlfcn.h>

struct pl_real pl_real;

/* Blocks of before the start: a few requests of ifunc resolvers and of dlsym itself. They are never
 * given back; that is what makes free() of them safe at any time. */
enum { ARENA_BYTES = 256 * 1024, ARENA_UNIT = 16 };

static struct {
    size_t used;
    uint64_t count, bytes;
    char memory[ARENA_BYTES] __attribute__((aligned(64)));
} arena;

void *pl_arena_take(size_t alignment, size_t bytes)
{
    alignment = alignment < ARENA_UNIT ? ARENA_UNIT : alignment;
    if (bytes > ARENA_BYTES || alignment > ARENA_BYTES) {
        return NULL;
    }
    size_t old = __atomic_load_n(&arena.used, __ATOMIC_RELAXED);
    size_t taken = bytes ? bytes : 1; /* an empty block, too, must lie inside: free() asks */
    size_t start, end;
    do { /* the size stands in the unit before the block */
        uintptr_t base = (uintptr_t)arena.memory;
        start = ((base + old + ARENA_UNIT + alignment - 1) & ~(alignment - 1)) - base;
        end = start + ((taken + ARENA_UNIT - 1) & ~(size_t)(ARENA_UNIT - 1));
        if (end > ARENA_BYTES) {
            return NULL;
        }
    } while (!__atomic_compare_exchange_n(&arena.used, &old, end, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    *(size_t *)(void *)(arena.memory + start - ARENA_UNIT) = bytes;
    __atomic_fetch_add(&arena.count, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&arena.bytes, bytes, __ATOMIC_RELAXED);
    return arena.memory + start;
}

bool pl_arena_owns(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)arena.memory < ARENA_BYTES;
}

size_t pl_arena_bytes(const void *memory)
{
    return *(const size_t *)(const void *)((const char *)memory - ARENA_UNIT);
}

uint64_t pl_arena_count(uint64_t *ret_bytes)
{
    *ret_bytes = __atomic_load_n(&arena.bytes, __ATOMIC_RELAXED);
    return __atomic_load_n(&arena.count, __ATOMIC_RELAXED);
}

/* glibc 2.35 has it. */
extern int _dl_find_object(void *address, struct dl_find_object *result) __attribute__((weak));

/* Is it libc's own malloc? Its second name, __libc_malloc, tells nothing: other allocators export
 * that one, too. */
static bool is_of_libc(void *(*function)(size_t))
{
    struct dl_find_object theirs, libcs;
    void *version = dlsym(RTLD_NEXT, "gnu_get_libc_version");
    return version && _dl_find_object && _dl_find_object((void *)function, &theirs) == 0 &&
           _dl_find_object(version, &libcs) == 0 && theirs.dlfo_link_map == libcs.dlfo_link_map;
}

void pl_real_find(void)
{
    static uint32_t begun;
    if (__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL)) {
        return;
    }
    pl_real.malloc = dlsym(RTLD_NEXT, "malloc");
    pl_real.free = dlsym(RTLD_NEXT, "free");
    pl_real.calloc = dlsym(RTLD_NEXT, "calloc");
    pl_real.realloc = dlsym(RTLD_NEXT, "realloc");
    pl_real.memalign = dlsym(RTLD_NEXT, "memalign");
    pl_real.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
    pl_real.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
    pl_real.valloc = dlsym(RTLD_NEXT, "valloc");
    pl_real.pvalloc = dlsym(RTLD_NEXT, "pvalloc");
    pl_real.pthread_getattr_np = dlsym(RTLD_NEXT, "pthread_getattr_np");
    pl_real.glibc_allocator = is_of_libc(pl_real.malloc);
    __atomic_store_n(&pl_real.found, pl_real.malloc && pl_real.free, __ATOMIC_RELEASE);
}
