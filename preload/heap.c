/*
 * heap.c -- the allocation family.
 *
 * Each function calls the real one under the guard, so that an allocator which implements one
 * member by another is not counted twice. An entry leaves the live blocks before the real free and
 * enters them after the real malloc.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/hook.h"
#include "preload/real.h"
#include "runtime/hot/heap_ledger.h"
#include "runtime/hot/module_map.h"

#define FRAME() ((uintptr_t)__builtin_frame_address(0))

PL_EXPORT void *malloc(size_t bytes);
PL_EXPORT void free(void *memory);
PL_EXPORT void *calloc(size_t count, size_t bytes);
PL_EXPORT void *realloc(void *memory, size_t bytes);
PL_EXPORT void *reallocarray(void *memory, size_t count, size_t bytes);
PL_EXPORT void *memalign(size_t alignment, size_t bytes);
PL_EXPORT void *aligned_alloc(size_t alignment, size_t bytes);
PL_EXPORT int posix_memalign(void **ret_memory, size_t alignment, size_t bytes);
PL_EXPORT void *valloc(size_t bytes);
PL_EXPORT void *pvalloc(size_t bytes);

static inline void book(struct rt_thread *thread, void *memory, size_t bytes,
                        const struct rt_registers *registers)
{
    if (rt_likely(memory && rt_thread_is_ours(thread))) { /* or forked inside the real call */
        rt_heap_allocated(thread, (uintptr_t)memory, bytes, registers);
    }
    pl_hook_leave(thread);
}

/* Memory for a call that the allocator cannot serve yet, or must not see. errno as malloc's. */
static __attribute__((noinline)) void *serve(enum pl_standing standing, size_t alignment,
                                             size_t bytes)
{
    void *memory = standing == PL_OWN ? pl_hook_scratch(bytes) : pl_arena_take(alignment, bytes);
    if (!memory && standing == PL_OWN) {
        errno = ENOMEM;
    }
    return memory;
}

void *malloc(size_t bytes)
{
    struct rt_registers registers = PL_CALLER_REGISTERS();
    struct rt_thread *thread;
    enum pl_standing standing = pl_hook_enter(FRAME(), &thread);
    if (rt_likely(standing == PL_RECORD)) {
        void *memory = pl_real.malloc(bytes);
        book(thread, memory, bytes, &registers);
        return memory;
    }
    return standing == PL_PASS ? pl_real.malloc(bytes) : serve(standing, 1, bytes);
}

void *calloc(size_t count, size_t bytes)
{
    struct rt_registers registers = PL_CALLER_REGISTERS();
    struct rt_thread *thread;
    enum pl_standing standing = pl_hook_enter(FRAME(), &thread);
    if (rt_likely(standing == PL_RECORD)) {
        void *memory = pl_real.calloc(count, bytes); /* NULL if the product overflows */
        book(thread, memory, count * bytes, &registers);
        return memory;
    }
    if (standing == PL_PASS) {
        return pl_real.calloc(count, bytes);
    }
    size_t product;
    if (__builtin_mul_overflow(count, bytes, &product)) {
        return NULL;
    }
    void *memory = serve(standing, 1, product);
    for (size_t i = 0; memory && standing == PL_OWN && i < product; i++) {
        ((volatile char *)memory)[i] = 0; /* volatile: gcc would make it a call of memset */
    }
    return memory;
}

/* A block that did not come from the allocator. */
static bool is_ours(const void *memory)
{
    return pl_arena_owns(memory);
}

void free(void *memory)
{
    struct rt_registers registers = PL_CALLER_REGISTERS();
    struct rt_thread *thread;
    if (!memory) {
        return;
    }
    enum pl_standing standing = pl_hook_enter(FRAME(), &thread);
    if (rt_likely(standing == PL_RECORD)) {
        __builtin_prefetch((char *)memory - sizeof(size_t)); /* the allocator looks there next */
        rt_module_map_notice(registers.ip);
        struct rt_block block = rt_heap_take(thread, (uintptr_t)memory);
        if (rt_likely(block.stack)) {
            rt_heap_freed(thread, (uintptr_t)memory, block, &registers);
            pl_real.free(memory);
        } else if (!is_ours(memory)) {
            rt_heap_unknown_freed();
            pl_real.free(memory);
        }
        pl_hook_leave(thread);
        return;
    }
    if (standing == PL_OWN && pl_hook_scratch_owns(memory)) {
        return;
    }
    if (standing != PL_EARLY && !is_ours(memory)) {
        pl_real.free(memory);
    }
}

/* The real realloc. A block of the arena moves to the allocator; its place is not used again. */
static inline void *realloc_real(void *memory, size_t bytes)
{
    if (rt_likely(!memory || !is_ours(memory))) {
        return pl_real.realloc(memory, bytes);
    }
    size_t kept = pl_arena_bytes(memory);
    void *moved = bytes ? pl_real.malloc(bytes) : NULL;
    for (size_t i = 0; moved && i < kept && i < bytes; i++) {
        ((volatile char *)moved)[i] = ((const char *)memory)[i];
    }
    return moved;
}

/* libpthread's own growing list, or a call from before the start: nothing is given back. */
static void *move_within(enum pl_standing standing, void *memory, size_t bytes)
{
    char *moved = serve(standing, 1, bytes);
    bool from_arena = memory && pl_arena_owns(memory);
    bool from_scratch = memory && !from_arena && standing == PL_OWN && pl_hook_scratch_owns(memory);
    size_t kept = from_arena ? pl_arena_bytes(memory) : from_scratch ? bytes : 0;
    for (size_t i = 0; moved && i < kept && i < bytes; i++) {
        ((volatile char *)moved)[i] = ((const char *)memory)[i];
    }
    return moved;
}

