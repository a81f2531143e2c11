/*
 * page_from_spans.c -- a flamechart's page from lines on standard input, for the browser tests.
 *
 * usage: page_from_spans [html|svg] <LINES >PAGE
 *
 * sampled                           first: a span is a bar of samples
 * lane NAME TID FIBRE LEAST_NS      the spans behind it are this lane's
 * span START_NS LENGTH_NS STACK     a call; STACK is "frame;frame"
 * open START_NS LENGTH_NS STACK     one in which the program ended
 * rest CALLS NS STACK               calls of a stack that are no spans
 * moment NS BYTES                   live memory
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/page.h"
#include "analyzer/support/memory.h"

enum { NODES_MAX = 10000 };

struct making {
    struct an_profile profile;
    struct an_timeline *timeline;
    uint64_t end_ns;
    enum an_value value;
};

static uint32_t stack_add(struct making *making, char *stack)
{
    struct an_tree *tree = making->profile.tree;
    uint32_t node = 0;
    char *frame;
    while ((frame = strsep(&stack, ";\n")) != NULL) {
        if (*frame != '\0')
            node = an_tree_child(tree, node, an_names_intern(tree->names, frame, strlen(frame)));
    }
    if (node >= NODES_MAX || an_tree_add(tree, node, making->value, 1) < 0)
        abort();
    return node;
}

static void lane_add(struct an_timeline *timeline, const char *rest)
{
    char name[64];
    struct an_lane lane = {.first = timeline->span_count};
    if (sscanf(rest, "%63s %" SCNu32 " %" SCNu32 " %" SCNu64, name, &lane.tid, &lane.fibre,
               &lane.least_ns) != 4)
        abort();
    lane.name = an_memory_text(name);
    timeline->lane =
        an_memory_resize(timeline->lane, timeline->lane_count + 1UL, sizeof(*timeline->lane));
    timeline->lane[timeline->lane_count++] = lane;
}

static void span_add(struct making *making, const struct an_span *span)
{
    struct an_timeline *timeline = making->timeline;
    uint32_t count = timeline->span_count;
    if ((count & (count - 1)) == 0) /* room doubles */
        timeline->span = an_memory_resize(timeline->span, count * 2UL + 1, sizeof(*span));
    timeline->span[timeline->span_count++] = *span;
    timeline->lane[timeline->lane_count - 1].count++;
    if (span->start_ns + span->duration_ns > making->end_ns)
        making->end_ns = span->start_ns + span->duration_ns;
}

static void line_add(struct making *making, char *line)
{
    struct an_profile *profile = &making->profile;
    char word[16];
    uint64_t first = 0, second = 0;
    int end = 0;
    if (sscanf(line, "%15s %n", word, &end) != 1)
        return;
    if (strcmp(word, "sampled") == 0) {
        making->timeline->sampled = true;
        making->value = AN_SAMPLE_TIME;
        return;
    }
    if (strcmp(word, "lane") == 0) {
        lane_add(making->timeline, line + end);
        return;
    }
    if (sscanf(line, "%15s %" SCNu64 " %" SCNu64 " %n", word, &first, &second, &end) != 3)
        abort();
    if (strcmp(word, "moment") == 0) {
        profile->moment = an_memory_resize(profile->moment, profile->moment_count + 1UL,
                                           sizeof(*profile->moment));
        profile->moment[profile->moment_count++] =
            (struct an_moment){.ns = first, .live_bytes = second};
        return;
    }
    uint32_t node = stack_add(making, line + end);
    if (strcmp(word, "rest") == 0)
        making->timeline->rest[node] = (struct an_rest){first, second};
    else
        span_add(making, &(struct an_span){.start_ns = first,
                                           .duration_ns = second,
                                           .node = node,
                                           .open = strcmp(word, "open") == 0});
}

int main(int argc, char **argv)
{
    static const char *const notes[] = {"12 events were lost: the \"ring\" <was> full & so on."};
    struct making making = {.timeline = an_memory_zeroed(1, sizeof(*making.timeline)),
                            .value = AN_TIME};
    char *line = NULL;
    size_t room = 0;
    an_profile_init(&making.profile);
    making.profile.timeline = making.timeline;
    making.timeline->rest = an_memory_zeroed(NODES_MAX, sizeof(*making.timeline->rest));
    while (getline(&line, &room, stdin) > 0)
        line_add(&making, line);
    an_timeline_arrange(making.timeline, making.profile.tree);
    struct an_page_options options = {
        .kind = AN_PAGE_TIMELINE,
        .format = argc > 1 && strcmp(argv[1], "svg") == 0 ? AN_PAGE_SVG : AN_PAGE_HTML,
        .title = "A chart",
        .subtitle = "made from lines",
        .note = notes,
        .note_count = 1,
        .value = making.value,
        .values = 1u << making.value,
        .timeline = making.timeline,
        .duration_ns = making.end_ns,
        .moment = making.profile.moment,
        .moment_count = making.profile.moment_count,
    };
    int result = an_page_write(making.profile.tree, &options, stdout);
    free(line);
    an_profile_release(&making.profile);
    return result < 0;
}
