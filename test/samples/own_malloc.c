/*
 * own_malloc.c -- five sites whose live bytes are known, for one program that is linked to several
 * allocators.
 */
#include <stdio.h>
#include <stdlib.h>

static void *volatile kept[600];

__attribute__((noinline)) static void small_site(void)
{
    for (int i = 0; i < 500; i++) {
        kept[i] = malloc(40);
    }
}

__attribute__((noinline)) static void large_site(void)
{
    for (int i = 500; i < 510; i++) {
        kept[i] = malloc(300000);
    }
}

__attribute__((noinline)) static void aligned_site(void)
{
    for (int i = 510; i < 520; i++) {
        kept[i] = aligned_alloc(4096, 8192);
    }
}

/* Some allocators place 8-byte blocks 8 bytes apart. */
__attribute__((noinline)) static void tiny_site(void)
{
    for (int i = 520; i < 598; i++) {
        kept[i] = malloc(8);
    }
}

__attribute__((noinline)) static void churn_site(void)
{
    for (int i = 0; i < 10000; i++) {
        free(malloc(100));
    }
}

__attribute__((noinline)) static void grow_site(void)
{
    char *block = NULL;
    for (size_t i = 1; i <= 100; i++) {
        block = realloc(block, i * 50);
    }
    kept[599] = block;
}

__attribute__((noinline)) static void zeroed_site(void)
{
    for (int i = 0; i < 100; i++) {
        free(calloc(10, 10));
    }
}

static void *(*volatile taken)(size_t);

int main(void)
{
    taken = malloc; /* in a program at a fixed address: the symbol's value is its own jump */
    small_site();
    large_site();
    aligned_site();
    tiny_site();
    churn_site();
    grow_site();
    zeroed_site();
    puts("done");
    return 0;
}
