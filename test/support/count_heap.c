/*
 * count_heap.c -- a preloaded library that counts the heap calls of a program, and nothing else.
 *
 * The referee of the recorder: it comes behind it in LD_PRELOAD, sees each call that reaches the
 * allocator, and shares no line with it. Rules are the recorder's: requested bytes, failed calls
 * do not count, a successful realloc is one free and one allocation, realloc(p, 0) is a free.
 *
 * The counts lie in a shared mapping of the file $COUNT_HEAP_OUT.PID, so that they are whole
 * however the process ends. A forked child starts its own file.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct counts {
    uint64_t allocations, bytes, frees, early;
};

enum { ARENA_BYTES = 65536, FILE_BYTES = 4096 };

static struct counts unshared;
static struct counts *counts = &unshared;
static char arena[ARENA_BYTES] __attribute__((aligned(64)));
static size_t arena_used;
static bool found, finding;

static struct {
    void *(*malloc)(size_t);
    void (*free)(void *);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
} real;

static void add(uint64_t *count, uint64_t amount)
{
    __atomic_fetch_add(count, amount, __ATOMIC_RELAXED);
}

/* False while the real functions are being looked up: then the arena serves. */
static bool ready(void)
{
    if (found || finding) {
        return found;
    }
    finding = true;
    real.free = dlsym(RTLD_NEXT, "free");
    real.calloc = dlsym(RTLD_NEXT, "calloc");
    real.realloc = dlsym(RTLD_NEXT, "realloc");
    real.memalign = dlsym(RTLD_NEXT, "memalign");
    real.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
    real.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
    real.valloc = dlsym(RTLD_NEXT, "valloc");
    real.pvalloc = dlsym(RTLD_NEXT, "pvalloc");
    real.malloc = dlsym(RTLD_NEXT, "malloc");
    found = true;
    return true;
}

static bool in_arena(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)arena < ARENA_BYTES;
}

static void *early(size_t bytes)
{
    size_t start = (arena_used + 63) & ~(size_t)63;
    if (bytes > ARENA_BYTES - start) {
        return NULL;
    }
    arena_used = start + bytes;
    add(&counts->early, 1);
    return arena + start;
}

static void *counted(void *memory, size_t bytes)
{
    if (memory) {
        add(&counts->allocations, 1);
        add(&counts->bytes, bytes);
    }
    return memory;
}

void *malloc(size_t bytes)
{
    return ready() ? counted(real.malloc(bytes), bytes) : early(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return ready() ? counted(real.calloc(count, bytes), count * bytes) : early(count * bytes);
}

void free(void *memory)
{
    if (memory && !in_arena(memory) && ready()) {
        add(&counts->frees, 1);
        real.free(memory);
    }
}

void *realloc(void *memory, size_t bytes)
{
    if (!ready() || in_arena(memory)) { /* blocks of the arena stay where they are: copied */
        size_t kept = memory ? ARENA_BYTES - (size_t)((char *)memory - arena) : 0;
        void *moved = malloc(bytes);
        return moved ? memcpy(moved, memory ? memory : moved, kept < bytes ? kept : bytes) : NULL;
    }
    void *moved = real.realloc(memory, bytes);
    if (memory && (moved || bytes == 0)) {
        add(&counts->frees, 1);
    }
    return counted(moved, bytes);
}

void *reallocarray(void *memory, size_t count, size_t bytes)
{
    size_t product;
    if (__builtin_mul_overflow(count, bytes, &product)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(memory, product);
}

void *memalign(size_t alignment, size_t bytes)
{
    return ready() ? counted(real.memalign(alignment, bytes), bytes) : NULL;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return ready() ? counted(real.aligned_alloc(alignment, bytes), bytes) : NULL;
}

int posix_memalign(void **ret_memory, size_t alignment, size_t bytes)
{
    int result = ready() ? real.posix_memalign(ret_memory, alignment, bytes) : ENOMEM;
    counted(result == 0 ? *ret_memory : NULL, bytes);
    return result;
}

void *valloc(size_t bytes)
{
    return ready() ? counted(real.valloc(bytes), bytes) : NULL;
}

void *pvalloc(size_t bytes)
{
    return ready() ? counted(real.pvalloc(bytes), bytes) : NULL;
}

static void share(void)
{
    static char path[4096];
    const char *prefix = getenv("COUNT_HEAP_OUT");
    if (!prefix || snprintf(path, sizeof path, "%s.%d", prefix, getpid()) >= (int)sizeof path) {
        return;
    }
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        return;
    }
    if (ftruncate(fd, FILE_BYTES) == 0) {
        struct counts *shared = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (shared != MAP_FAILED) {
            *shared = *counts;
            counts = shared;
        }
    }
    close(fd);
}

static void child_begins(void)
{
    unshared = (struct counts){0, 0, 0, 0};
    counts = &unshared;
    share();
}

static __attribute__((constructor)) void start(void)
{
    share();
    pthread_atfork(NULL, NULL, child_begins);
}
