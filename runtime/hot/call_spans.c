/*
 * call_spans.c -- room for spans.
 */
#include "runtime/hot/call_spans.h"

#include <stddef.h>

#include "runtime/hot/call_tree.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/unlocked.h"

#include "runtime/hot/rt_forbid.h"

/*
 * PAGES_ALL are for one thread; each of several gets its part, but at least PAGES_LEAST.
 * PAGES_FIRST are there from the start: a program that makes no more calls than that has them all.
 * More room comes with time, a page per PAGE_NS. The first touch of a page of a file takes the
 * kernel 4 to 8 us, that of 200 calls, and a program of many calls would fill all of its room at
 * once: so it is at most 1 % of the thread's time. A chunk adds one CHUNK_PART of the pages there
 * are.
 */
enum {
    PAGES_ALL = 1536,
    PAGES_LEAST = 2,
    PAGES_FIRST = 16,
    PAGES_CHUNK = 64,
    CHUNK_PART = 4,
    PAGE_NS = 1000 * 1000,
    PART_OF_RECORDING = 8,
    FIRST_RESOLUTION = 64, /* ticks; what is shorter than two clock reads has no length */
    FREED_PART = 8,        /* of the spans, one in so many must go for the work to be worth it */
    TICKS_BITS = 64,
};

/* Fill a place that may hold another span, whose node goes first and comes last. */
static void span_fill(struct rec_span *span, const struct rec_span *with)
{
    __atomic_store_n(&span->node, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&span->start, with->start, __ATOMIC_RELEASE);
    __atomic_store_n(&span->ticks, with->ticks, __ATOMIC_RELEASE);
    __atomic_store_n(&span->stack, with->stack, __ATOMIC_RELEASE);
    __atomic_store_n(&span->node, with->node, __ATOMIC_RELEASE);
}

