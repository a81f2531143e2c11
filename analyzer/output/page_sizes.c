/*
 * page_sizes.c -- how large single allocations were, a few numbers for the side panel.
 *
 * Numbers are texts: the script's own are exact up to 2^53 only.
 */
#include <inttypes.h>

#include "analyzer/output/page_parts.h"

void an_page_write_sizes(const struct an_page *page)
{
    const struct an_size_summary *sizes = page->options->sizes;
    FILE *out = page->out;

    if (sizes == NULL || sizes->count == 0)
        return;
    fprintf(out, ",\n\"sizes\":{\"freed\":%s,\"exact\":%s,\"count\":\"%" PRIu64 "\"",
            sizes->freed ? "true" : "false", sizes->bytes_exact ? "true" : "false", sizes->count);
    fprintf(out, ",\"bytes\":\"%" PRIu64 "\",\"total\":\"%" PRIu64 "\",\"ranges\":[", sizes->bytes,
            sizes->total_bytes);
    for (int i = 0; i < AN_SIZE_RANGES; i++) {
        const struct an_size_range *range = &sizes->range[i];
        fprintf(out, "%s[\"%s\",\"%" PRIu64 "\",\"%" PRIu64 "\"]", i > 0 ? "," : "", range->title,
                range->count, range->bytes);
    }
    fputs("],\"marks\":[", out);
    for (int i = 0; i < AN_SIZE_MARKS; i++)
        fprintf(out, "%s[\"%s\",\"%" PRIu64 "\"]", i > 0 ? "," : "", sizes->mark[i].title,
                sizes->mark[i].bytes);
    fputs("]}", out);
}
