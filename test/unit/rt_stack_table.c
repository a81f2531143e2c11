#include "runtime/hot/stack_table.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/hot/module_map.h"
#include "runtime/hot/recording.h"
#include "test/support/rt_fixture.h"

enum { TID = 7 };

static uint32_t find(const uint64_t *keys, uint32_t count)
{
    struct rt_frame frames[64];
    struct rt_walk walk = rt_fixture_walk(frames, keys, count);
    return rt_stack_find(&walk, TID);
}

static const struct rec_stack *stack_at(uint32_t stack)
{
    return rt_fixture_record(REC_KIND_STACKS, stack, sizeof(struct rec_stack));
}

static const struct rec_node *node_at(uint32_t node)
{
    return rt_fixture_record(REC_KIND_NODES, node, sizeof(struct rec_node));
}

/* The recording says that STACK is KEYS. */
static void assert_stack(uint32_t stack, const uint64_t *keys, uint32_t count)
{
    uint32_t node = stack_at(stack)->node;
    for (uint32_t i = count; i > 0; i--) {
        cr_assert_neq(node, 0);
        cr_assert_eq(node_at(node)->key, keys[i - 1]);
        cr_assert_lt(node_at(node)->parent, node);
        node = node_at(node)->parent;
    }
    cr_assert_eq(node, 0);
}

Test(rt_stack_table, the_unknown_stack_exists_from_the_start)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    cr_assert_eq(rt_stack_special(REC_SPECIAL_UNKNOWN, TID), RT_STACK_UNKNOWN);
    assert_stack(RT_STACK_UNKNOWN, (const uint64_t[]){REC_SPECIAL_UNKNOWN}, 1);
    cr_assert_eq(rt_recording.header->stack_count, 2);
    cr_assert_eq(rt_recording.header->node_count, 2);
}

Test(rt_stack_table, the_same_stack_has_the_same_id)
{
    const uint64_t keys[] = {0x10000, 0x20000, 0x30000 | REC_NODE_EXACT};
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    uint32_t deep = find(keys, 3);
    uint32_t middle = find(keys, 2);
    cr_assert_neq(deep, middle);
    cr_assert_eq(find(keys, 3), deep);
    cr_assert_eq(find(keys, 2), middle);
    assert_stack(deep, keys, 3);
    assert_stack(middle, keys, 2);
    cr_assert_eq(rt_recording.header->node_count,
                 5); /* root, unknown, three: prefixes are shared */
}

Test(rt_stack_table, a_found_id_stays_with_the_walk)
{
    const uint64_t key = 0x10000;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_frame frame;
    struct rt_walk walk = rt_fixture_walk(&frame, &key, 1);
    uint32_t stack = rt_stack_find(&walk, TID);
    cr_assert_eq(frame.stack, stack);
    frame.hash = 12345; /* not looked at again */
    cr_assert_eq(rt_stack_find(&walk, TID), stack);
}

Test(rt_stack_table, flags_of_the_walk_are_the_stacks)
{
    const uint64_t key = 0x10000;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_frame frame;
    struct rt_walk walk = rt_fixture_walk(&frame, &key, 1);
    walk.flags = REC_STACK_CUT | REC_STACK_GUESSED;
    cr_assert_eq(stack_at(rt_stack_find(&walk, TID))->flags, REC_STACK_CUT | REC_STACK_GUESSED);
}

static void keys_of(uint32_t number, uint64_t *ret_keys, uint32_t *ret_count)
{
    *ret_count = 2 + number % 5;
    for (uint32_t i = 0; i < *ret_count; i++) {
        ret_keys[i] = 0x100000 + (number >> (3 * i) & 0xfff) * 16 + i;
    }
    ret_keys[*ret_count - 1] = UINT64_C(0x10000000) + number * 16;
}

Test(rt_stack_table, many_thousand_stacks_keep_their_ids)
{
    enum { STACKS = 120000 };
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    uint32_t *ids = malloc(STACKS * sizeof *ids);
    uint64_t keys[8];
    uint32_t count;
    for (uint32_t i = 0; i < STACKS; i++) {
        keys_of(i, keys, &count);
        ids[i] = find(keys, count);
        cr_assert_eq(ids[i], RT_STACK_UNKNOWN + 1 + i);
    }
    for (uint32_t i = 0; i < STACKS; i++) {
        keys_of(i, keys, &count);
        cr_assert_eq(find(keys, count), ids[i]);
    }
    for (uint32_t i = 0; i < STACKS; i += 997) {
        keys_of(i, keys, &count);
        assert_stack(ids[i], keys, count);
    }
    cr_assert_eq(rt_recording.header->stacks_unknown, 0);
    cr_assert_eq(rt_recording.header->stack_count, STACKS + 2);
    free(ids);
}

