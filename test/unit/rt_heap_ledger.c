#include "runtime/hot/heap_ledger.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/hot/recording.h"
#include "runtime/hot/stack_table.h"
#include "test/fake/unwind_fake.h"
#include "test/support/rt_fixture.h"

enum { STACKS = 12, BLOCKS = 64 };

static void allocate(uint32_t stack, uintptr_t address, size_t bytes)
{
    struct rt_thread *thread = rt_fixture_enter();
    unwind_fake_set(0x10000 + stack);
    rt_heap_allocated(thread, address, bytes, &rt_fixture_registers);
    rt_fixture_leave(thread);
}

static bool release(uintptr_t address)
{
    struct rt_thread *thread = rt_fixture_enter();
    struct rt_block block = rt_heap_take(thread, address);
    if (block.stack) {
        rt_heap_freed(thread, address, block, &rt_fixture_registers);
    }
    rt_fixture_leave(thread);
    return block.stack != 0;
}

static uint32_t stack_id(uint32_t stack)
{
    struct rt_frame frame;
    uint64_t key = 0x10000 + stack;
    struct rt_walk walk = rt_fixture_walk(&frame, &key, 1);
    return rt_stack_find(&walk, 1);
}

static struct rec_counter counter_of(uint32_t stack)
{
    return rt_fixture_counter(stack_id(stack));
}

Test(rt_heap_ledger, an_allocation_and_its_free_are_booked_on_its_stack)
{
    rt_fixture_begin(&(struct rt_fixture_settings){.alone = true, .shadow = true});
    allocate(1, 0x1010, 100);
    allocate(1, 0x2010, 50);
    allocate(2, 0x3010, 7);
    cr_assert(release(0x1010));
    cr_assert_not(release(0x1010));
    struct rec_counter one = counter_of(1), two = counter_of(2);
    cr_assert_eq(one.allocations, 2);
    cr_assert_eq(one.bytes, 150);
    cr_assert_eq(one.frees, 1);
    cr_assert_eq(one.live_bytes, 50);
    cr_assert_eq(two.allocations, 1);
    cr_assert_eq(two.live_bytes, 7);
    cr_assert_eq(rt_recording.header->live_bytes, 57);
    cr_assert_eq(rt_recording.header->peak_bytes, 157);
}

Test(rt_heap_ledger, temporary_is_freed_before_the_threads_next_allocation)
{
    rt_fixture_begin(&(struct rt_fixture_settings){.alone = true, .shadow = true});
    allocate(1, 0x1010, 1);
    release(0x1010); /* temporary */
    allocate(1, 0x1010, 1);
    allocate(2, 0x2010, 1);
    release(0x1010);
    release(0x2010); /* temporary, though another block was freed in between */
    allocate(3, 0x1010, 1);
    cr_assert_eq(counter_of(1).temporary, 1);
    cr_assert_eq(counter_of(2).temporary, 1);
    cr_assert_eq(counter_of(3).temporary, 0);
}

Test(rt_heap_ledger, only_larger_requests_than_the_threshold_are_booked)
{
    rt_fixture_begin(
        &(struct rt_fixture_settings){.alone = true, .shadow = true, .threshold_bytes = 100});
    allocate(1, 0x1010, 100);
    allocate(1, 0x2010, 101);
    allocate(1, 0x3010, 0);
    cr_assert_not(release(0x1010));
    cr_assert(release(0x2010));
    cr_assert_eq(counter_of(1).allocations, 1);
    cr_assert_eq(counter_of(1).bytes, 101);
    cr_assert_eq(counter_of(1).frees, 1);
}

Test(rt_heap_ledger, without_a_threshold_empty_requests_are_booked)
{
    rt_fixture_begin(&(struct rt_fixture_settings){.alone = true, .shadow = true});
    allocate(1, 0x1010, 0);
    cr_assert(release(0x1010));
    cr_assert_eq(counter_of(1).allocations, 1);
    cr_assert_eq(counter_of(1).frees, 1);
}

