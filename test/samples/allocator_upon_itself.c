/*
 * allocator_upon_itself.c -- an allocator, as a library, that makes most of its functions out of
 * its malloc() and free() as any caller would: in a profiled program those calls come to the hooks.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);

void *malloc(size_t bytes)
{
    return __libc_malloc(bytes);
}

void free(void *block)
{
    __libc_free(block);
}

void *calloc(size_t count, size_t bytes)
{
    void *block = malloc(count * bytes);
    return block ? memset(block, 0, count * bytes) : NULL;
}

void *realloc(void *block, size_t bytes)
{
    void *moved = malloc(bytes);
    if (block && moved) {
        size_t old = malloc_usable_size(block);
        memcpy(moved, block, old < bytes ? old : bytes);
        free(block);
    }
    return moved;
}

void *memalign(size_t alignment, size_t bytes)
{
    return __libc_memalign(alignment, bytes);
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
