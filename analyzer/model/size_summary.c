/*
 * size_summary.c -- the sizes of single allocations in seven ranges, and their percentiles.
 */
#include "analyzer/model/size_summary.h"

#include <string.h>

static const struct an_size_range summary_ranges[AN_SIZE_RANGES] = {
    {"0-64", 64, 0, 0},        {"65-256", 256, 0, 0},   {"257-1K", 1024, 0, 0},
    {"1K-4K", 4096, 0, 0},     {"4K-16K", 16384, 0, 0}, {"16K-64K", 65536, 0, 0},
    {">64K", UINT64_MAX, 0, 0}};

static void summary_count(struct an_size_summary *summary, const struct an_sizes *all)
{
    struct an_size_range *range = summary->range;
    for (unsigned i = 0; i < AN_SIZE_CLASSES; i++) {
        while (an_sizes_limit(i) > range->limit_bytes)
            range++;
        range->count += all->count[i];
        range->bytes += all->bytes[i];
        summary->count += all->count[i];
        summary->bytes += all->bytes[i];
    }
}

void an_size_summary_make(const struct an_profile *profile, struct an_size_summary *ret_summary)
{
    const struct an_sizes *all = profile->sizes;
    *ret_summary = (struct an_size_summary){
        .mark = {{"min", all->min_bytes},
                 {"p50", an_sizes_quantile(all, 500)},
                 {"p90", an_sizes_quantile(all, 900)},
                 {"p99", an_sizes_quantile(all, 990)},
                 {"max", all->max_bytes}},
        .bytes_exact = all->bytes_exact,
        .freed = profile->kind == AN_KIND_DEALLOC,
    };
    memcpy(ret_summary->range, summary_ranges, sizeof(summary_ranges));
    summary_count(ret_summary, all);
    ret_summary->total_bytes = ret_summary->bytes;
    if (!all->bytes_exact && an_tree_has(profile->tree, AN_BYTES))
        ret_summary->total_bytes = profile->tree->sum[AN_BYTES] / profile->scale[AN_BYTES];
}
