#include "runtime/hot/block_map.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { TID = 7 };

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 24;
}

static struct rt_block put(uintptr_t address, uint32_t stack, uint64_t bytes)
{
    bool kept = false;
    struct rt_block before = rt_block_map_put(address, (struct rt_block){stack, bytes}, TID, &kept);
    cr_assert(kept);
    return before;
}

static void assert_block(struct rt_block block, uint32_t stack, uint64_t bytes)
{
    cr_assert_eq(block.stack, stack);
    cr_assert_eq(block.bytes, bytes);
}

Test(rt_block_map, an_entry_comes_out_once)
{
    rt_block_map_reset();
    assert_block(put(0x1000, 5, 10), 0, 0);
    assert_block(rt_block_map_take(0x1008, TID), 0, 0);
    assert_block(rt_block_map_take(0x1000, TID), 5, 10);
    assert_block(rt_block_map_take(0x1000, TID), 0, 0);
}

Test(rt_block_map, an_entry_that_was_still_there_is_handed_back)
{
    rt_block_map_reset();
    put(0x1000, 5, 10);
    assert_block(put(0x1000, 6, 11), 5, 10);
    assert_block(rt_block_map_take(0x1000, TID), 6, 11);
}

Test(rt_block_map, sizes_and_addresses_have_all_their_bits)
{
    rt_block_map_reset();
    put(UINTPTR_MAX, UINT32_MAX, UINT64_MAX);
    put(UINT64_C(0xffff800000001238), 2, UINT64_C(1) << 40);
    assert_block(rt_block_map_take(UINTPTR_MAX, TID), UINT32_MAX, UINT64_MAX);
    assert_block(rt_block_map_take(UINT64_C(0xffff800000001238), TID), 2, UINT64_C(1) << 40);
}

Test(rt_block_map, growth_loses_nothing)
{
    enum { BLOCKS = 200000 };
    rt_block_map_reset();
    for (uintptr_t i = 1; i <= BLOCKS; i++) {
        assert_block(put(i * 8, (uint32_t)i, i * 3), 0, 0);
    }
    for (uintptr_t i = 1; i <= BLOCKS; i++) {
        assert_block(rt_block_map_take(i * 8, TID), (uint32_t)i, i * 3);
    }
    for (uintptr_t i = 1; i <= BLOCKS; i++) {
        assert_block(rt_block_map_take(i * 8, TID), 0, 0);
    }
}

/* Blocks by number in plain arrays: what the map must agree with. */
enum { PLACES = 600, STEPS = 6000 };

static uintptr_t address_of(uint64_t place, unsigned history)
{
    /* Few shards and few homes: runs grow long, and holes are closed in the midst of them. */
    static const uint64_t strides[] = {8, 16, 4096, UINT64_C(1) << 20, UINT64_C(1) << 32};
    return 0x10000 + place * strides[history % 5];
}

static void run_history(unsigned history)
{
    struct rt_block model[PLACES];
    uint64_t random = history;
    memset(model, 0, sizeof model);
    rt_block_map_reset();
    for (unsigned step = 0; step < STEPS; step++) {
        uint64_t place = random_next(&random) % PLACES;
        uintptr_t address = address_of(place, history);
        if (random_next(&random) % 5 < (step < STEPS / 2 ? 3u : 2u)) {
            struct rt_block block = {1 + step, random_next(&random)};
            struct rt_block before = put(address, block.stack, block.bytes);
            assert_block(before, model[place].stack, model[place].bytes);
            model[place] = block;
        } else {
            assert_block(rt_block_map_take(address, TID), model[place].stack, model[place].bytes);
            model[place] = (struct rt_block){0, 0};
        }
    }
    for (uint64_t place = 0; place < PLACES; place++) {
        assert_block(rt_block_map_take(address_of(place, history), TID), model[place].stack,
                     model[place].bytes);
    }
}

Test(rt_block_map, random_histories_agree_with_a_plain_array)
{
    for (unsigned history = 0; history < 100; history++) {
        run_history(history);
    }
}

Test(rt_block_map, a_dead_holder_is_recovered_from, .timeout = 600)
{
    enum { DEAD = 99 };
    rt_block_map_reset();
    put(0x1000, 5, 10);
    rt_block_map_recover(DEAD); /* holds nothing: no harm */
    assert_block(rt_block_map_take(0x1000, TID), 5, 10);
}
