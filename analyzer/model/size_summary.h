/*
 * size_summary.h -- the sizes of single allocations as people read them: seven ranges, and the
 * sizes that most allocations do not exceed.
 *
 * Context: tool.
 */
#ifndef THAG_AN_SIZE_SUMMARY_H
#define THAG_AN_SIZE_SUMMARY_H

#include "analyzer/model/profile.h"

struct an_size_range {
    const char *title;    /* "1K-4K" */
    uint64_t limit_bytes; /* the largest size in it; all are limits of size classes */
    uint64_t count;
    uint64_t bytes;
};

/* A size with a name: "min", "p50", ..., "max". */
struct an_size_mark {
    const char *title;
    uint64_t bytes;
};

#define AN_SIZE_RANGES 7
#define AN_SIZE_MARKS  5

struct an_size_summary {
    struct an_size_range range[AN_SIZE_RANGES];
    struct an_size_mark mark[AN_SIZE_MARKS]; /* rising; they mean something if count is not 0 */
    uint64_t count, bytes;                   /* of all ranges */
    uint64_t total_bytes;                    /* exact, where the ranges' bytes are bounds only */
    bool bytes_exact;
    bool freed; /* the sizes of frees, not of allocations */
};

/* PROFILE has sizes. */
void an_size_summary_make(const struct an_profile *profile, struct an_size_summary *ret_summary);

#endif