Test(rt_heap_ledger, blocks_that_are_not_ours_are_counted_unless_a_threshold_keeps_some_out)
{
    rt_fixture_begin(&(struct rt_fixture_settings){.alone = true, .shadow = true});
    rt_heap_unknown_freed();
    rt_heap_unknown_freed();
    cr_assert_eq(rt_recording.header->unknown_frees, 2);
    rt_heap_reset(10, false);
    rt_heap_unknown_freed();
    cr_assert_eq(rt_recording.header->unknown_frees, 2);
}

/* Its free happened where we do not look; the address is given out again. */
Test(rt_heap_ledger, an_address_that_is_handed_out_twice_was_freed)
{
    rt_fixture_begin(&(struct rt_fixture_settings){.alone = true, .shadow = true});
    allocate(1, 0x1010, 100);
    allocate(2, 0x1010, 30);
    cr_assert_eq(counter_of(1).frees, 1);
    cr_assert_eq(counter_of(1).live_bytes, 0);
    cr_assert_eq(counter_of(2).live_bytes, 30);
    cr_assert_eq(rt_recording.header->live_bytes, 30);
}

Test(rt_heap_ledger, a_block_that_is_put_back_stays_live)
{
    rt_fixture_begin(&(struct rt_fixture_settings){.alone = true, .shadow = true});
    allocate(1, 0x1010, UINT64_C(5) << 30);
    struct rt_thread *thread = rt_fixture_enter();
    struct rt_block block = rt_heap_take(thread, 0x1010);
    rt_heap_put_back(thread, 0x1010, block);
    rt_fixture_leave(thread);
    cr_assert_eq(counter_of(1).frees, 0);
    cr_assert(release(0x1010));
    cr_assert_eq(counter_of(1).live_bytes, 0);
    cr_assert_eq(counter_of(1).frees, 1);
}

Test(rt_heap_ledger, without_room_for_counters_events_are_lost_and_counted)
{
    rt_fixture_begin(
        &(struct rt_fixture_settings){.alone = true, .shadow = true, .bytes = 1 << 20});
    allocate(1, 0x1010, 1);
    while (rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, 1)) {
    }
    enum { MORE = 2000 };
    uint32_t old = stack_id(1);
    for (uint32_t i = 0; i < MORE; i++) { /* first their counters find no room, then they do */
        allocate(100 + i, 0x100010 + 64 * i, 8);
    }
    uint64_t booked = 0;
    for (uint32_t i = 1; i < rt_recording.header->stack_count; i++) {
        booked += rt_fixture_counter(i).allocations;
    }
    cr_assert_geq(rt_recording.header->stacks_unknown, MORE - 512);
    cr_assert_geq(rt_recording.header->events_lost, 100);
    cr_assert_eq(booked + rt_recording.header->events_lost, MORE + 1);
    allocate(1, 0x2010, 5);
    cr_assert_eq(rt_fixture_counter(old).allocations, 2);
    for (uint32_t i = 0; i < MORE; i++) {
        release(0x100010 + 64 * i);
    }
    cr_assert_eq(rt_recording.header->live_bytes, 6); /* what was lost is not live either */
}

/* ---- against a plain model ---- */

struct model {
    int64_t live[STACKS], at_peak[STACKS];
    uint64_t allocations[STACKS], bytes[STACKS], frees[STACKS], temporary[STACKS];
    int64_t total, peak;
    struct {
        uint32_t stack; /* + 1; 0: none */
        uint64_t bytes;
    } block[BLOCKS];
    int last[8]; /* per thread: the block allocated last, -1: freed since */
};

static void model_change(struct model *model, uint32_t stack, int64_t change)
{
    model->live[stack] += change;
    model->total += change;
    if (model->total > model->peak) {
        model->peak = model->total;
        memcpy(model->at_peak, model->live, sizeof model->live);
    }
}