/* False: there is no place. */
static bool span_put(struct rt_spans *spans, const struct rec_span *span)
{
    for (;;) {
        uint64_t place = *(volatile uint64_t *)&spans->next;
        if (place >= spans->end) {
            return false;
        }
        if (rt_word_exchange(&spans->next, place, place + sizeof *span)) {
            span_fill((struct rec_span *)(uintptr_t)place, span);
            return true;
        }
    }
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t pages_allowed(const struct rt_spans *spans, uint64_t now)
{
    uint64_t all = smaller(rt_recording.limit_pages / PART_OF_RECORDING, PAGES_ALL);
    uint64_t threads = __atomic_load_n(&rt_recording.header->thread_count, __ATOMIC_RELAXED);
    uint64_t part = all / (threads ? threads : 1);
    uint64_t grown = PAGES_FIRST + rt_clock_ns(now - spans->begun) / PAGE_NS;
    return part < PAGES_LEAST ? PAGES_LEAST : smaller(part, grown);
}

static void places_offer(struct rt_spans *spans, uint32_t chunk, uint32_t place)
{
    spans->filling = chunk;
    spans->end = (uintptr_t)(spans->chunk[chunk].first + spans->chunk[chunk].count);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    spans->next = (uintptr_t)(spans->chunk[chunk].first + place);
}

/* 1, 1, 2, 4, ... pages, so that a thread with few calls costs little. */
static bool chunk_get(struct rt_calls *calls, uint64_t now)
{
    struct rt_spans *spans = &calls->spans;
    uint64_t pages = spans->pages ? spans->pages : 1;
    if (pages >= PAGES_FIRST) {
        pages = smaller(pages / CHUNK_PART, PAGES_CHUNK);
    }
    if (spans->chunk_count == 0) {
        spans->begun = now;
    }
    if (spans->chunk_count == RT_SPAN_CHUNKS || spans->pages + pages > pages_allowed(spans, now)) {
        return false;
    }
    uint64_t page = rt_recording_extent(REC_KIND_SPANS, pages, calls->slot, 0, calls->tid);
    if (!page) {
        return false;
    }
    spans->chunk[spans->chunk_count] = (struct rt_span_chunk){
        rt_recording_page(page), (uint32_t)((pages << REC_PAGE_SHIFT) / sizeof(struct rec_span))};
    spans->pages += (uint32_t)pages;
    places_offer(spans, spans->chunk_count++, 0);
    return true;
}

/* The coarser resolution that drops enough. It is a power of two, so spans are counted by the
 * highest bit of their ticks. */
static uint64_t resolution_next(const struct rt_spans *spans)
{
    uint32_t count[TICKS_BITS] = {0};
    uint32_t all = 0, shorter = 0;
    for (uint32_t c = 0; c < spans->chunk_count; c++) {
        for (uint32_t i = 0; i < spans->chunk[c].count; i++) {
            const struct rec_span *span = &spans->chunk[c].first[i];
            if (span->node) {
                count[TICKS_BITS - 1 - __builtin_clzll(span->ticks | 1)]++;
                all++;
            }
        }
    }
    uint64_t least = 1;
    for (int bit = 0; least < REC_RESOLUTION_NONE / 2; bit++) {
        shorter += count[bit];
        least *= 2;
        if (least > spans->least && least >= FIRST_RESOLUTION && shorter >= all / FREED_PART) {
            break;
        }
    }
    return least;
}

/* Where the next span that stays goes to. */
struct target {
    uint32_t chunk, place;
};

static void target_step(const struct rt_spans *spans, struct target *target)
{
    if (++target->place == spans->chunk[target->chunk].count) {
        target->chunk++;
        target->place = 0;
    }
}

/* Each span is at its old or its new place at every instant, if the process is killed here. */
static void compact(struct rt_spans *spans)
{
    struct target target = {0, 0};
    for (uint32_t c = 0; c < spans->chunk_count; c++) {
        for (uint32_t i = 0; i < spans->chunk[c].count; i++) {
            const struct rec_span *span = &spans->chunk[c].first[i];
            if (span->node && span->ticks >= spans->least) {
                struct rec_span *to = &spans->chunk[target.chunk].first[target.place];
                if (to != span) {
                    span_fill(to, span);
                }
                target_step(spans, &target);
            }
        }
    }
    if (target.chunk == spans->chunk_count) {
        return; /* nothing was dropped */
    }
    struct target rest = target;
    while (rest.chunk < spans->chunk_count) {
        __atomic_store_n(&spans->chunk[rest.chunk].first[rest.place].node, 0, __ATOMIC_RELAXED);
        target_step(spans, &rest);
    }
    places_offer(spans, target.chunk, target.place);
}

static void resolution_set(struct rt_calls *calls, uint64_t least)
{
    calls->spans.least = least;
    __atomic_store_n(&calls->record->resolution_ticks, least, __ATOMIC_RELEASE);
}

/* There is a place behind this, or the resolution is coarser. */
static void room_make(struct rt_calls *calls, uint64_t now)
{
    struct rt_spans *spans = &calls->spans;
    spans->next = spans->end = 0;
    if (spans->filling + 1 < spans->chunk_count) {
        places_offer(spans, spans->filling + 1, 0);
    } else if (!chunk_get(calls, now)) {
        if (spans->chunk_count == 0) {
            resolution_set(calls, REC_RESOLUTION_NONE);
            return;
        }
        resolution_set(calls, resolution_next(spans));
        compact(spans);
    }
}

/*
 * Is the hook gone that was making room? FRAME is that of one which lives. On one stack a live
 * hook's lies further out than those that interrupt it. A signal stack is on top of any other.
 */
static bool busy_is_dead(const struct rt_calls *calls, uintptr_t frame)
{
    uintptr_t busy = calls->spans.busy;
    if (busy - calls->low < calls->bytes) {
        return busy <= frame;
    }
    return calls->stack->kind != RT_STACK_SIGNAL;
}

void rt_spans_add(struct rt_calls *calls, uint32_t node, uint64_t start, uint64_t ticks)
{
    struct rt_spans *spans = &calls->spans;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    const struct rec_span span = {start, ticks, node, spans->stack};
    while (ticks >= spans->least && !span_put(spans, &span)) {
        if (spans->busy && !busy_is_dead(calls, frame)) {
            calls->record->spans_lost++;
            return;
        }
        if (spans->busy) {
            rt_recording_recover(calls->tid);
        }
        spans->busy = frame;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        room_make(calls, start + ticks);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        spans->busy = 0;
    }
}
