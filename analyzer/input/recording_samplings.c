/*
 * recording_samplings.c -- see the header.
 */
#include "analyzer/input/recording_samplings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

#define POINTS_PER_PAGE (REC_PAGE_BYTES / sizeof(struct rec_sampling))

/* A lane that is being made. */
struct lane {
    const struct an_recording *recording;
    const struct an_tree *tree;
    struct an_timeline *timeline;
    uint32_t room;  /* of spans */
    uint32_t *node; /* the open frames, from the root's child on */
    uint32_t *span; /* their spans */
    uint32_t depth, most;
    uint64_t end_ns; /* of the last sample */
};

/* The points of one slot, as many as there are in the file. */
struct points {
    struct rec_sampling *point;
    uint32_t count;
};

static int page_load(const struct an_recording *recording, uint64_t page, struct points *points,
                     struct an_fault *fault)
{
    struct rec_sampling records[POINTS_PER_PAGE];
    uint64_t offset = page * REC_PAGE_BYTES;
    int error = an_recording_file_read(&recording->file, offset, records, sizeof(records),
                                       "the samples in time", fault);
    for (uint32_t i = 0; i < POINTS_PER_PAGE && error == 0; i++) {
        if (records[i].ns == 0)
            continue;
        if (records[i].stack < recording->stack_count)
            points->point[points->count++] = records[i];
        else if (an_recording_file_ended(&recording->file))
            error = an_fault_set(fault, -EBADMSG,
                                 "%s: offset %" PRIu64 ": a sample of stack %" PRIu32
                                 ", but there are only %" PRIu32,
                                 recording->file.path, offset + i * sizeof(*records),
                                 records[i].stack, recording->stack_count);
    }
    return error;
}

static int points_load(const struct an_recording *recording, uint32_t slot, struct points *points,
                       struct an_fault *fault)
{
    const struct an_recording_file *file = &recording->file;
    int error = 0;
    for (uint32_t e = 0; e < file->extent_count && error == 0; e++) {
        const struct rec_extent *extent = &file->extent[e];
        if (extent->kind != REC_KIND_SAMPLINGS || extent->owner != slot)
            continue;
        uint64_t room = points->count + extent->page_count * POINTS_PER_PAGE;
        points->point = an_memory_resize(points->point, room, sizeof(*points->point));
        for (uint64_t page = 0; page < extent->page_count && error == 0; page++)
            error = page_load(recording, extent->first_page + page, points, fault);
    }
    return error;
}

