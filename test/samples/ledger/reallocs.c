/* realloc in place, moving, shrinking, to zero; each block has a neighbour that makes it move. */
#include <stdlib.h>

int main(void)
{
    char *grown = NULL;
    for (int i = 1; i <= 100; i++) {
        grown = realloc(grown, (size_t)i * 50);
        void *neighbour = malloc(24);
        grown[0] = 1;
        if (i % 10) {
            free(neighbour);
        }
    }
    grown = realloc(grown, 100);
    grown = realloc(grown, 300000);
    grown = realloc(grown, 900000);
    free(grown);
    void *volatile zero = malloc(64);
    zero = realloc(zero, 0);
    return zero == NULL ? 0 : 1;
}
