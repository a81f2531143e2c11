/*
 * export_timeline.c -- calls at their times, for speedscope and for Chrome's trace events.
 *
 * Both formats want the calls of a track to nest. Measured times may overlap by what two readings
 * of a clock differ: a call then ends where the one around it does.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/amount.h"
#include "analyzer/output/export_parts.h"
#include "analyzer/support/memory.h"

/* Trace events are in microseconds. */
#define CHROME_NS 1000u

struct open_span {
    uint32_t name; /* of the tree */
    uint64_t end_ns;
};

struct lane_writer {
    struct an_json *json;
    const struct an_profile *profile;
    const struct an_lane *lane;
    uint32_t track;
    void (*open)(const struct lane_writer *writer, const struct an_span *span, uint64_t end_ns);
    void (*close)(const struct lane_writer *writer, const struct open_span *span);
};

/* Open and close the spans of a lane in the order of time. They come by start, callers first. */
static void lane_write(const struct lane_writer *writer)
{
    const struct an_timeline *timeline = writer->profile->timeline;
    const struct an_lane *lane = writer->lane;
    struct open_span *open = an_memory_array((size_t)lane->count + 1, sizeof(*open));
    uint32_t depth = 0;
    for (uint32_t i = 0; i < lane->count; i++) {
        const struct an_span *span = &timeline->span[lane->first + i];
        uint64_t end_ns = span->start_ns + span->duration_ns;
        while (depth && open[depth - 1].end_ns <= span->start_ns)
            writer->close(writer, &open[--depth]);
        if (depth && end_ns > open[depth - 1].end_ns)
            end_ns = open[depth - 1].end_ns;
        writer->open(writer, span, end_ns);
        open[depth++] = (struct open_span){writer->profile->tree->name[span->node], end_ns};
    }
    while (depth)
        writer->close(writer, &open[--depth]);
    free(open);
}

/* "worker (thread 42, fibre 1), calls under 1.02 us only as sums". Freed by free(). */
static char *lane_title(const struct an_lane *lane)
{
    char *text = an_memory_array(strlen(lane->name) + 120, 1);
    char *end = text + sprintf(text, "%s", lane->name), least[AN_AMOUNT_MAX];
    if (lane->tid)
        end += sprintf(end, " (thread %" PRIu32, lane->tid);
    if (lane->fibre)
        end += sprintf(end, "%sfibre %" PRIu32, lane->tid ? ", " : " (", lane->fibre);
    if (lane->tid || lane->fibre)
        end += sprintf(end, ")");
    if (lane->least_ns) {
        an_amount_text(lane->least_ns, 1, AN_UNIT_NS, least);
        sprintf(end, ", calls under %s only as sums", least);
    }
    return text;
}

static void speedscope_open(const struct lane_writer *writer, const struct an_span *span,
                            uint64_t end_ns)
{
    (void)end_ns;
    an_export_speedscope_event(writer->json, "O", writer->profile->tree->name[span->node],
                               span->start_ns, 1);
}

static void speedscope_close(const struct lane_writer *writer, const struct open_span *span)
{
    an_export_speedscope_event(writer->json, "C", span->name, span->end_ns, 1);
}

/* From the first start to the last end of all lanes: side by side they have one time. */
static void timeline_range(const struct an_timeline *timeline, uint64_t *ret_from, uint64_t *ret_to)
{
    *ret_from = UINT64_MAX;
    *ret_to = 0;
    for (uint32_t i = 0; i < timeline->span_count; i++) {
        const struct an_span *span = &timeline->span[i];
        if (span->start_ns < *ret_from)
            *ret_from = span->start_ns;
        if (span->start_ns + span->duration_ns > *ret_to)
            *ret_to = span->start_ns + span->duration_ns;
    }
}

