/*
 * page_timeline.c -- lanes of single calls, in the script's data.
 *
 * Texts of numbers are packed as in page_data.c. Per lane there is
 *   start   ns, each as the difference to the one before it
 *   length  ns
 *   node    its place in the preorder of the tree's nodes
 *   open    the numbers of the calls in which the program ended
 * and per node of the tree, in preorder, how many calls and ns have no place in any lane.
 */
#include <inttypes.h>
#include <string.h>

#include "analyzer/output/escape.h"
#include "analyzer/output/page_parts.h"

static void lane_write(FILE *out, const struct an_timeline *timeline, const struct an_lane *lane,
                       const uint32_t *place)
{
    const struct an_span *span = timeline->span + lane->first;
    const char *separator = "";

    fputs("{\"name\":", out);
    an_escape_json(out, lane->name, strlen(lane->name));
    fprintf(out,
            ",\"tid\":%" PRIu32 ",\"fibre\":%" PRIu32 ",\"least\":%" PRIu64 ",\"lost\":%" PRIu64
            ",\"count\":%" PRIu32 ",\n\"start\":\"",
            lane->tid, lane->fibre, lane->least_ns, lane->lost, lane->count);
    for (uint32_t i = 0; i < lane->count; i++)
        an_page_write_number(out, span[i].start_ns - (i > 0 ? span[i - 1].start_ns : 0));
    fputs("\",\n\"length\":\"", out);
    for (uint32_t i = 0; i < lane->count; i++)
        an_page_write_number(out, span[i].duration_ns);
    fputs("\",\n\"node\":\"", out);
    for (uint32_t i = 0; i < lane->count; i++)
        an_page_write_number(out, place[span[i].node]);
    fputs("\",\n\"open\":[", out);
    for (uint32_t i = 0; i < lane->count; i++) {
        if (span[i].open) {
            fprintf(out, "%s%" PRIu32, separator, i);
            separator = ",";
        }
    }
    fputs("]}", out);
}

static void moments_write(FILE *out, const struct an_page_options *options)
{
    uint64_t before = 0;

    if (options->moment_count == 0)
        return;
    fprintf(out, ",\n\"moments\":{\"count\":%" PRIu32 ",\"ns\":\"", options->moment_count);
    for (uint32_t i = 0; i < options->moment_count; i++) {
        an_page_write_number(out, options->moment[i].ns - before);
        before = options->moment[i].ns;
    }
    fputs("\",\"bytes\":\"", out);
    for (uint32_t i = 0; i < options->moment_count; i++)
        an_page_write_number(out, options->moment[i].live_bytes);
    fputs("\"}", out);
}

void an_page_write_timeline(const struct an_page *page, const uint32_t *node, const uint32_t *place)
{
    const struct an_page_options *options = page->options;
    const struct an_timeline *timeline = options->timeline;
    FILE *out = page->out;

    fprintf(out, ",\n\"duration\":%" PRIu64 ",\"sampled\":%s,\"lanes\":[", options->duration_ns,
            timeline->sampled ? "true" : "false");
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        fputs(i > 0 ? ",\n" : "", out);
        lane_write(out, timeline, &timeline->lane[i], place);
    }
    fputs("],\n\"rest\":{\"calls\":\"", out);
    for (uint32_t n = 0; n < page->tree->node_count; n++)
        an_page_write_number(out, timeline->rest[node[n]].calls);
    fputs("\",\"ns\":\"", out);
    for (uint32_t n = 0; n < page->tree->node_count; n++)
        an_page_write_number(out, timeline->rest[node[n]].ns);
    fputs("\"}", out);
    moments_write(out, options);
}
