/*
 * histogram.c -- 64-byte units of the recording, per slot, and counting in them.
 */
#include "runtime/hot/histogram.h"

#include "runtime/hot/recording.h"

enum { UNIT_PAGES = 1 };

/* Units in a row, as file offset / 64; 0 if there is no room. */
static uint32_t units_take(struct rt_thread *thread, uint32_t units)
{
    uint64_t bytes = (uint64_t)units * REC_HISTOGRAM_UNIT;
    if (thread->histogram_end - thread->histogram_next < bytes) {
        uint64_t page =
            rt_recording_extent(REC_KIND_HISTOGRAMS, UNIT_PAGES, thread->slot, 0, thread->tid);
        if (!page ||
            (page + UNIT_PAGES) << REC_PAGE_SHIFT > (uint64_t)UINT32_MAX * REC_HISTOGRAM_UNIT) {
            return 0;
        }
        thread->histogram_next = page << REC_PAGE_SHIFT;
        thread->histogram_end = (page + UNIT_PAGES) << REC_PAGE_SHIFT;
    }
    uint64_t at = thread->histogram_next;
    thread->histogram_next += bytes;
    return (uint32_t)(at / REC_HISTOGRAM_UNIT);
}

static void *unit_at(uint32_t unit)
{
    return (char *)rt_recording.header + (uint64_t)unit * REC_HISTOGRAM_UNIT;
}

void rt_histogram_add(struct rt_thread *thread, struct rec_counter *counter, size_t bytes)
{
    uint32_t class = rt_histogram_class(bytes);
    if (class / 8 >= REC_SIZE_GROUPS) {
        return; /* more than the address space holds */
    }
    if (!counter->histogram) {
        counter->histogram = units_take(thread, sizeof(struct rec_histogram) / REC_HISTOGRAM_UNIT);
        if (!counter->histogram) {
            return;
        }
    }
    struct rec_histogram *histogram = unit_at(counter->histogram);
    if (!histogram->group[class / 8]) {
        histogram->group[class / 8] = units_take(thread, 1);
        if (!histogram->group[class / 8]) {
            return;
        }
    }
    uint64_t *group = unit_at(histogram->group[class / 8]);
    group[class % 8]++;
    if (bytes > histogram->max_bytes) {
        histogram->max_bytes = bytes;
    }
}