/* A free of the true old size and an allocation of the new one, if it succeeds. */
static void *realloc_recorded(struct rt_thread *thread, void *memory, size_t bytes,
                              const struct rt_registers *registers)
{
    struct rt_block old = {0, 0};
    if (memory) {
        old = rt_heap_take(thread, (uintptr_t)memory);
    }
    void *moved = realloc_real(memory, bytes);
    bool freed = moved || (memory && bytes == 0); /* glibc's realloc(p, 0) frees */
    if (rt_unlikely(!rt_thread_is_ours(thread))) {
        return moved; /* forked inside: the books are the parent's */
    }
    if (old.stack && freed) {
        rt_heap_freed(thread, (uintptr_t)memory, old, registers);
    } else if (old.stack) {
        rt_heap_put_back(thread, (uintptr_t)memory, old);
    } else if (memory && freed && !is_ours(memory)) {
        rt_heap_unknown_freed();
    }
    book(thread, moved, bytes, registers);
    return moved;
}

static inline __attribute__((always_inline)) void *
realloc_at(void *memory, size_t bytes, uintptr_t frame, const struct rt_registers *registers)
{
    struct rt_thread *thread;
    enum pl_standing standing = pl_hook_enter(frame, &thread);
    if (rt_likely(standing == PL_RECORD)) {
        return realloc_recorded(thread, memory, bytes, registers);
    }
    return standing == PL_PASS ? realloc_real(memory, bytes) : move_within(standing, memory, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    struct rt_registers registers = PL_CALLER_REGISTERS();
    return realloc_at(memory, bytes, FRAME(), &registers);
}

void *reallocarray(void *memory, size_t count, size_t bytes)
{
    struct rt_registers registers = PL_CALLER_REGISTERS();
    size_t product;
    if (__builtin_mul_overflow(count, bytes, &product)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc_at(memory, product, FRAME(), &registers);
}

void *memalign(size_t alignment, size_t bytes)
{
    struct rt_registers registers = PL_CALLER_REGISTERS();
    struct rt_thread *thread;
    enum pl_standing standing = pl_hook_enter(FRAME(), &thread);
    if (rt_likely(standing == PL_RECORD)) {
        void *memory = pl_real.memalign(alignment, bytes);
        book(thread, memory, bytes, &registers);
        return memory;
    }
    return standing == PL_PASS ? pl_real.memalign(alignment, bytes)
                               : serve(standing, alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    struct rt_registers registers = PL_CALLER_REGISTERS();
    struct rt_thread *thread;
    enum pl_standing standing = pl_hook_enter(FRAME(), &thread);
    if (rt_likely(standing == PL_RECORD)) {
        void *memory = pl_real.aligned_alloc(alignment, bytes);
        book(thread, memory, bytes, &registers);
        return memory;
    }
    return standing == PL_PASS ? pl_real.aligned_alloc(alignment, bytes)
                               : serve(standing, alignment, bytes);
}

int posix_memalign(void **ret_memory, size_t alignment, size_t bytes)
{
    struct rt_registers registers = PL_CALLER_REGISTERS();
    struct rt_thread *thread;
    enum pl_standing standing = pl_hook_enter(FRAME(), &thread);
    if (rt_likely(standing == PL_RECORD)) {
        int result = pl_real.posix_memalign(ret_memory, alignment, bytes);
        book(thread, result == 0 ? *ret_memory : NULL, bytes, &registers);
        return result;
    }
    if (standing == PL_PASS) {
        return pl_real.posix_memalign(ret_memory, alignment, bytes);
    }
    void *memory = serve(standing, alignment, bytes);
    if (!memory) {
        return ENOMEM;
    }
    *ret_memory = memory;
    return 0;
}

enum { PAGE_ALIGNMENT = 4096 };

void *valloc(size_t bytes)
{
    struct rt_registers registers = PL_CALLER_REGISTERS();
    struct rt_thread *thread;
    enum pl_standing standing = pl_hook_enter(FRAME(), &thread);
    if (rt_likely(standing == PL_RECORD)) {
        void *memory = pl_real.valloc(bytes);
        book(thread, memory, bytes, &registers);
        return memory;
    }
    return standing == PL_PASS ? pl_real.valloc(bytes) : serve(standing, PAGE_ALIGNMENT, bytes);
}

void *pvalloc(size_t bytes)
{
    struct rt_registers registers = PL_CALLER_REGISTERS();
    struct rt_thread *thread;
    enum pl_standing standing = pl_hook_enter(FRAME(), &thread);
    if (rt_likely(standing == PL_RECORD)) {
        void *memory = pl_real.pvalloc(bytes);
        book(thread, memory, bytes, &registers);
        return memory;
    }
    return standing == PL_PASS ? pl_real.pvalloc(bytes) : serve(standing, PAGE_ALIGNMENT, bytes);
}

/* Old programs know free() by a second name, which libc only has under its first version. */
void pl_cfree(void *memory);
__asm__(".symver pl_cfree, cfree@GLIBC_2.2.5");
PL_EXPORT void pl_cfree(void *memory)
{
    free(memory);
}