static void model_free(struct model *model, int thread, int block)
{
    uint32_t stack = model->block[block].stack - 1;
    model->frees[stack]++;
    if (model->last[thread] == block) {
        model->temporary[stack]++;
        model->last[thread] = -1;
    }
    model_change(model, stack, -(int64_t)model->block[block].bytes);
    model->block[block].stack = 0;
}

static void model_allocate(struct model *model, int thread, int block, uint32_t stack,
                           uint64_t bytes)
{
    if (model->block[block].stack) {
        model_free(model, thread, block);
    }
    model->block[block].stack = stack + 1;
    model->block[block].bytes = bytes;
    model->allocations[stack]++;
    model->bytes[stack] += bytes;
    model->last[thread] = block;
    model_change(model, stack, (int64_t)bytes);
}

static uint64_t size_of_step(uint64_t *random)
{
    uint64_t kind = rt_fixture_random(random) % 16;
    uint64_t size = rt_fixture_random(random);
    return kind == 0 ? size % (UINT64_C(6) << 30) : kind < 4 ? size % 100000 : size % 300;
}

static void step_run(struct model *model, int thread, uint64_t *random)
{
    int block = (int)(rt_fixture_random(random) % BLOCKS);
    uintptr_t address = UINT64_C(0x7f0000000010) + 64u * (unsigned)block;
    if (model->block[block].stack && rt_fixture_random(random) % 8) {
        cr_assert(release(address));
        model_free(model, thread, block);
    } else {
        uint32_t stack = (uint32_t)(rt_fixture_random(random) % STACKS);
        uint64_t bytes = size_of_step(random);
        allocate(stack, address, bytes);
        model_allocate(model, thread, block, stack, bytes);
    }
}

static void counters_check(const struct model *model, bool exact_peak)
{
    for (uint32_t i = 0; i < STACKS; i++) {
        struct rec_counter counter = counter_of(i);
        cr_assert_eq(counter.allocations, model->allocations[i]);
        cr_assert_eq(counter.bytes, model->bytes[i]);
        cr_assert_eq(counter.frees, model->frees[i]);
        cr_assert_eq(counter.live_bytes, model->live[i]);
        cr_assert_eq(counter.temporary, model->temporary[i]);
        if (exact_peak) {
            cr_assert_eq(counter.saved_bytes, model->at_peak[i]);
        }
    }
    cr_assert_eq(rt_recording.header->live_bytes, model->total);
}

static void *memory_of_one(uint64_t seed)
{
    static struct model model;
    model = (struct model){.last = {-1}};
    rt_tls = (struct rt_tls){NULL, 0};
    rt_fixture_begin(
        &(struct rt_fixture_settings){.alone = true, .shadow = seed % 2, .bytes = 1 << 23});
    uint64_t random = seed;
    unsigned steps = 1 + (unsigned)(rt_fixture_random(&random) % 3000);
    for (unsigned i = 0; i < steps; i++) {
        step_run(&model, 0, &random);
    }
    counters_check(&model, true);
    cr_assert_eq(rt_recording.header->peak_bytes, model.peak);
    cr_assert_eq(rt_recording.header->events_lost, 0);
    for (unsigned i = 0; i < BLOCKS; i++) { /* the shadow outlives the recording */
        rt_live_blocks_take(UINT64_C(0x7f0000000010) + 64u * i, 1);
    }
    return rt_recording.header;
}

Test(rt_heap_ledger, the_peak_per_stack_is_exact_for_one_thread, .timeout = 600)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        memory_of_one(seed);
    }
}

