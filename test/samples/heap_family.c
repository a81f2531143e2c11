/*
 * heap_family.c -- every function of the allocation family, with the cases that are easy to count
 * wrong: zero sizes, failures, overflows, reallocs that move and that stay, null pointers.
 *
 * Prints what each call gave, in words, so that a difference under a profiler shows.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Volatile: the compiler must not know that it is too much. */
static volatile size_t too_much = PTRDIFF_MAX;
#define TOO_MUCH too_much

static void told(const char *what, const void *memory, size_t alignment)
{
    char line[128];
    int bytes = snprintf(line, sizeof line, "%s: %s%s\n", what,
                         memory ? "a block"
                                : (errno == ENOMEM   ? "refused, ENOMEM"
                                   : errno == EINVAL ? "refused, EINVAL"
                                                     : "null"),
                         memory && (uintptr_t)memory % alignment ? ", misaligned" : "");
    fwrite(line, 1, (size_t)bytes, stdout);
    errno = 0;
}

static void zero_sizes(void)
{
    void *a = malloc(0), *b = calloc(0, 8), *c = calloc(8, 0), *d = realloc(NULL, 0);
    told("malloc(0)", a, 16), told("calloc(0, 8)", b, 16);
    told("calloc(8, 0)", c, 16), told("realloc(NULL, 0)", d, 16);
    told("realloc(p, 0)", realloc(a, 0), 16);
    told("reallocarray(p, 0, 8)", reallocarray(b, 0, 8), 16);
    free(c), free(d), free(NULL);
    void *e = aligned_alloc(64, 0), *f = memalign(64, 0), *g = valloc(0), *h = pvalloc(0);
    told("aligned_alloc(64, 0)", e, 64), told("memalign(64, 0)", f, 64);
    told("valloc(0)", g, 4096), told("pvalloc(0)", h, 4096);
    free(e), free(f), free(g), free(h);
}

static void failures(void)
{
    char *kept = malloc(100);
    void *none = &none;
    told("malloc(huge)", malloc(TOO_MUCH), 16);
    told("calloc(overflow)", calloc(TOO_MUCH, 4), 16);
    told("calloc(huge)", calloc(TOO_MUCH / 8, 8), 16);
    told("realloc(p, huge)", realloc(kept, TOO_MUCH), 16);
    told("reallocarray(p, overflow)", reallocarray(kept, TOO_MUCH, 4), 16);
    told("reallocarray(p, overflow to 2)", reallocarray(kept, TOO_MUCH + 2, 2), 16);
    told("reallocarray(p, huge)", reallocarray(kept, TOO_MUCH / 8, 8), 16);
    told("memalign(huge)", memalign(64, TOO_MUCH), 16);
    told("aligned_alloc(huge)", aligned_alloc(64, TOO_MUCH & ~(size_t)63), 16);
    told("valloc(huge)", valloc(TOO_MUCH), 16);
    told("pvalloc(huge)", pvalloc(TOO_MUCH), 16);
    int odd = posix_memalign(&none, 24, 100);
    int huge = posix_memalign(&none, 64, TOO_MUCH);
    printf("posix_memalign: %d %d, pointer %s\n", odd == EINVAL, huge == ENOMEM,
           none == &none ? "untouched" : "changed");
    memset(kept, 1, 100);
    free(kept);
}

static void reallocs(void)
{
    char *block = realloc(NULL, 100);
    memset(block, 'x', 100);
    block = realloc(block, 50); /* stays */
    char *behind = malloc(64);
    block = realloc(block, 5000);    /* moves: BEHIND is in the way */
    block = realloc(block, 300000);  /* to a mapping of its own */
    block = realloc(block, 9000000); /* which mremap moves */
    block = reallocarray(block, 100, 3);
    printf("realloc kept: %c%c\n", block[0], block[49]);
    free(block), free(behind);
}

static void alignments(void)
{
    for (size_t alignment = 8; alignment <= 65536; alignment *= 2) {
        void *a = NULL;
        if (posix_memalign(&a, alignment, alignment + 1) != 0) {
            printf("posix_memalign(%zu) failed\n", alignment);
        }
        void *b = aligned_alloc(alignment, 2 * alignment), *c = memalign(alignment, 3);
        told("posix_memalign", a, alignment);
        told("aligned_alloc", b, alignment), told("memalign", c, alignment);
        free(a), free(b), free(c);
    }
    void *v = valloc(100), *p = pvalloc(100);
    told("valloc", v, 4096), told("pvalloc", p, 4096);
    printf("pvalloc rounds up: %d\n", malloc_usable_size(p) >= 4096);
    free(v), free(p);
}

static void leaks(void)
{
    static void *kept[10];
    for (size_t i = 0; i < 10; i++) {
        kept[i] = malloc(1000 + i);
    }
    printf("kept: %d\n", kept[9] != NULL);
}

int main(void)
{
    zero_sizes();
    failures();
    reallocs();
    alignments();
    leaks();
    return 7;
}
