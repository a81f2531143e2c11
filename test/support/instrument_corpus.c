/*
 * instrument_corpus.c -- the laws of the instrumenter on every C and C++ file below some folders.
 *
 *   instrument_corpus FOLDER...
 *
 * Prints the files for which a law does not hold, and one line of sums. Exits with 1 if there is
 * one, with 2 if there was no file.
 */
#include <ftw.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "instrument/scan.h"
#include "instrument/source.h"
#include "test/support/instrument_laws.h"

static struct {
    uint64_t files, bytes, functions, unbalanced, broken;
    uint64_t scan_ns; /* of one scan of each file */
} corpus;

/* By the ends of their names; in a folder of C++ headers all that have none. */
static bool corpus_holds(const char *path)
{
    static const char *const ends[] = {"c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx", "tcc"};
    const char *name = strrchr(path, '/') + 1;
    const char *dot = strrchr(name, '.');
    if (!dot)
        return strstr(path, "/c++/") != NULL;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (strcmp(dot + 1, ends[i]) == 0)
            return true;
    }
    return false;
}

static uint64_t corpus_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int corpus_visit(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    struct in_source source;
    struct in_scan scan;
    (void)status;
    (void)where;
    if (kind != FTW_F || !corpus_holds(path) || in_source_load(path, &source) != 0)
        return 0;
    uint64_t begin = corpus_now();
    in_scan_source(source.text, source.bytes, IN_LANGUAGE_GUESS, &scan);
    corpus.scan_ns += corpus_now() - begin;
    in_scan_release(&scan);
    struct instrument_laws laws =
        instrument_laws_check(source.text, source.bytes, IN_LANGUAGE_GUESS);
    corpus.files++;
    corpus.bytes += source.bytes;
    corpus.functions += laws.functions;
    corpus.unbalanced += laws.errors > 0;
    corpus.broken += laws.broken != NULL;
    if (laws.broken)
        printf("%s: %s does not hold\n", path, laws.broken);
    in_source_release(&source);
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (nftw(argv[i], corpus_visit, 32, FTW_PHYS) != 0)
            perror(argv[i]);
    }
    printf("%" PRIu64 " files, %" PRIu64 " bytes, %" PRIu64 " functions, %" PRIu64
           " unbalanced, %.1f ms/MB, laws broken %" PRIu64 "\n",
           corpus.files, corpus.bytes, corpus.functions, corpus.unbalanced,
           (double)corpus.scan_ns / ((double)corpus.bytes + 1), corpus.broken);
    return corpus.files == 0 ? 2 : corpus.broken > 0;
}