Test(rt_stack_table, a_new_generation_makes_another_stack)
{
    const uint64_t keys[] = {0x10000, 0x20000};
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    uint32_t before = find(keys, 2);
    uint64_t seed = rt_stack_seed();
    rt_module_map.generation++;
    cr_assert_neq(rt_stack_seed(), seed);
    uint32_t after = find(keys, 2);
    cr_assert_neq(after, before);
    assert_stack(after, keys, 2);
    cr_assert_eq(node_at(stack_at(before)->node)->generation, 1);
    cr_assert_eq(node_at(stack_at(after)->node)->generation, 2);
    rt_module_map.generation--;
    cr_assert_eq(find(keys, 2), before);
}

/* Two stacks of one hash; a walk carries its hashes itself, so they can be made. */
Test(rt_stack_table, equal_hashes_are_told_apart_by_leaf_and_depth)
{
    const uint64_t keys[] = {0x10000, 0x20000};
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_frame frames[2], other[2], alone[1];
    struct rt_walk walk = rt_fixture_walk(frames, keys, 2);
    struct rt_walk leaf = rt_fixture_walk(other, (const uint64_t[]){0x10000, 0x20010}, 2);
    struct rt_walk depth = rt_fixture_walk(alone, keys + 1, 1);
    frames[1].hash = other[1].hash = alone[0].hash = 0x1234567;
    uint32_t first = rt_stack_find(&walk, TID);
    uint32_t second = rt_stack_find(&leaf, TID);
    uint32_t third = rt_stack_find(&depth, TID);
    cr_assert(first != second && second != third && first != third);
    frames[1].stack = other[1].stack = alone[0].stack = 0;
    cr_assert_eq(rt_stack_find(&walk, TID), first);
    cr_assert_eq(rt_stack_find(&leaf, TID), second);
    cr_assert_eq(rt_stack_find(&depth, TID), third);
}

Test(rt_stack_table, a_hash_of_zero_is_a_hash)
{
    const uint64_t key = 0x10000;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_frame frame;
    struct rt_walk walk = rt_fixture_walk(&frame, &key, 1);
    frame.hash = 0;
    uint32_t stack = rt_stack_find(&walk, TID);
    frame.stack = 0;
    cr_assert_eq(rt_stack_find(&walk, TID), stack);
    cr_assert_eq(rt_recording.header->stack_count, 3);
}

Test(rt_stack_table, without_room_stacks_are_unknown_and_counted)
{
    rt_fixture_begin(&(struct rt_fixture_settings){.bytes = 1 << 20});
    uint64_t keys[8];
    uint32_t count, number = 0;
    uint32_t known[2] = {0, 0};
    for (; !rt_recording_is_full(); number++) {
        keys_of(number, keys, &count);
        uint32_t stack = find(keys, count);
        known[0] = number == 0 ? stack : known[0];
    }
    uint64_t unknown = rt_recording.header->stacks_unknown;
    cr_assert_geq(unknown, 1);
    for (uint32_t i = 0; i < 1000; i++) {
        keys_of(number + (1u << 20) + i, keys, &count);
        cr_assert_eq(find(keys, count), RT_STACK_UNKNOWN);
    }
    cr_assert_eq(rt_recording.header->stacks_unknown, unknown + 1000);
    keys_of(0, keys, &count);
    cr_assert_eq(find(keys, count), known[0]); /* what was known stays known */
}

/* Every node and stack that the header counts is filled, also where the room ended in between. */
Test(rt_stack_table, without_room_nothing_half_made_is_published)
{
    rt_fixture_begin(&(struct rt_fixture_settings){.bytes = 1 << 20});
    uint64_t keys[8];
    uint32_t count;
    for (uint32_t number = 0; number < 200000; number++) {
        keys_of(number, keys, &count);
        find(keys, count);
    }
    for (uint32_t i = 1; i < rt_recording.header->stack_count; i++) {
        cr_assert_neq(stack_at(i)->node, 0);
    }
    for (uint32_t i = 1; i < rt_recording.header->node_count; i++) {
        cr_assert_neq(node_at(i)->key, 0);
        cr_assert_lt(node_at(i)->parent, i);
    }
}

enum { THREADS = 4, SHARED_STACKS = 20000 };
static uint32_t thread_ids[THREADS][SHARED_STACKS];

static void *find_all(void *argument)
{
    uint32_t me = (uint32_t)(uintptr_t)argument;
    uint64_t keys[8];
    uint32_t count;
    for (uint32_t i = 0; i < SHARED_STACKS; i++) {
        struct rt_frame frames[8];
        uint32_t number = (i + me * 1000) % SHARED_STACKS;
        keys_of(number, keys, &count);
        struct rt_walk walk = rt_fixture_walk(frames, keys, count);
        thread_ids[me][number] = rt_stack_find(&walk, 100 + me);
    }
    return NULL;
}

Test(rt_stack_table, threads_agree_on_every_id)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, find_all, (void *)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (uint32_t i = 0; i < SHARED_STACKS; i++) {
        for (int t = 1; t < THREADS; t++) {
            cr_assert_eq(thread_ids[t][i], thread_ids[0][i]);
        }
    }
    cr_assert_eq(rt_recording.header->stack_count, SHARED_STACKS + 2);
    cr_assert_eq(rt_recording.header->stacks_unknown, 0);
}
