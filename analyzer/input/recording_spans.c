/*
 * recording_spans.c -- spans as a process left them, some twice, and the calls that were open.
 */
#include "analyzer/input/recording_spans.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/input/recording_calls.h"
#include "analyzer/support/memory.h"

#define BUFFER_SPANS 4096u

/* A span with the number of its call among those of the recording. */
struct loaded {
    uint64_t start, ticks;
    uint32_t call, stack;
    bool open;
};

struct loading {
    const struct an_recording *recording;
    struct an_fault *fault;
    uint8_t *known; /* of each slot: are its calls loaded? */
    struct loaded *span;
    size_t count, room;
};

static uint32_t slot_of(const struct loading *loading, const struct loaded *span)
{
    return loading->recording->call[span->call].slot;
}

static void span_keep(struct loading *loading, const struct loaded *span)
{
    if (loading->count == loading->room) {
        loading->room = loading->room != 0 ? loading->room * 2 : BUFFER_SPANS;
        loading->span = an_memory_resize(loading->span, loading->room, sizeof(*loading->span));
    }
    loading->span[loading->count++] = *span;
}

/* Calls are in the order of their numbers. UINT32_MAX: there is none of that number. */
static uint32_t call_find(const struct an_recording *recording, uint32_t number)
{
    uint32_t low = 0, high = recording->call_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (recording->call[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < recording->call_count && recording->call[low].number == number ? low : UINT32_MAX;
}

static int record_add(struct loading *loading, uint32_t slot, const struct rec_span *record)
{
    const struct an_recording *recording = loading->recording;
    if (record->node == 0 || record->ticks < recording->thread[slot].resolution_ticks ||
        record->ticks > UINT64_MAX - record->start)
        return 0;
    uint32_t call = call_find(recording, record->node);
    if (call != UINT32_MAX && recording->call[call].slot == slot) {
        if (!recording->call[call].timeless && recording->call[call].calls != 0)
            span_keep(loading,
                      &(struct loaded){record->start, record->ticks, call, record->stack, false});
        return 0;
    }
    if (!an_recording_file_ended(&recording->file))
        return 0; /* younger than what was read of the calls */
    return an_fault_set(loading->fault, -EBADMSG,
                        "%s: a span of the call %" PRIu32 ", which its thread has not made",
                        recording->file.path, record->node);
}

static int extent_load(struct loading *loading, const struct rec_extent *extent)
{
    const struct an_recording *recording = loading->recording;
    uint64_t left = extent->page_count * REC_PAGE_BYTES / sizeof(struct rec_span);
    uint64_t offset = extent->first_page * REC_PAGE_BYTES;
    struct rec_span *buffer = an_memory_array(BUFFER_SPANS, sizeof(*buffer));
    int error = 0;
    while (left != 0 && error == 0) {
        uint64_t count = left < BUFFER_SPANS ? left : BUFFER_SPANS;
        error = an_recording_file_read(&recording->file, offset, buffer, count * sizeof(*buffer),
                                       "the spans", loading->fault);
        for (uint64_t i = 0; i < count && error == 0; i++)
            error = record_add(loading, extent->owner, &buffer[i]);
        offset += count * sizeof(*buffer);
        left -= count;
    }
    free(buffer);
    return error;
}

static int records_load(struct loading *loading)
{
    const struct an_recording *recording = loading->recording;
    const struct an_recording_file *file = &recording->file;
    int error = 0;
    for (uint32_t i = 0; i < recording->call_count; i++)
        loading->known[recording->call[i].slot] = 1;
    for (uint32_t i = 0; i < file->extent_count && error == 0; i++) {
        const struct rec_extent *extent = &file->extent[i];
        if (extent->kind == REC_KIND_SPANS && extent->owner < recording->thread_count &&
            loading->known[extent->owner])
            error = extent_load(loading, extent);
    }
    return error;
}

/* For each call the outermost one on its fibre; UINT32_MAX: it ran on the thread's own stack. */
static uint32_t *fibre_tops(const struct an_recording *recording)
{
    uint32_t *top = an_memory_array((size_t)recording->call_count + 1, sizeof(*top));
    for (uint32_t i = 0; i < recording->call_count; i++) {
        uint32_t parent = recording->call[i].parent;
        top[i] = parent == UINT32_MAX                                    ? UINT32_MAX
                 : recording->call[parent].function == REC_SPECIAL_FIBRE ? i
                                                                         : top[parent];
    }
    return top;
}

/*
 * Which stack each fibre is on that is open at the end: that of the calls that have ended on it.
 * One without such calls gets a number that no other of its thread has.
 */
static uint32_t *fibre_stacks(const struct loading *loading, const uint32_t *top)
{
    const struct an_recording *recording = loading->recording;
    uint32_t *stack = an_memory_zeroed((size_t)recording->call_count + 1, sizeof(*stack));
    uint32_t *last = an_memory_zeroed((size_t)recording->thread_count + 1, sizeof(*last));
    for (size_t i = 0; i < loading->count; i++) {
        const struct loaded *span = &loading->span[i];
        uint32_t fibre = top[span->call];
        if (span->stack > last[slot_of(loading, span)])
            last[slot_of(loading, span)] = span->stack;
        if (fibre != UINT32_MAX && recording->call[fibre].open &&
            span->start >= recording->call[fibre].open_start)
            stack[fibre] = span->stack;
    }
    for (uint32_t i = 0; i < recording->call_count; i++) {
        if (top[i] == i && recording->call[i].open && stack[i] == 0)
            stack[i] = ++last[recording->call[i].slot];
    }
    free(last);
    return stack;
}

static void open_add(struct loading *loading)
{
    const struct an_recording *recording = loading->recording;
    uint32_t *top = fibre_tops(recording);
    uint32_t *stack = fibre_stacks(loading, top);
    for (uint32_t i = 0; i < recording->call_count; i++) {
        const struct an_call *call = &recording->call[i];
        const struct rec_thread *thread = &recording->thread[call->slot];
        if (call->open && !call->timeless && call->calls != 0 &&
            call->open_ticks >= thread->resolution_ticks &&
            call->open_ticks <= UINT64_MAX - call->open_start)
            span_keep(loading, &(struct loaded){call->open_start, call->open_ticks, i,
                                                top[i] == UINT32_MAX ? 0 : stack[top[i]], true});
    }
    free(stack);
    free(top);
}

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* Of one call that is there twice the finished one comes first. */
static int order_by_call(const void *left, const void *right)
{
    const struct loaded *a = left, *b = right;
    int compared = COMPARE(a->call, b->call);
    compared = compared != 0 ? compared : COMPARE(a->start, b->start);
    return compared != 0 ? compared : COMPARE(a->open, b->open);
}

static int order_by_lane(const void *left, const void *right, void *context)
{
    const struct loaded *a = left, *b = right;
    int compared = COMPARE(slot_of(context, a), slot_of(context, b));
    compared = compared != 0 ? compared : COMPARE(a->stack, b->stack);
    return compared != 0 ? compared : COMPARE(a->start, b->start);
}

static void twice_drop(struct loading *loading)
{
    size_t kept = 0;
    if (loading->count == 0)
        return; /* there is no array to sort */
    qsort(loading->span, loading->count, sizeof(*loading->span), order_by_call);
    for (size_t i = 0; i < loading->count; i++) {
        const struct loaded *span = &loading->span[i];
        if (kept == 0 || span->call != loading->span[kept - 1].call ||
            span->start != loading->span[kept - 1].start)
            loading->span[kept++] = *span;
    }
    loading->count = kept;
}

static struct an_lane lane_new(const struct loading *loading, const struct loaded *span,
                               uint32_t first, uint32_t fibre)
{
    const struct an_recording *recording = loading->recording;
    const struct rec_thread *thread = &recording->thread[slot_of(loading, span)];
    struct an_lane lane = {
        .name = an_memory_zeroed(sizeof(thread->name) + 1, 1),
        .tid = thread->times_taken == 1 ? thread->tid : 0,
        .fibre = fibre,
        .least_ns = an_recording_calls_ns(recording, thread->resolution_ticks),
        .lost = thread->spans_lost,
        .first = first,
    };
    memcpy(lane.name, thread->name, sizeof(thread->name));
    return lane;
}

/* Both ends are converted, and not the length: rounded alike, what lies within a call stays so. */
static struct an_span span_new(const struct an_recording *recording, const struct loaded *loaded,
                               uint32_t node)
{
    uint64_t start = an_recording_calls_moment_ns(recording, loaded->start);
    uint64_t end = an_recording_calls_moment_ns(recording, loaded->start + loaded->ticks);
    return (struct an_span){
        .start_ns = start, .duration_ns = end - start, .node = node, .open = loaded->open};
}

/*
 * What the calls of each node have that is in no span. All of a call counts, also what it has
 * called; a node of the tree may be several of the recording.
 */
static struct an_rest *rest_new(const struct loading *loading, const struct an_tree *tree,
                                const uint32_t *place)
{
    const struct an_recording *recording = loading->recording;
    struct an_rest *rest = an_memory_zeroed(tree->node_count, sizeof(*rest));
    uint64_t *ticks = an_memory_zeroed((size_t)recording->call_count + 1, sizeof(*ticks));
    uint64_t *calls = an_memory_zeroed((size_t)recording->call_count + 1, sizeof(*calls));
    for (uint32_t i = recording->call_count; i-- > 0;) {
        calls[i] = recording->call[i].calls;
        ticks[i] += recording->call[i].ticks;
        if (recording->call[i].parent != UINT32_MAX)
            ticks[recording->call[i].parent] += ticks[i];
    }
    for (size_t i = 0; i < loading->count; i++) {
        const struct loaded *span = &loading->span[i];
        calls[span->call] -= calls[span->call] != 0;
        ticks[span->call] -= span->ticks < ticks[span->call] ? span->ticks : ticks[span->call];
    }
    for (uint32_t i = 0; i < recording->call_count; i++) {
        if (recording->call[i].timeless || place[i] == 0 || calls[i] == 0)
            continue;
        rest[place[i]].calls += calls[i];
        rest[place[i]].ns += an_recording_calls_ns(recording, ticks[i]);
    }
    free(calls);
    free(ticks);
    return rest;
}

static struct an_timeline *timeline_new(struct loading *loading, const uint32_t *place)
{
    struct an_timeline *timeline = an_memory_zeroed(1, sizeof(*timeline));
    qsort_r(loading->span, loading->count, sizeof(*loading->span), order_by_lane, loading);
    timeline->span = an_memory_array(loading->count, sizeof(*timeline->span));
    for (size_t i = 0; i < loading->count; i++) {
        const struct loaded *span = &loading->span[i];
        bool same_slot = i != 0 && slot_of(loading, span) == slot_of(loading, span - 1);
        if (!same_slot || span->stack != span[-1].stack) {
            uint32_t before = same_slot ? timeline->lane[timeline->lane_count - 1].fibre : 0;
            timeline->lane = an_memory_resize(timeline->lane, timeline->lane_count + 1UL,
                                              sizeof(*timeline->lane));
            timeline->lane[timeline->lane_count++] =
                lane_new(loading, span, (uint32_t)i, span->stack == 0 ? 0 : before + 1);
        }
        timeline->span[i] = span_new(loading->recording, span, place[span->call]);
        timeline->lane[timeline->lane_count - 1].count++;
    }
    timeline->span_count = (uint32_t)loading->count;
    return timeline;
}

int an_recording_spans(const struct an_recording *recording, const struct an_tree *tree,
                       const uint32_t *place, struct an_timeline **ret_timeline,
                       struct an_fault *fault)
{
    struct loading loading = {
        .recording = recording,
        .fault = fault,
        .known = an_memory_zeroed((size_t)recording->thread_count + 1, 1),
    };
    int error = records_load(&loading);
    *ret_timeline = NULL;
    if (error == 0) {
        open_add(&loading);
        twice_drop(&loading);
        if (loading.count > UINT32_MAX)
            error = an_fault_set(fault, -EBADMSG, "%s: has too many spans", recording->file.path);
        else if (loading.count != 0) {
            *ret_timeline = timeline_new(&loading, place);
            (*ret_timeline)->rest = rest_new(&loading, tree, place);
            an_timeline_arrange(*ret_timeline, tree);
        }
    }
    free(loading.span);
    free(loading.known);
    return error;
}

bool an_recording_resolution(const struct an_recording *recording, uint64_t *ret_ns)
{
    uint64_t ticks = 0;
    bool any = false;
    for (uint32_t i = 0; i < recording->thread_count; i++) {
        const struct rec_thread *thread = &recording->thread[i];
        if (thread->call_root == 0 || thread->resolution_ticks >= REC_RESOLUTION_NONE)
            continue;
        any = true;
        if (thread->resolution_ticks > ticks)
            ticks = thread->resolution_ticks;
    }
    if (any)
        *ret_ns = an_recording_calls_ns(recording, ticks);
    return any && (recording->file.header.content & REC_CONTENT_TIME) != 0;
}
