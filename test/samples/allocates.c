/*
 * allocates.c [COUNT [BYTES]] -- COUNT blocks of BYTES bytes, half of them freed, exit status 3.
 */
#include <stdio.h>
#include <stdlib.h>

static void *volatile kept;

int main(int argument_count, char **arguments)
{
    int count = argument_count > 1 ? atoi(arguments[1]) : 100;
    size_t bytes = argument_count > 2 ? (size_t)atol(arguments[2]) : 48;
    for (int i = 0; i < count; i++) {
        kept = malloc(bytes);
        if (i % 2) {
            free(kept);
        }
    }
    printf("%d blocks of %zu bytes\n", count, bytes);
    return 3;
}