/* A process that was killed while it halved the points leaves some twice: those of one moment. */
static int point_order(const void *left, const void *right)
{
    const struct rec_sampling *a = left, *b = right;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static void span_open(struct lane *lane, uint32_t node, uint64_t start_ns)
{
    struct an_timeline *timeline = lane->timeline;
    if (timeline->span_count == lane->room) {
        lane->room = lane->room != 0 ? lane->room * 2 : 1024;
        timeline->span = an_memory_resize(timeline->span, lane->room, sizeof(*timeline->span));
    }
    if (lane->depth == lane->most) {
        lane->most = lane->most != 0 ? lane->most * 2 : 64;
        lane->node = an_memory_resize(lane->node, lane->most, sizeof(*lane->node));
        lane->span = an_memory_resize(lane->span, lane->most, sizeof(*lane->span));
    }
    lane->node[lane->depth] = node;
    lane->span[lane->depth++] = timeline->span_count;
    timeline->span[timeline->span_count++] = (struct an_span){.start_ns = start_ns, .node = node};
}

/* How many of the open frames are those of NODE's stack too; DEPTH is its depth. */
static uint32_t frames_shared(const struct lane *lane, uint32_t node, uint32_t depth)
{
    for (; depth > lane->depth; depth--)
        node = lane->tree->parent[node];
    uint32_t shared = depth;
    for (; depth > 0; depth--, node = lane->tree->parent[node]) {
        if (lane->node[depth - 1] != node)
            shared = depth - 1;
    }
    return shared;
}

/* Open the frames of NODE, at DEPTH, that are not open yet; the outermost first. */
static void frames_open(struct lane *lane, uint32_t node, uint32_t depth, uint64_t start_ns)
{
    while (lane->depth < depth) {
        uint32_t frame = node;
        for (uint32_t d = depth; d > lane->depth + 1; d--)
            frame = lane->tree->parent[frame];
        span_open(lane, frame, start_ns);
    }
}

static void sample_add(struct lane *lane, const struct rec_sampling *point, uint32_t node)
{
    uint64_t end_ns = point->ns - 1, length_ns = (uint64_t)point->length_us * 1000;
    uint64_t start_ns = end_ns > length_ns ? end_ns - length_ns : 0;
    uint32_t depth = an_tree_depth(lane->tree, node);
    bool idle = start_ns > lane->end_ns && start_ns - lane->end_ns > length_ns;
    if (!idle && lane->depth != 0)
        start_ns = lane->end_ns;
    lane->depth = idle ? 0 : frames_shared(lane, node, depth);
    frames_open(lane, node, depth, start_ns);
    for (uint32_t i = 0; i < lane->depth; i++) {
        struct an_span *span = &lane->timeline->span[lane->span[i]];
        span->duration_ns = end_ns - span->start_ns;
    }
    lane->end_ns = end_ns;
}

/* No resolution is set: nothing shorter is left to the sums. */
static void lane_begin(struct lane *lane, uint32_t slot)
{
    struct an_timeline *timeline = lane->timeline;
    const struct rec_thread *thread = &lane->recording->thread[slot];
    struct an_lane made = {
        .name = an_memory_zeroed(sizeof(thread->name) + 1, 1),
        .tid = thread->times_taken == 1 ? thread->tid : 0,
        .first = timeline->span_count,
    };
    memcpy(made.name, thread->name, sizeof(thread->name));
    timeline->lane =
        an_memory_resize(timeline->lane, timeline->lane_count + 1UL, sizeof(*timeline->lane));
    timeline->lane[timeline->lane_count++] = made;
    lane->depth = 0;
    lane->end_ns = 0;
}

static void lane_make(struct lane *lane, uint32_t slot, struct points *points,
                      const uint32_t *place)
{
    struct an_timeline *timeline = lane->timeline;
    if (points->count == 0)
        return;
    qsort(points->point, points->count, sizeof(*points->point), point_order);
    lane_begin(lane, slot);
    for (uint32_t i = 0; i < points->count; i++) {
        const struct rec_sampling *point = &points->point[i];
        if (place[point->stack] != 0 && (i == 0 || point->ns != point[-1].ns))
            sample_add(lane, point, place[point->stack]);
    }
    struct an_lane *made = &timeline->lane[timeline->lane_count - 1];
    made->count = timeline->span_count - made->first;
}

int an_recording_samplings(const struct an_recording *recording,
                           const struct an_recording_select *select, const struct an_tree *tree,
                           const uint32_t *place, struct an_timeline **ret_timeline,
                           struct an_fault *fault)
{
    struct lane lane = {.recording = recording,
                        .tree = tree,
                        .timeline = an_memory_zeroed(1, sizeof(*lane.timeline))};
    struct points points = {NULL, 0};
    int error = 0;
    for (uint32_t slot = 0; slot < recording->thread_count && error == 0; slot++) {
        points.count = 0;
        if (an_recording_slot_selected(recording, slot, select))
            error = points_load(recording, slot, &points, fault);
        if (error == 0)
            lane_make(&lane, slot, &points, place);
    }
    free(points.point);
    free(lane.node);
    free(lane.span);
    *ret_timeline = NULL;
    if (error != 0 || lane.timeline->span_count == 0) {
        an_timeline_free(lane.timeline);
    } else {
        lane.timeline->sampled = true;
        lane.timeline->rest = an_memory_zeroed(tree->node_count, sizeof(*lane.timeline->rest));
        an_timeline_arrange(lane.timeline, tree);
        *ret_timeline = lane.timeline;
    }
    return error;
}
