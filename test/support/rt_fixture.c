#include "test/support/rt_fixture.h"

#include <criterion/criterion.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>

#include "runtime/hot/heap_ledger.h"
#include "runtime/hot/histogram.h"
#include "runtime/hot/live_blocks.h"
#include "runtime/hot/live_timeline.h"
#include "runtime/hot/module_map.h"
#include "runtime/hot/process.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/stack_table.h"
#include "runtime/os/os.h"

const struct rt_registers rt_fixture_registers = {.ip = 0x1000, .sp = 0x1000, .fp = 0x1000};

void rt_fixture_begin_recording(uint64_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(memory, MAP_FAILED);
    cr_assert_eq(rt_recording_begin(memory, bytes, true), 0);
    rt_process.pid = os_process_id();
    rt_process.start_tid = os_thread_id();
}

void rt_fixture_begin(const struct rt_fixture_settings *settings)
{
    rt_fixture_begin_recording(settings->bytes ? settings->bytes : UINT64_C(64) << 20);
    rt_module_map_reset();
    rt_threads_reset();
    rt_live_blocks_reset(settings->shadow);
    rt_heap_reset(settings->threshold_bytes, false);
    cr_assert_eq(rt_stack_table_reset(rt_process.start_tid), 0);
    rt_live_timeline_reset(rt_process.start_tid);
    rt_recording.header->start_monotonic_ns = os_clock_monotonic_ns();
    if (settings->alone) {
        __libc_single_threaded = 1;
    }
    rt_gate_set(&rt_gate_open);
}

struct rt_thread *rt_fixture_enter(void)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    struct rt_thread *thread = rt_thread_enter(frame);
    if (!thread) {
        cr_assert_eq(rt_thread_enter_slowly(frame, &thread), RT_ENTRY_TAKEN);
    }
    return thread;
}

void rt_fixture_leave(struct rt_thread *thread)
{
    if (rt_tls.thread != thread) {
        rt_heap_flush(thread);
        rt_thread_release(thread);
    }
    rt_thread_leave();
}

struct rt_walk rt_fixture_walk(struct rt_frame *frames, const uint64_t *keys, uint32_t count)
{
    struct rt_walk walk = {
        .frame = frames, .depth = count, .limit = count, .seed = rt_stack_seed()};
    uint64_t hash = walk.seed;
    for (uint32_t i = 0; i < count; i++) {
        hash = rt_hash_step(hash, keys[i]);
        frames[i] = (struct rt_frame){.key = keys[i], .hash = hash};
    }
    return walk;
}

static const void *page_at(uint64_t page)
{
    cr_assert(page > 0 && page < rt_recording.header->used_pages);
    return (const char *)rt_recording.header + (page << REC_PAGE_SHIFT);
}

const struct rec_extent *rt_fixture_extent(uint64_t index)
{
    const struct rec_header *header = rt_recording.header;
    if (index >= header->extent_count) {
        return NULL;
    }
    uint64_t entries = REC_EXTENT_FIRST;
    unsigned segment = 0;
    while (index >= entries) {
        index -= entries;
        entries *= 2;
        segment++;
    }
    return (const struct rec_extent *)page_at(header->extent_segment[segment]) + index;
}

const void *rt_fixture_record(enum rec_kind kind, uint64_t index, size_t record_bytes)
{
    const struct rec_extent *extent;
    for (uint64_t i = 0; (extent = rt_fixture_extent(i)); i++) {
        uint64_t records = (extent->page_count << REC_PAGE_SHIFT) / record_bytes;
        if (extent->kind == kind && index >= extent->first_index &&
            index - extent->first_index < records) {
            return (const char *)page_at(extent->first_page) +
                   (index - extent->first_index) * record_bytes;
        }
    }
    return NULL;
}

/* The counters of STACK in extent INDEX; NULL: not there. */
static const struct rec_counter *counter_in(const struct rec_extent *extent, uint32_t stack)
{
    if (extent->kind != REC_KIND_COUNTERS || stack < extent->first_index ||
        stack - extent->first_index >= REC_COUNTERS_PER_PAGE) {
        return NULL;
    }
    return (const struct rec_counter *)page_at(extent->first_page) + (stack - extent->first_index);
}

struct rec_counter rt_fixture_counter(uint32_t stack)
{
    struct rec_counter sum = {.allocations = 0};
    const struct rec_extent *extent;
    for (uint64_t i = 0; (extent = rt_fixture_extent(i)); i++) {
        const struct rec_counter *counter = counter_in(extent, stack);
        if (counter) {
            sum.allocations += counter->allocations;
            sum.bytes += counter->bytes;
            sum.frees += counter->frees;
            sum.live_bytes += counter->live_bytes;
            sum.temporary += counter->temporary;
            sum.saved_bytes += counter->epoch == rt_recording.header->peak_epoch
                                   ? counter->saved_bytes
                                   : counter->live_bytes;
        }
    }
    return sum;
}

void rt_fixture_sizes(uint32_t stack, uint64_t *ret_counts)
{
    const struct rec_extent *extent;
    for (uint64_t e = 0; (extent = rt_fixture_extent(e)); e++) {
        const struct rec_counter *counter = counter_in(extent, stack);
        if (!counter || counter->size_mark == 0) {
            continue;
        }
        if (counter->size_mark < REC_SIZES_MANY) {
            ret_counts[rt_histogram_class(counter->size_mark - 1)] += counter->allocations;
            continue;
        }
        const struct rec_histogram *histogram = rt_histogram_at(counter->histogram);
        uint32_t first = REC_SIZES_FIRST(counter->size_mark) * REC_OCTAVE_CLASSES;
        for (uint32_t i = 0; i < REC_SIZES_OCTAVES(counter->size_mark) * REC_OCTAVE_CLASSES; i++) {
            ret_counts[first + i] += histogram->count[i];
        }
    }
}

uint64_t rt_fixture_random(uint64_t *state)
{
    uint64_t value = *state += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}
