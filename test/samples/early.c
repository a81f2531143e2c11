/*
 * early.c -- uses blocks from before the preload was relocated; allocates in .preinit_array, in a
 * constructor and in main.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int (*early_pointer)(void);
void early_blocks(void **ret_malloc, void **ret_calloc, void **ret_realloc);

static void *kept[30];

static void first(void)
{
    for (int i = 0; i < 10; i++) {
        kept[i] = malloc(100);
    }
}

__attribute__((section(".preinit_array"), used)) static void (*preinit)(void) = first;

static __attribute__((constructor)) void second(void)
{
    for (int i = 10; i < 20; i++) {
        kept[i] = malloc(100);
    }
}

int main(void)
{
    void *a, *b, *c;
    early_blocks(&a, &b, &c);
    printf("%d %s %s %s\n", early_pointer(), (char *)a, (char *)b, (char *)c);
    a = realloc(a, 5000);
    b = realloc(b, 10);
    printf("%s %.9s\n", (char *)a, (char *)b);
    free(a), free(b), free(c);
    return 0;
}
