#include "runtime/hot/live_blocks.h"

#include <criterion/criterion.h>
#include <string.h>

enum { TID = 7 };
#define LEAF_BYTES (UINT64_C(64) << 20)
#define GIB        (UINT64_C(1) << 30)

static struct rt_block put(uintptr_t address, uint32_t stack, uint64_t bytes)
{
    bool kept = false;
    struct rt_block before =
        rt_live_blocks_put(address, (struct rt_block){stack, bytes}, TID, &kept);
    cr_assert(kept);
    return before;
}

static void assert_block(struct rt_block block, uint32_t stack, uint64_t bytes)
{
    cr_assert_eq(block.stack, stack);
    cr_assert_eq(block.bytes, bytes);
}

static void assert_taken(uintptr_t address, uint32_t stack, uint64_t bytes)
{
    assert_block(rt_live_blocks_take(address, TID), stack, bytes);
    assert_block(rt_live_blocks_take(address, TID), 0, 0);
}

/* Both ways keep the same contract. */
static const uint64_t sizes[] = {0,           1,           31,      4096,        4 * GIB - 3,
                                 4 * GIB - 2, 4 * GIB - 1, 4 * GIB, 4 * GIB + 1, 100 * GIB};

static void check_sizes(uintptr_t address)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_block(put(address, 3, sizes[i]), 0, 0);
        assert_taken(address, 3, sizes[i]);
        assert_block(rt_live_blocks_take(address + 32, TID), 0, 0);
    }
}

Test(rt_live_blocks, sizes_of_any_width_come_back)
{
    for (int shadow = 0; shadow < 2; shadow++) {
        rt_live_blocks_reset(shadow);
        check_sizes(UINT64_C(0x7f0000001010));
        check_sizes(UINT64_C(0x7f0000000000) + 5 * LEAF_BYTES -
                    16); /* size word in the next leaf */
        check_sizes(UINT64_C(0x10));
    }
}

Test(rt_live_blocks, the_largest_stack_id_comes_back)
{
    rt_live_blocks_reset(true);
    put(0x5010, (1u << 31) - 1, 77);
    assert_taken(0x5010, (1u << 31) - 1, 77);
}

Test(rt_live_blocks, neighbouring_granules_are_apart)
{
    rt_live_blocks_reset(true);
    for (uintptr_t i = 0; i < 4096; i++) {
        put(0x100010 + 32 * i, (uint32_t)i + 1, i);
    }
    for (uintptr_t i = 0; i < 4096; i++) {
        assert_taken(0x100010 + 32 * i, (uint32_t)i + 1, i);
    }
}

Test(rt_live_blocks, hashed_keeps_blocks_8_bytes_apart)
{
    rt_live_blocks_reset(false);
    put(0x5000, 1, 8);
    put(0x5008, 2, 8);
    assert_taken(0x5000, 1, 8);
    assert_taken(0x5008, 2, 8);
}

Test(rt_live_blocks, addresses_above_47_bits_go_to_the_map)
{
    rt_live_blocks_reset(true);
    const uint64_t limit = UINT64_C(1) << 47;
    const uintptr_t addresses[] = {limit - 64, limit - 32,        limit - 16,      limit,
                                   limit + 16, UINT64_C(1) << 56, UINTPTR_MAX - 15};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        check_sizes(addresses[i]);
    }
}

Test(rt_live_blocks, a_frozen_shadow_keeps_what_it_has_and_leaves_the_rest_to_the_map)
{
    bool kept;
    rt_live_blocks_reset(true);
    rt_live_blocks_put(UINT64_C(0x10000020), (struct rt_block){5, 100}, TID, &kept);
    rt_live_blocks_freeze();
    rt_live_blocks_put(UINT64_C(0x10000040), (struct rt_block){6, 200}, TID, &kept);
    cr_assert(kept);
    cr_assert_not_null(rt_shadow_entry(UINT64_C(0x10000040)), "a leaf that is there is used");
    rt_live_blocks_put(UINT64_C(0x7f0000000020), (struct rt_block){7, 300}, TID, &kept);
    cr_assert(kept);
    cr_assert_null(rt_shadow_entry(UINT64_C(0x7f0000000020)), "no leaf is added");
    cr_assert_eq(rt_live_blocks_take(UINT64_C(0x10000020), TID).stack, 5);
    cr_assert_eq(rt_live_blocks_take(UINT64_C(0x10000040), TID).stack, 6);
    cr_assert_eq(rt_live_blocks_take(UINT64_C(0x7f0000000020), TID).bytes, 300);
}

Test(rt_live_blocks, an_entry_that_was_still_there_is_handed_back)
{
    for (int shadow = 0; shadow < 2; shadow++) {
        rt_live_blocks_reset(shadow);
        uintptr_t address = UINT64_C(0x7f1000000010);
        put(address, 1, 10);
        assert_block(put(address, 2, 5 * GIB), 1, 10);
        assert_block(put(address, 3, 6 * GIB), 2, 5 * GIB);
        assert_block(put(address, 4, 20), 3, 6 * GIB);
        assert_taken(address, 4, 20);
        assert_block(put(address + 32, 5, 1), 0, 0); /* no size word was left behind */
        assert_taken(address + 32, 5, 1);
    }
}

/* The free of a huge block was not seen; its size word lies where another block now begins. */
Test(rt_live_blocks, a_stale_size_word_is_no_block)
{
    rt_live_blocks_reset(true);
    put(0x7010, 9, 77 * GIB + 5);
    assert_block(rt_live_blocks_take(0x7030, TID), 0, 0);
    assert_block(put(0x7030, 2, 40), 0, 0);
    assert_taken(0x7030, 2, 40);
}

Test(rt_live_blocks, unknown_addresses_are_not_ours)
{
    rt_live_blocks_reset(true);
    assert_block(rt_live_blocks_take(UINT64_C(0x123450), TID), 0, 0);
    assert_block(rt_live_blocks_take(UINTPTR_MAX, TID), 0, 0);
    assert_block(rt_live_blocks_take(0, TID), 0, 0);
}
