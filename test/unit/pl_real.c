#include "preload/real.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BYTES = 256 * 1024 };

static void assert_zero(const char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        cr_assert_eq(memory[i], 0);
    }
}

Test(pl_real, blocks_of_the_arena_are_aligned_zero_and_known)
{
    for (size_t alignment = 1; alignment <= 8192; alignment *= 2) {
        char *memory = pl_arena_take(alignment, 100 + alignment);
        cr_assert_not_null(memory);
        cr_assert_eq((uintptr_t)memory % (alignment < 16 ? 16 : alignment), 0);
        cr_assert_eq(pl_arena_bytes(memory), 100 + alignment);
        cr_assert(pl_arena_owns(memory));
        assert_zero(memory, 100 + alignment);
        memset(memory, 0xee, 100 + alignment);
    }
}

Test(pl_real, blocks_of_the_arena_do_not_overlap)
{
    enum { BLOCKS = 500 };
    static char *memory[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        memory[i] = pl_arena_take(1, i % 40);
        cr_assert_not_null(memory[i]);
        memset(memory[i], (int)(i & 0x7f), i % 40);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        cr_assert_eq(pl_arena_bytes(memory[i]), i % 40);
        for (size_t k = 0; k < i % 40; k++) {
            cr_assert_eq(memory[i][k], (char)(i & 0x7f));
        }
        cr_assert(i == 0 || memory[i] != memory[i - 1]); /* empty ones too have their own address */
    }
    uint64_t bytes, sum = 0;
    for (size_t i = 0; i < BLOCKS; i++) {
        sum += i % 40;
    }
    cr_assert_eq(pl_arena_count(&bytes), BLOCKS);
    cr_assert_eq(bytes, sum);
}

Test(pl_real, what_the_arena_cannot_hold_is_refused_and_not_counted)
{
    uint64_t bytes;
    cr_assert_null(pl_arena_take(1, ARENA_BYTES));
    cr_assert_null(pl_arena_take(1, ARENA_BYTES + 1));
    cr_assert_null(pl_arena_take(1, SIZE_MAX));
    cr_assert_null(pl_arena_take(1, SIZE_MAX - 15));
    cr_assert_null(pl_arena_take(ARENA_BYTES * 2, 1));
    cr_assert_null(pl_arena_take((size_t)1 << 63, 1));
    cr_assert_eq(pl_arena_count(&bytes), 0);
    cr_assert_eq(bytes, 0);
    char *all = pl_arena_take(1, ARENA_BYTES - 16);
    cr_assert_not_null(all);
    memset(all, 1, ARENA_BYTES - 16);
    cr_assert_null(pl_arena_take(1, 1));
}

/* free() of a block that the arena does not know would go to the allocator. */
Test(pl_real, down_to_the_last_byte_the_arena_knows_its_blocks)
{
    size_t bytes = 0;
    char *memory;
    cr_assert_not_null(pl_arena_take(1, ARENA_BYTES - 16 * 9));
    while ((memory = pl_arena_take(1, bytes))) {
        cr_assert(pl_arena_owns(memory));
    }
}

Test(pl_real, other_memory_is_not_the_arenas)
{
    char local;
    char *first = pl_arena_take(1, 1);
    cr_assert_not(pl_arena_owns(NULL));
    cr_assert_not(pl_arena_owns(&local));
    cr_assert_not(pl_arena_owns(first + ARENA_BYTES));
    cr_assert_not(pl_arena_owns(first - 17));
}

Test(pl_real, the_next_family_is_found)
{
    cr_assert_not(pl_real_is_found());
    pl_real_find();
    cr_assert(pl_real_is_found());
    void *memory = pl_real.malloc(10);
    cr_assert_not_null(memory);
    memory = pl_real.realloc(memory, 20);
    pl_real.free(memory);
    pl_real_find(); /* once */
    cr_assert(pl_real_is_found());
}
