#include "runtime/hot/histogram.h"

#include <criterion/criterion.h>
#include <string.h>

#include "runtime/hot/heap_ledger.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/stack_table.h"
#include "test/fake/unwind_fake.h"
#include "test/support/rt_fixture.h"

/* The words of recording_format.h, one bit at a time. */
static uint32_t class_by_the_words(uint64_t bytes)
{
    uint64_t v = bytes ? bytes - 1 : 0;
    if (v < 8) {
        return (uint32_t)v;
    }
    uint32_t e = 0;
    for (uint32_t i = 0; i < 64; i++) {
        if (v >> i & 1) {
            e = i;
        }
    }
    return 8 * (e - 2) + (uint32_t)(v >> (e - 3) & 7);
}

static void check_class(uint64_t bytes)
{
    cr_assert_eq(rt_histogram_class(bytes), class_by_the_words(bytes), "%lu", bytes);
}

Test(rt_histogram, classes_are_exact_at_all_borders)
{
    for (uint32_t e = 0; e < 64; e++) {
        for (uint64_t eighth = 8; eighth < 16; eighth++) {
            uint64_t border = e < 3 ? UINT64_C(1) << e : eighth << (e - 3);
            check_class(border - 1);
            check_class(border);
            check_class(border + 1);
            check_class(border + 2);
        }
    }
    check_class(UINT64_MAX);
}

Test(rt_histogram, classes_rise_one_by_one)
{
    uint32_t before = 0;
    for (uint64_t bytes = 1; bytes < 1 << 20; bytes++) {
        uint32_t class = rt_histogram_class(bytes);
        cr_assert(class == before || class == before + 1);
        before = class;
    }
    for (uint32_t e = 3; e < 64; e++) { /* a power of two is the last size of its class */
        uint64_t power = UINT64_C(1) << e;
        cr_assert_eq(rt_histogram_class(power) + 1, rt_histogram_class(power + 1));
        cr_assert_eq(rt_histogram_class(power), 8 * (e - 3) + 7 + (e == 3 ? 0 : 0));
    }
}

enum { STACKS = 5, EVENTS = 20000 };

static uint64_t some_size(uint64_t *random)
{
    uint64_t bits = rt_fixture_random(random) % 47;
    uint64_t size = rt_fixture_random(random) & ((UINT64_C(2) << bits) - 1);
    return rt_fixture_random(random) % 4 ? size : UINT64_C(1) << bits;
}

Test(rt_histogram, counts_agree_with_plain_counting)
{
    static uint64_t expected[STACKS][REC_OCTAVES * REC_OCTAVE_CLASSES],
        found[REC_OCTAVES * REC_OCTAVE_CLASSES];
    uint64_t random = 1;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_thread *thread = rt_fixture_enter();
    for (uintptr_t i = 0; i < EVENTS; i++) {
        uint32_t stack = (uint32_t)(rt_fixture_random(&random) % STACKS);
        uint64_t size = stack == 0 ? 48 : some_size(&random); /* one stack of one size */
        unwind_fake_set(0x10000 + stack);
        rt_heap_allocated(thread, 0x100000 + 16 * i, size, &rt_fixture_registers);
        expected[stack][class_by_the_words(size)]++;
    }
    rt_heap_flush(thread);
    rt_fixture_leave(thread);
    for (uint32_t i = 0; i < STACKS; i++) {
        unwind_fake_set(0x10000 + i);
        struct rt_frame frame;
        struct rt_walk walk = rt_fixture_walk(&frame, &unwind_fake.key[0], 1);
        uint32_t id = rt_stack_find(&walk, thread->tid);
        memset(found, 0, sizeof found);
        rt_fixture_sizes(id, found);
        cr_assert_eq(memcmp(found, expected[i], sizeof found), 0, "stack %u", i);
    }
}

static struct rec_counter counter;

/* As the ledger does it: the size is noted before the allocation is counted. */
static void note(struct rt_thread *thread, uint64_t bytes)
{
    rt_histogram_note(thread, &counter, bytes);
    counter.allocations++;
}

/* The same, and the size is not held back. */
static void count(struct rt_thread *thread, uint64_t bytes)
{
    note(thread, bytes);
    rt_histogram_settle(thread);
}

