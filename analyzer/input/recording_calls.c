/*
 * recording_calls.c -- from raw nodes to exclusive times.
 *
 * A node's number is its place in the file, and parents are made before their children: sorted by
 * number, one loop forwards checks parents and one backwards sums children up.
 */
#include "analyzer/input/recording_calls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

#define COST_UNIT 1024 /* rec_header.cost_inside and .cost_outside are in that part of a tick */

struct loading {
    struct an_recording *recording;
    struct rec_call *record; /* as many as calls, in the order of their numbers */
    uint32_t *number;
    uint64_t *child_ticks; /* inclusive ticks of the children */
    uint64_t *child_calls;
};

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t subtract(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Ticks and nanoseconds between the two clock points; 1 and 1 where they say nothing. */
static void clock_rate(const struct rec_header *header, uint64_t *ret_ticks, uint64_t *ret_ns)
{
    *ret_ticks = *ret_ns = 1;
    if (header->clock_kind == REC_CLOCK_MONOTONIC || header->clock_last == 0 ||
        header->clock_last > 2)
        return;
    const struct rec_clock_point *from = &header->clock_point[0];
    const struct rec_clock_point *to = &header->clock_point[header->clock_last];
    if (to->ticks > from->ticks && to->ns > from->ns) {
        *ret_ticks = to->ticks - from->ticks;
        *ret_ns = to->ns - from->ns;
    }
}

static uint64_t scale(uint64_t amount, uint64_t by, uint64_t over)
{
    unsigned __int128 product = (unsigned __int128)amount * by / over;
    return product > UINT64_MAX ? UINT64_MAX : (uint64_t)product;
}

uint64_t an_recording_calls_ns(const struct an_recording *recording, uint64_t ticks)
{
    uint64_t rate_ticks, rate_ns;
    clock_rate(&recording->file.header, &rate_ticks, &rate_ns);
    return scale(ticks, rate_ns, rate_ticks);
}

uint64_t an_recording_calls_moment_ns(const struct an_recording *recording, uint64_t ticks)
{
    const struct rec_header *header = &recording->file.header;
    const struct rec_clock_point *point = &header->clock_point[0];
    uint64_t at =
        point->ns > header->start_monotonic_ns ? point->ns - header->start_monotonic_ns : 0;
    if (header->clock_kind == REC_CLOCK_MONOTONIC)
        return subtract(ticks, header->start_monotonic_ns);
    if (ticks < point->ticks)
        return subtract(at, an_recording_calls_ns(recording, point->ticks - ticks));
    return add(at, an_recording_calls_ns(recording, ticks - point->ticks));
}

/* The end of the recording in ticks; 0: not stamped. */
static uint64_t end_ticks(const struct rec_header *header)
{
    uint64_t ticks, ns;
    clock_rate(header, &ticks, &ns);
    if (header->end_ns == 0)
        return 0;
    if (header->clock_kind == REC_CLOCK_MONOTONIC || header->end_ns <= header->clock_point[0].ns)
        return header->end_ns;
    return add(header->clock_point[0].ticks,
               scale(header->end_ns - header->clock_point[0].ns, ticks, ns));
}

static int extent_load(struct loading *loading, const struct rec_extent *extent,
                       struct an_fault *fault)
{
    struct an_recording *recording = loading->recording;
    uint64_t count = extent->page_count * REC_PAGE_BYTES / REC_CALL_BYTES;
    uint64_t offset = extent->first_page * REC_PAGE_BYTES;
    struct rec_call *records = &loading->record[recording->call_count];
    int error = an_recording_file_read(&recording->file, offset, records, count * sizeof(*records),
                                       "the calls", fault);
    uint32_t kept = recording->call_count;
    for (uint64_t i = 0; i < count && error == 0; i++) {
        if (records[i].function == 0)
            continue;
        loading->record[kept] = records[i];
        loading->number[kept] = (uint32_t)(offset / REC_CALL_BYTES + i);
        recording->call[kept].number = loading->number[kept];
        recording->call[kept].slot = extent->owner;
        kept++;
    }
    recording->call_count = kept;
    return error;
}

static int records_load(struct loading *loading, const struct an_recording_select *select,
                        struct an_fault *fault)
{
    struct an_recording *recording = loading->recording;
    const struct an_recording_file *file = &recording->file;
    for (uint32_t i = 0; i < file->extent_count; i++) {
        const struct rec_extent *extent = &file->extent[i];
        if (extent->kind != REC_KIND_CALLS)
            continue;
        if (extent->owner >= recording->thread_count) {
            if (!an_recording_file_ended(file))
                continue; /* a slot that was taken after this snapshot began */
            return an_fault_set(fault, -EBADMSG,
                                "%s: offset %" PRIu64 ": calls of slot %" PRIu32
                                ", but there are only %" PRIu32,
                                file->path, extent->first_page * REC_PAGE_BYTES, extent->owner,
                                recording->thread_count);
        }
        if (an_recording_slot_selected(recording, extent->owner, select)) {
            int error = extent_load(loading, extent, fault);
            if (error != 0)
                return error;
        }
    }
    return 0;
}

/* Extents are in the order of their pages, so numbers rise. UINT32_MAX: not there. */
static uint32_t number_find(const struct loading *loading, uint32_t number, uint32_t below)
{
    uint32_t low = 0, high = below;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (loading->number[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < below && loading->number[low] == number ? low : UINT32_MAX;
}

static int parents_find(struct loading *loading, struct an_fault *fault)
{
    struct an_recording *recording = loading->recording;
    for (uint32_t i = 0; i < recording->call_count; i++) {
        const struct rec_call *record = &loading->record[i];
        struct an_call *call = &recording->call[i];
        bool root = record->function == REC_SPECIAL_THREAD;
        call->parent = root ? UINT32_MAX : number_find(loading, record->parent, i);
        if (!root &&
            (call->parent == UINT32_MAX || recording->call[call->parent].slot != call->slot))
            return an_fault_set(fault, -EBADMSG,
                                "%s: offset %" PRIu64 ": the call has the parent %" PRIu32
                                ", which is no call of its thread before it",
                                recording->file.path, (uint64_t)loading->number[i] * REC_CALL_BYTES,
                                record->parent);
    }
    return 0;
}

/* The last sign of life of each slot, for a process that was killed. */
static uint64_t *last_ticks(const struct loading *loading)
{
    const struct an_recording *recording = loading->recording;
    uint64_t *last = an_memory_zeroed((size_t)recording->thread_count + 1, sizeof(*last));
    for (uint32_t i = 0; i < recording->thread_count; i++)
        last[i] = recording->thread[i].last_ticks;
    for (uint32_t i = 0; i < recording->call_count; i++) {
        uint64_t start = loading->record[i].start;
        if (start != REC_CALL_NO_START && start > last[recording->call[i].slot])
            last[recording->call[i].slot] = start;
    }
    return last;
}

/* What the recording stood still since the call's slot last looked. */
static uint64_t stood_still(const struct an_recording *recording, uint32_t index)
{
    return subtract(recording->file.header.paused_ticks,
                    recording->thread[recording->call[index].slot].paused_ticks);
}

static void open_count(struct loading *loading)
{
    struct an_recording *recording = loading->recording;
    uint64_t stamped = end_ticks(&recording->file.header);
    uint64_t *last = last_ticks(loading);
    for (uint32_t i = 0; i < recording->call_count; i++) {
        struct rec_call *record = &loading->record[i];
        struct an_call *call = &recording->call[i];
        uint64_t end = stamped != 0 ? stamped : last[call->slot];
        if (record->start == REC_CALL_NO_START || record->start == 0)
            continue;
        call->open = true;
        call->open_start = record->start;
        call->open_ticks =
            subtract(subtract(end, record->start), stamped != 0 ? stood_still(recording, i) : 0);
        record->inclusive = add(record->inclusive, call->open_ticks);
        if (call->open_ticks < record->shortest)
            record->shortest = call->open_ticks;
        if (call->open_ticks > record->longest)
            record->longest = call->open_ticks;
    }
    free(last);
}

/* A node whose time is its parent's. */
static bool is_timeless(const struct rec_call *record)
{
    return record->function == REC_SPECIAL_THREAD || record->function == REC_SPECIAL_FIBRE ||
           record->function == REC_CALL_ATTACHED || record->site_words == REC_CALL_TIMELESS;
}

/* Exclusive ticks, and the part of them that the recorder cost: what lies inside of the own pairs
 * of hooks and outside of the children's. */
static void own_divide(const struct loading *loading, uint32_t i)
{
    const struct rec_header *header = &loading->recording->file.header;
    const struct rec_call *record = &loading->record[i];
    struct an_call *call = &loading->recording->call[i];
    uint64_t inside = scale(record->calls, header->cost_inside, COST_UNIT);
    uint64_t outside = scale(loading->child_calls[i], header->cost_outside, COST_UNIT);
    call->ticks = subtract(record->inclusive, loading->child_ticks[i]);
    call->cost_ticks = add(inside, outside);
    /* Under the marker for what is too deep each call is beside its caller. */
    if (loading->record[call->parent].function == REC_SPECIAL_ELIDED)
        call->cost_ticks =
            add(call->cost_ticks, scale(record->calls, header->cost_outside, COST_UNIT));
}

/* What the call is to its parent. */
static void parent_add(struct loading *loading, uint32_t i)
{
    const struct rec_call *record = &loading->record[i];
    const struct an_call *call = &loading->recording->call[i];
    uint32_t parent = call->parent;
    if (call->timeless) /* what it calls is its parent's, too */
        loading->child_calls[parent] = add(loading->child_calls[parent], loading->child_calls[i]);
    else if (loading->record[parent].function != REC_SPECIAL_ELIDED)
        loading->child_calls[parent] = add(loading->child_calls[parent], record->calls);
    loading->child_ticks[parent] = add(loading->child_ticks[parent], record->inclusive);
    loading->recording->call[parent].all_cost_ticks =
        add(loading->recording->call[parent].all_cost_ticks, call->all_cost_ticks);
}

/* Children come behind their parents: when a call is met, all below it is known. */
static void ticks_divide(struct loading *loading)
{
    struct an_recording *recording = loading->recording;
    for (uint32_t i = recording->call_count; i-- > 0;) {
        struct rec_call *record = &loading->record[i];
        struct an_call *call = &recording->call[i];
        call->timeless = is_timeless(record);
        call->function = record->function;
        call->generation = record->generation;
        call->calls = record->calls;
        call->off_cpu_ns = record->off_cpu_ns;
        call->shortest_ticks = record->shortest;
        call->longest_ticks = record->longest;
        if (call->timeless)
            record->inclusive = loading->child_ticks[i];
        else
            own_divide(loading, i);
        call->all_cost_ticks = add(call->all_cost_ticks,
                                   call->ticks < call->cost_ticks ? call->ticks : call->cost_ticks);
        if (call->parent != UINT32_MAX)
            parent_add(loading, i);
    }
}

int an_recording_calls_load(struct an_recording *recording,
                            const struct an_recording_select *select, struct an_fault *fault)
{
    uint64_t room = 1;
    for (uint32_t i = 0; i < recording->file.extent_count; i++) {
        const struct rec_extent *extent = &recording->file.extent[i];
        if (extent->kind == REC_KIND_CALLS)
            room += extent->page_count * (REC_PAGE_BYTES / REC_CALL_BYTES);
    }
    if (room > UINT32_MAX)
        return an_fault_set(fault, -EBADMSG, "%s: has too many calls", recording->file.path);
    struct loading loading = {
        .recording = recording,
        .record = an_memory_array(room, sizeof(*loading.record)),
        .number = an_memory_array(room, sizeof(*loading.number)),
        .child_ticks = an_memory_zeroed(room, sizeof(*loading.child_ticks)),
        .child_calls = an_memory_zeroed(room, sizeof(*loading.child_calls)),
    };
    recording->call = an_memory_zeroed(room, sizeof(*recording->call));
    int error = records_load(&loading, select, fault);
    if (error == 0)
        error = parents_find(&loading, fault);
    if (error == 0) {
        open_count(&loading);
        ticks_divide(&loading);
    }
    free(loading.record);
    free(loading.number);
    free(loading.child_ticks);
    free(loading.child_calls);
    return error;
}
