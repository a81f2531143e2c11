/*
 * histogram.c -- making histograms and making them wider.
 */
#include "runtime/hot/histogram.h"

#include "runtime/hot/rt_forbid.h"

enum { ROOM_PAGES = 2 };

/* Units in a row, as file offset / 64; 0 if there is no room. */
static uint32_t units_take(struct rt_thread *thread, uint32_t units)
{
    uint64_t bytes = (uint64_t)units * REC_HISTOGRAM_UNIT;
    if (thread->histogram_end - thread->histogram_next < bytes) {
        uint64_t page =
            rt_recording_extent(REC_KIND_HISTOGRAMS, ROOM_PAGES, thread->slot, 0, thread->tid);
        uint64_t end = (page + ROOM_PAGES) << REC_PAGE_SHIFT;
        if (!page || end / REC_HISTOGRAM_UNIT > UINT32_MAX) {
            return 0;
        }
        thread->histogram_next = page << REC_PAGE_SHIFT;
        thread->histogram_end = end;
    }
    uint64_t at = thread->histogram_next;
    thread->histogram_next += bytes;
    return (uint32_t)(at / REC_HISTOGRAM_UNIT);
}

/* Mark and place of a counter's sizes in one store: a reader never sees the one without the other.
 */
static void publish(struct rec_counter *counter, uint32_t mark, uint32_t unit)
{
    _Static_assert(offsetof(struct rec_counter, size_mark) % 8 == 0, "one aligned 64-bit word");
    _Static_assert(offsetof(struct rec_counter, histogram) ==
                       offsetof(struct rec_counter, size_mark) + 4,
                   "side by side");
    __atomic_store_n((uint64_t *)(void *)&counter->size_mark, (uint64_t)unit << 32 | mark,
                     __ATOMIC_RELEASE);
}

/* What COUNTER's sizes span so far, in octaves. */
static void span(const struct rec_counter *counter, uint32_t *ret_first, uint32_t *ret_end)
{
    uint32_t mark = counter->size_mark;
    if (mark < REC_SIZES_MANY) {
        *ret_first = rt_histogram_class(mark - 1) / REC_OCTAVE_CLASSES;
        *ret_end = *ret_first + 1;
    } else {
        *ret_first = REC_SIZES_FIRST(mark);
        *ret_end = *ret_first + REC_SIZES_OCTAVES(mark);
    }
}

/* The counts so far into a new histogram that begins at octave FIRST. */
static void copy_counts(const struct rec_counter *counter, struct rec_histogram *target,
                        uint32_t first)
{
    uint32_t mark = counter->size_mark;
    if (mark < REC_SIZES_MANY) {
        uint32_t class = rt_histogram_class(mark - 1);
        target->count[class - REC_OCTAVE_CLASSES * first] = counter->allocations;
        target->max_bytes = mark - 1;
        return;
    }
    const struct rec_histogram *source = rt_histogram_at(counter->histogram);
    uint32_t shift = REC_OCTAVE_CLASSES * (REC_SIZES_FIRST(mark) - first);
    for (uint32_t i = 0; i < REC_OCTAVE_CLASSES * REC_SIZES_OCTAVES(mark); i++) {
        target->count[shift + i] = source->count[i];
    }
    target->max_bytes = source->max_bytes;
}

/* A new highest class within the octaves that are there. False: they do not cover it. */
static bool raise_within(struct rec_counter *counter, uint32_t class, uint64_t bytes)
{
    uint32_t mark = counter->size_mark;
    uint32_t index = class - REC_OCTAVE_CLASSES * REC_SIZES_FIRST(mark);
    if (mark < REC_SIZES_MANY || index >= REC_OCTAVE_CLASSES * REC_SIZES_OCTAVES(mark)) {
        return false;
    }
    struct rec_histogram *histogram = rt_histogram_at(counter->histogram);
    histogram->count[index]++;
    histogram->max_bytes = bytes;
    publish(counter, (mark & ~(REC_SIZES_CLASSES(UINT32_MAX) << 16)) | (index + 1) << 16,
            counter->histogram);
    return true;
}

/* Begin or replace the histogram of COUNTER with one that has room for CLASS too. */
static void rebuild(struct rt_thread *thread, struct rec_counter *counter, uint32_t class,
                    uint64_t bytes)
{
    uint32_t mark = counter->size_mark, octave = class / REC_OCTAVE_CLASSES;
    uint32_t first = octave, end = octave + 1;
    if (mark) {
        span(counter, &first, &end);
        first = octave < first ? octave : first;
        end = octave >= end ? octave + 1 : end;
    }
    uint32_t unit = units_take(thread, 1 + end - first);
    if (!unit) {
        publish(counter, REC_SIZES_MANY, 0);
        return;
    }
    struct rec_histogram *histogram = rt_histogram_at(unit);
    if (mark) {
        copy_counts(counter, histogram, first);
    }
    histogram->count[class - REC_OCTAVE_CLASSES * first]++;
    if (bytes > histogram->max_bytes) {
        histogram->max_bytes = bytes;
    }
    uint32_t classes = rt_histogram_class(histogram->max_bytes) - REC_OCTAVE_CLASSES * first + 1;
    publish(counter, REC_SIZES_MANY | classes << 16 | first << 8 | (end - first), unit);
}

void rt_histogram_widen(struct rt_thread *thread, struct rec_counter *counter, uint64_t bytes)
{
    uint32_t mark = counter->size_mark, class = rt_histogram_class(bytes);
    rt_histogram_settle(thread);  /* the histogram may move */
    if (mark == REC_SIZES_MANY) { /* given up before */
        return;
    }
    if (mark == 0 && bytes + 1 < REC_SIZES_MANY) {
        publish(counter, (uint32_t)bytes + 1, 0);
    } else if (!raise_within(counter, class, bytes)) {
        rebuild(thread, counter, class, bytes);
    }
}
