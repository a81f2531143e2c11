#include "runtime/hot/sample_table.h"

#include <criterion/criterion.h>

#include "runtime/hot/recording.h"
#include "test/support/rt_fixture.h"

enum { SLOT = 3, TID = 7 };

static struct rt_sample_table table;

static void setup(void)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    table = (struct rt_sample_table){.slot = SLOT, .tid = TID};
}

static const struct rec_sampling *point_at(uint64_t index)
{
    return rt_fixture_record(REC_KIND_SAMPLINGS, index, sizeof(struct rec_sampling));
}

static const struct rec_sample *sample_at(uint32_t stack)
{
    return rt_fixture_record(REC_KIND_SAMPLES, stack, sizeof(struct rec_sample));
}

static void add(uint32_t stack, uint64_t ns, uint64_t at_ns)
{
    struct rt_sampled sampled = {.stack = stack,
                                 .ns = ns,
                                 .now_ns = rt_recording.header->start_monotonic_ns + at_ns,
                                 .is_signal = true};
    rt_sample_table_add(&table, &sampled);
}

/* All time that the points stand for, and that they are in order. */
static uint64_t points_us(uint32_t *ret_count)
{
    uint64_t sum = 0;
    uint32_t i = 0;
    for (; i < REC_SAMPLINGS && point_at(i) && point_at(i)->ns != 0; i++) {
        cr_assert(i == 0 || point_at(i)->ns > point_at(i - 1)->ns);
        sum += point_at(i)->length_us;
    }
    *ret_count = i;
    return sum;
}

Test(rt_sample_table, samples_of_a_stack_add_up, .init = setup)
{
    add(5, 1000, 10);
    add(5, 3000, 20);
    add(300, 1000, 30);
    cr_assert_eq(sample_at(5)->samples, 2);
    cr_assert_eq(sample_at(5)->ns, 4000);
    cr_assert_eq(sample_at(300)->samples, 1);
    cr_assert_eq(sample_at(6)->samples, 0);
}

Test(rt_sample_table, time_without_a_signal_is_no_sample_and_no_point, .init = setup)
{
    struct rt_sampled sampled = {.stack = 5, .ns = 4000};
    uint32_t count;
    rt_sample_table_add(&table, &sampled);
    cr_assert_eq(sample_at(5)->samples, 0);
    cr_assert_eq(sample_at(5)->ns, 4000);
    cr_assert_eq(points_us(&count), 0);
    cr_assert_eq(count, 0);
}

Test(rt_sample_table, points_are_in_the_order_of_time, .init = setup)
{
    add(5, 1500, 10);
    add(6, 1500, 20);
    cr_assert_eq(point_at(0)->ns, 11);
    cr_assert_eq(point_at(0)->stack, 5);
    cr_assert_eq(point_at(0)->length_us, 1);
    cr_assert_eq(point_at(1)->ns, 21);
    cr_assert_eq(point_at(1)->stack, 6);
    cr_assert_eq(point_at(1)->length_us, 2, "the half microsecond is not lost");
}

Test(rt_sample_table, full_it_is_halved_and_the_time_stays, .init = setup)
{
    uint32_t count;
    for (uint32_t i = 0; i < 5 * REC_SAMPLINGS + 3; i++) {
        add(5 + i % 2, 1000, 10 * (uint64_t)i);
        if (i == REC_SAMPLINGS - 1) {
            cr_assert_eq(points_us(&count), REC_SAMPLINGS);
            cr_assert_eq(count, REC_SAMPLINGS);
        }
    }
    uint64_t us = points_us(&count);
    cr_assert_leq(count, REC_SAMPLINGS);
    cr_assert_geq(count, REC_SAMPLINGS / 2);
    cr_assert_leq(5 * REC_SAMPLINGS + 3 - us, 8, "what is not there is still being gathered");
    cr_assert_eq(sample_at(5)->ns + sample_at(6)->ns, 1000u * (5u * REC_SAMPLINGS + 3u));
}

Test(rt_sample_table, of_two_equal_neighbours_each_is_kept_as_often, .init = setup)
{
    uint32_t kept[2] = {0, 0};
    for (uint32_t i = 0; i <= REC_SAMPLINGS; i++) {
        add(5 + i % 2, 1000, 10 * (uint64_t)i);
    }
    for (uint32_t i = 0; i < REC_SAMPLINGS / 2; i++) {
        kept[point_at(i)->stack - 5]++;
    }
    cr_assert_eq(kept[0], kept[1]);
}

Test(rt_sample_table, without_room_samples_are_counted_as_lost, .init = setup)
{
    rt_recording.header->full_ns = 1;
    add(5, 1000, 10);
    cr_assert_eq(rt_recording.header->events_lost, 1);
    cr_assert_null(sample_at(5));
}

Test(rt_sample_table, sums_go_on_when_there_is_no_room_for_points, .init = setup)
{
    struct rt_sampled sampled = {.stack = 5, .ns = 1000};
    rt_sample_table_add(&table, &sampled);
    rt_recording.header->full_ns = 1;
    add(5, 1000, 10);
    cr_assert_eq(sample_at(5)->ns, 2000);
    cr_assert_null(point_at(0));
    cr_assert_eq(rt_recording.header->events_lost, 0);
}