/* Several threads' states driven by one, so that the true peak is known. */
static void bound_check(uint64_t seed, int threads)
{
    static struct model model;
    struct rt_tls tls[8] = {{NULL, 0}};
    model = (struct model){.last = {-1, -1, -1, -1, -1, -1, -1, -1}};
    rt_fixture_begin(
        &(struct rt_fixture_settings){.alone = true, .shadow = true, .bytes = 1 << 23});
    rt_threads_were_many = true;
    uint64_t random = seed;
    for (unsigned i = 0; i < 4000; i++) {
        int thread = (int)(rt_fixture_random(&random) % (unsigned)threads);
        rt_tls = tls[thread];
        step_run(&model, thread, &random);
        tls[thread] = rt_tls;
    }
    for (int i = 0; i < threads; i++) {
        if (tls[i].thread) {
            rt_heap_flush(tls[i].thread);
        }
    }
    counters_check(&model, false);
    const struct rec_header *header = rt_recording.header;
    int64_t bound = (int64_t)header->pending_bound_bytes * threads;
    cr_assert_leq(header->peak_bytes - model.peak, bound);
    cr_assert_leq(model.peak - header->peak_bytes, bound);
    int64_t sum = 0;
    for (uint32_t i = 0; i < STACKS; i++) {
        sum += counter_of(i).saved_bytes;
    }
    cr_assert_geq(sum, header->peak_bytes - 2 * bound);
    cr_assert_leq(sum, header->peak_bytes + 2 * bound);
    for (unsigned i = 0; i < BLOCKS; i++) {
        rt_live_blocks_take(UINT64_C(0x7f0000000010) + 64u * i, 1);
    }
}

Test(rt_heap_ledger, the_peak_of_several_threads_keeps_its_bound, .timeout = 600)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        bound_check(seed, 2 + (int)(seed % 7));
    }
}

Test(rt_heap_ledger, amounts_under_the_bound_are_held_back_until_the_flush)
{
    rt_fixture_begin(&(struct rt_fixture_settings){.alone = true, .shadow = true});
    rt_threads_were_many = true;
    allocate(1, 0x1010, 63);
    cr_assert_eq(rt_recording.header->live_bytes, 0);
    allocate(1, 0x2010, 1);
    cr_assert_eq(rt_recording.header->live_bytes, 64);
    release(0x1010);
    cr_assert_eq(rt_recording.header->live_bytes, 64);
    rt_heap_flush(rt_tls.thread);
    cr_assert_eq(rt_recording.header->live_bytes, 1);
    cr_assert_eq(rt_recording.header->pending_bound_bytes, 64);
}

/* ---- real threads ---- */

enum { THREADS = 4, EVENTS = 30000 };

static void *work(void *argument)
{
    uintptr_t me = (uintptr_t)argument;
    uintptr_t base = UINT64_C(0x7e0000000010) + me * (UINT64_C(1) << 30);
    for (uintptr_t i = 0; i < EVENTS; i++) {
        allocate((uint32_t)(i % STACKS), base + 64 * i, i % 1000);
        if (i % 3) {
            release(base + 64 * i);
        }
    }
    rt_heap_flush(rt_tls.thread);
    return NULL;
}

Test(rt_heap_ledger, nothing_is_lost_between_threads, .timeout = 600)
{
    for (int shadow = 0; shadow < 2; shadow++) {
        pthread_t threads[THREADS];
        rt_fixture_begin(&(struct rt_fixture_settings){.shadow = shadow});
        for (uintptr_t i = 0; i < THREADS; i++) {
            pthread_create(&threads[i], NULL, work, (void *)i);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
        }
        uint64_t allocations = 0, frees = 0;
        int64_t live = 0;
        for (uint32_t i = 0; i < STACKS; i++) {
            struct rec_counter counter = counter_of(i);
            allocations += counter.allocations;
            frees += counter.frees;
            live += counter.live_bytes;
        }
        cr_assert_eq(allocations, THREADS * EVENTS);
        cr_assert_eq(frees, THREADS * EVENTS / 3 * 2);
        cr_assert_eq(rt_recording.header->live_bytes, live);
        cr_assert_eq(rt_recording.header->max_threads, THREADS);
    }
}
