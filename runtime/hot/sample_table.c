/*
 * sample_table.c -- see the header.
 */
#include "runtime/hot/sample_table.h"

#include <stddef.h>

#include "runtime/hot/recording.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

enum { POINTS_PER_PAGE = REC_PAGE_BYTES / sizeof(struct rec_sampling) };

_Static_assert(POINTS_PER_PAGE << (RT_SAMPLING_EXTENTS - 1) == REC_SAMPLINGS,
               "the extents hold all points");

/* The page that holds STACK's sums; NULL: there is no room for it. */
static struct rec_sample *page_new(struct rt_sample_table *table, uint32_t page)
{
    uint32_t top = page / RT_SAMPLE_DIRECTORY;
    if (top >= RT_SAMPLE_TOP) {
        return NULL;
    }
    if (!table->pages[top]) {
        table->pages[top] = os_memory_map(RT_SAMPLE_DIRECTORY * sizeof **table->pages);
        if (!table->pages[top]) {
            return NULL;
        }
    }
    uint64_t at = rt_recording_extent(REC_KIND_SAMPLES, 1, table->slot,
                                      page * (uint64_t)REC_SAMPLES_PER_PAGE, table->tid);
    struct rec_sample *samples = at ? rt_recording_page(at) : NULL;
    table->pages[top][page % RT_SAMPLE_DIRECTORY] = samples;
    return samples;
}

static struct rec_sample *sample_of(struct rt_sample_table *table, uint32_t stack)
{
    uint32_t page = stack / REC_SAMPLES_PER_PAGE;
    struct rec_sample **pages = page < RT_SAMPLE_TOP * RT_SAMPLE_DIRECTORY
                                    ? table->pages[page / RT_SAMPLE_DIRECTORY]
                                    : NULL;
    struct rec_sample *samples = pages ? pages[page % RT_SAMPLE_DIRECTORY] : NULL;
    if (!samples) {
        samples = page_new(table, page);
    }
    return samples ? &samples[stack % REC_SAMPLES_PER_PAGE] : NULL;
}

/* Point INDEX, its extent made if need be: the first has one page, each other one as many as all
 * before it. NULL: no room. */
static struct rec_sampling *point_at(struct rt_sample_table *table, uint32_t index)
{
    uint32_t page = index / POINTS_PER_PAGE;
    uint32_t extent = page == 0 ? 0 : 32u - (uint32_t)__builtin_clz(page);
    uint32_t first_page = extent == 0 ? 0 : 1u << (extent - 1);
    uint32_t first = first_page * POINTS_PER_PAGE;
    if (!table->extent[extent]) {
        uint64_t at = rt_recording_extent(REC_KIND_SAMPLINGS, first_page ? first_page : 1,
                                          table->slot, first, table->tid);
        if (!at) {
            return NULL;
        }
        table->extent[extent] = rt_recording_page(at);
    }
    return &table->extent[extent][index - first];
}

static uint32_t sum_us(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

/* Of two neighbours one: with the stack that stands for more time; of two that stand for the same
 * now the first, now the second. */
static void points_halve(struct rt_sample_table *table)
{
    uint32_t kept = table->points / 2;
    for (uint32_t i = 0; i < kept; i++) {
        const struct rec_sampling *first = point_at(table, 2 * i);
        const struct rec_sampling *second = point_at(table, 2 * i + 1);
        bool later = second->length_us > first->length_us ||
                     (second->length_us == first->length_us && i % 2 == 1);
        struct rec_sampling merged = {
            .ns = second->ns,
            .stack = later ? second->stack : first->stack,
            .length_us = sum_us(first->length_us, second->length_us),
        };
        *point_at(table, i) = merged;
    }
    for (uint32_t i = kept; i < table->points; i++) {
        point_at(table, i)->ns = 0;
    }
    table->points = kept;
    table->step *= 2;
}

static void point_add(struct rt_sample_table *table, const struct rt_sampled *sampled)
{
    table->gathered_ns += sampled->ns;
    if (table->step == 0) {
        table->step = 1;
    }
    if (table->full || ++table->gathered < table->step) {
        return;
    }
    if (table->points == REC_SAMPLINGS) {
        points_halve(table);
    }
    struct rec_sampling *point = point_at(table, table->points);
    if (!point) {
        table->full = true;
        return;
    }
    uint64_t start_ns = rt_recording.header->start_monotonic_ns;
    uint64_t us = table->gathered_ns / 1000;
    us = us > UINT32_MAX ? UINT32_MAX : us;
    table->gathered = 0;
    table->gathered_ns -= us * 1000;
    table->points++;
    point->stack = sampled->stack;
    point->length_us = (uint32_t)us;
    __atomic_store_n(&point->ns, sampled->now_ns - start_ns + 1, __ATOMIC_RELEASE);
}

void rt_sample_table_add(struct rt_sample_table *table, const struct rt_sampled *sampled)
{
    struct rec_sample *sample = sample_of(table, sampled->stack);
    if (!sample) {
        rt_recording_count(&rt_recording.header->events_lost);
        return;
    }
    sample->ns += sampled->ns;
    if (sampled->is_signal) {
        sample->samples++;
        point_add(table, sampled);
    }
}