void an_export_speedscope_lanes(struct an_json *json, const struct an_profile *profile)
{
    const struct an_timeline *timeline = profile->timeline;
    uint64_t from_ns, to_ns;
    timeline_range(timeline, &from_ns, &to_ns);
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        struct lane_writer writer = {.json = json,
                                     .profile = profile,
                                     .lane = &timeline->lane[i],
                                     .open = speedscope_open,
                                     .close = speedscope_close};
        char *title = lane_title(writer.lane);
        an_json_line(json);
        an_json_object_open(json);
        an_json_pair_text(json, "type", "evented");
        an_json_pair_text(json, "name", title);
        an_json_pair_text(json, "unit", "nanoseconds");
        an_json_pair_number(json, "startValue", from_ns);
        an_json_pair_number(json, "endValue", to_ns);
        an_json_key(json, "events");
        an_json_list_open(json);
        lane_write(&writer);
        an_json_list_close(json);
        an_json_object_close(json);
        free(title);
    }
}

/* Begin an event of type PH on TRACK. */
static void chrome_begin(struct an_json *json, const struct an_profile *profile, const char *ph,
                         uint32_t track)
{
    an_json_line(json);
    an_json_object_open(json);
    an_json_pair_text(json, "ph", ph);
    an_json_pair_number(json, "pid", profile->pid);
    an_json_pair_number(json, "tid", track);
}

static void chrome_open(const struct lane_writer *writer, const struct an_span *span,
                        uint64_t end_ns)
{
    struct an_json *json = writer->json;
    const struct an_tree *tree = writer->profile->tree;
    chrome_begin(json, writer->profile, "X", writer->track);
    an_json_key(json, "name");
    an_export_name(json, tree, tree->name[span->node]);
    an_json_key(json, "ts");
    an_json_amount(json, span->start_ns, CHROME_NS);
    an_json_key(json, "dur");
    an_json_amount(json, end_ns - span->start_ns, CHROME_NS);
    if (span->open) {
        an_json_key(json, "args");
        an_json_object_open(json);
        an_json_key(json, "open_at_end");
        an_json_bool(json, true);
        an_json_object_close(json);
    }
    an_json_object_close(json);
}

/* An event has its length from the start on. */
static void chrome_close(const struct lane_writer *writer, const struct open_span *span)
{
    (void)writer;
    (void)span;
}

static void chrome_name(struct an_json *json, const struct an_profile *profile, const char *what,
                        uint32_t track, const char *name)
{
    chrome_begin(json, profile, "M", track);
    an_json_pair_text(json, "name", what);
    an_json_key(json, "args");
    an_json_object_open(json);
    an_json_pair_text(json, "name", name);
    an_json_object_close(json);
    an_json_object_close(json);
}

static void chrome_moments(struct an_json *json, const struct an_profile *profile)
{
    for (uint32_t i = 0; i < profile->moment_count; i++) {
        chrome_begin(json, profile, "C", 0);
        an_json_pair_text(json, "name", "live memory");
        an_json_key(json, "ts");
        an_json_amount(json, profile->moment[i].ns, CHROME_NS);
        an_json_key(json, "args");
        an_json_object_open(json);
        an_json_pair_number(json, "bytes", profile->moment[i].live_bytes);
        an_json_object_close(json);
        an_json_object_close(json);
    }
}

/*
 * Tracks are numbered from 1 on, not by thread: fibres of one thread overlap, and several threads
 * of one name may share a lane.
 */
void an_export_chrome_lanes(struct an_json *json, const struct an_profile *profile)
{
    const struct an_timeline *timeline = profile->timeline;
    chrome_name(json, profile, "process_name", 0, profile->program ? profile->program : "");
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        struct lane_writer writer = {.json = json,
                                     .profile = profile,
                                     .lane = &timeline->lane[i],
                                     .track = i + 1,
                                     .open = chrome_open,
                                     .close = chrome_close};
        char *title = lane_title(writer.lane);
        chrome_name(json, profile, "thread_name", writer.track, title);
        lane_write(&writer);
        free(title);
    }
    chrome_moments(json, profile);
}
