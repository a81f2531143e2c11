/*
 * Zero sizes and pvalloc: dhat books malloc(0) as one byte and does not see pvalloc, so this
 * program keeps its own ledger and prints it last.
 */
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    static const char ledger[] = "ledger allocations=7 bytes=164 frees=5 live=100 at_peak=164\n";
    void *a = malloc(0), *b = calloc(0, 8), *c = realloc(NULL, 0), *d = aligned_alloc(16, 0);
    void *e = pvalloc(100), *f = malloc(64);
    free(a);
    free(b);
    free(c);
    free(d);
    a = malloc(0);
    free(f);
    if (!e || !a) {
        return 1;
    }
    return write(1, ledger, sizeof ledger - 1) == (ssize_t)sizeof ledger - 1 ? 0 : 1;
}
