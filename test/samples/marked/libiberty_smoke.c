/*
 * libiberty_smoke.c -- uses what libiberty has: names, tables, trees, heaps, sums.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ansidecl.h"
#include "demangle.h"
#include "fibheap.h"
#include "hashtab.h"
#include "libiberty.h"
#include "md5.h"
#include "sha1.h"
#include "splay-tree.h"

static int compare(splay_tree_key a, splay_tree_key b)
{
    return a < b ? -1 : a > b;
}

int main(void)
{
    static const char *const names[] = {"_ZNSt6vectorIiSaIiEE9push_backERKi", "_ZN1a1bIcE1dEPFvvE",
                                        "_RNvC6_123foo3bar", "_D3foo3barFiZv"};
    unsigned char sum[20];
    char text[32];
    for (unsigned i = 0; i < 4; i++) {
        char *plain = cplus_demangle(names[i], DMGL_PARAMS | DMGL_AUTO);
        puts(plain ? plain : names[i]);
        free(plain);
    }
    splay_tree tree = splay_tree_new(compare, NULL, NULL);
    htab_t table = htab_create(7, htab_hash_string, htab_eq_string, NULL);
    fibheap_t heap = fibheap_new();
    for (unsigned i = 1; i < 3000; i++) {
        sprintf(text, "%u", i * 7919 % 3001);
        *htab_find_slot(table, xstrdup(text), INSERT) = xstrdup(text);
        splay_tree_insert(tree, i * 7919 % 3001, i);
        fibheap_insert(heap, i * 7919 % 3001, tree);
    }
    printf("%lu %lu %lu\n", (unsigned long)htab_elements(table),
           (unsigned long)splay_tree_min(tree)->key, (unsigned long)fibheap_min_key(heap));
    while (!fibheap_empty(heap))
        fibheap_extract_min(heap);
    md5_buffer(text, strlen(text), sum);
    sha1_buffer(text, strlen(text), sum);
    printf("%02x %08x\n", sum[0], xcrc32((unsigned char *)text, 4, 1));
    return 0;
}