static const struct rec_histogram *histogram(void)
{
    return rt_histogram_at(counter.histogram);
}

Test(rt_histogram, one_size_needs_no_histogram)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_thread *thread = rt_fixture_enter();
    for (int i = 0; i < 3; i++) {
        note(thread, 100);
    }
    cr_assert_eq(counter.size_mark, 101);
    cr_assert_eq(counter.histogram, 0);
}

Test(rt_histogram, the_first_sizes_are_counted_when_a_second_one_comes)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_thread *thread = rt_fixture_enter();
    for (int i = 0; i < 3; i++) {
        note(thread, 100);
    }
    note(thread, 101);
    uint32_t first = REC_SIZES_FIRST(counter.size_mark) * REC_OCTAVE_CLASSES;
    cr_assert_eq(histogram()->count[rt_histogram_class(100) - first], 4); /* one class: 97..104 */
    cr_assert_eq(histogram()->max_bytes, 101);
}

Test(rt_histogram, the_largest_is_kept_exactly)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_thread *thread = rt_fixture_enter();
    count(thread, 100);
    count(thread, UINT64_C(1) << 40);
    count(thread, 7);
    count(thread, (UINT64_C(1) << 40) - 5); /* in the last octave, but no maximum */
    cr_assert_eq(histogram()->max_bytes, UINT64_C(1) << 40);
    count(thread, (UINT64_C(1) << 40) + 1);
    cr_assert_eq(histogram()->max_bytes, (UINT64_C(1) << 40) + 1);
}

Test(rt_histogram, the_largest_is_kept_exactly_within_classes_and_octaves)
{
    /* 961 to 1024 are one class; 513 to 1024 one octave. */
    static const uint64_t size[] = {600, 530, 700, 513, 970, 965, 1000, 999, 640, 1024, 1023};
    uint64_t largest = 0;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_thread *thread = rt_fixture_enter();
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
        count(thread, size[i]);
        largest = size[i] > largest ? size[i] : largest;
        if (i > 0) {
            cr_assert_eq(histogram()->max_bytes, largest, "after %lu", size[i]);
        }
    }
}

static uint64_t counted(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < REC_SIZES_OCTAVES(counter.size_mark) * REC_OCTAVE_CLASSES; i++) {
        sum += histogram()->count[i];
    }
    return sum;
}

Test(rt_histogram, one_size_is_held_back_until_the_next_or_the_end)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_thread *thread = rt_fixture_enter();
    note(thread, 100);
    note(thread, 90);
    cr_assert_eq(counted(), 2); /* making the histogram counts at once */
    note(thread, 91);
    cr_assert_eq(counted(), 2);
    note(thread, 92);
    cr_assert_eq(counted(), 3);
    rt_heap_flush(thread);
    cr_assert_eq(counted(), 4);
    rt_heap_flush(thread);
    cr_assert_eq(counted(), 4);
}

Test(rt_histogram, a_size_that_is_held_back_moves_with_its_histogram)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_thread *thread = rt_fixture_enter();
    note(thread, 100);
    note(thread, 90);
    note(thread, 91);
    note(thread, 9000); /* a new octave: the histogram moves */
    cr_assert_eq(counted(), 4);
}

Test(rt_histogram, a_first_size_that_the_mark_cannot_hold_gets_a_histogram)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_thread *thread = rt_fixture_enter();
    note(thread, UINT64_C(5) << 30);
    cr_assert_geq(counter.size_mark, REC_SIZES_MANY);
    cr_assert_eq(histogram()->max_bytes, UINT64_C(5) << 30);
}

Test(rt_histogram, without_room_sizes_become_unknown_and_stay_so)
{
    rt_fixture_begin(&(struct rt_fixture_settings){.bytes = 1 << 20});
    struct rt_thread *thread = rt_fixture_enter();
    while (rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, thread->tid)) {
    }
    note(thread, 100);
    note(thread, 3000);
    cr_assert_eq(counter.size_mark, REC_SIZES_MANY);
    cr_assert_eq(counter.histogram, 0);
    note(thread, 100);
    cr_assert_eq(counter.size_mark, REC_SIZES_MANY);
}
