/*
 * early_resolver.c -- a library with a function that is chosen at load time by a resolver which
 * allocates: the loader runs it for the next library, before the preload is relocated.
 */
#include <stdlib.h>
#include <string.h>

int early_function(void);
void early_blocks(void **ret_malloc, void **ret_calloc, void **ret_realloc);

static void *blocks[3];

static int chosen(void)
{
    return 42;
}

__attribute__((used)) static int (*resolve(void))(void)
{
    blocks[0] = malloc(100);
    blocks[1] = calloc(10, 30);
    blocks[2] = realloc(malloc(20), 2000);
    strcpy(blocks[0], "from malloc");
    strcpy(blocks[1], "from calloc");
    strcpy(blocks[2], "from realloc");
    free(malloc(10));
    free(NULL);
    return chosen;
}

int early_function(void) __attribute__((ifunc("resolve")));

void early_blocks(void **ret_malloc, void **ret_calloc, void **ret_realloc)
{
    *ret_malloc = blocks[0];
    *ret_calloc = blocks[1];
    *ret_realloc = blocks[2];
}
