#include "runtime/hot/live_timeline.h"

#include <criterion/criterion.h>

#include "runtime/hot/recording.h"
#include "test/support/rt_fixture.h"

enum { TID = 7, FIRST_STEP = 64 };

static const struct rec_moment *moment_at(uint64_t index)
{
    return rt_fixture_record(REC_KIND_TIMELINE, index, sizeof(struct rec_moment));
}

/* The points rise in time, and in the live bytes that the tests raise with each. */
static void assert_order(void)
{
    const struct rec_header *header = rt_recording.header;
    cr_assert_leq(header->moment_count, REC_MOMENTS);
    for (uint64_t i = 0; i < header->moment_count; i++) {
        cr_assert_neq(moment_at(i)->ns, 0);
        cr_assert(i == 0 || (moment_at(i)->ns >= moment_at(i - 1)->ns &&
                             moment_at(i)->live_bytes > moment_at(i - 1)->live_bytes));
    }
}

Test(rt_live_timeline, every_point_says_when_the_next_is_due)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_recording.header->live_bytes = 4711;
    cr_assert_eq(rt_live_timeline_add(TID), FIRST_STEP);
    cr_assert_eq(rt_recording.header->moment_count, 1);
    cr_assert_eq(moment_at(0)->live_bytes, 4711);
    cr_assert_lt(moment_at(0)->ns, UINT64_C(60000000000));
}

Test(rt_live_timeline, full_it_is_thinned_out_and_the_step_doubles)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    uint64_t step = FIRST_STEP;
    for (int round = 0; round < 6; round++) {
        while (rt_recording.header->moment_count < REC_MOMENTS) {
            rt_recording.header->live_bytes++;
            cr_assert_eq(rt_live_timeline_add(TID), step);
        }
        assert_order();
        rt_recording.header->live_bytes++;
        step *= 2;
        cr_assert_eq(rt_live_timeline_add(TID), step);
        cr_assert_eq(rt_recording.header->moment_count, REC_MOMENTS / 2 + 1);
        cr_assert_eq(rt_recording.header->moment_step, step);
        assert_order();
    }
}

Test(rt_live_timeline, the_step_stays_in_its_bounds)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    uint32_t step = 0;
    for (int i = 0; i < 60 * (int)REC_MOMENTS; i++) {
        rt_recording.header->live_bytes++;
        step = rt_live_timeline_add(TID);
        cr_assert_geq(step, 1);
    }
    cr_assert_eq(step, 1u << 30);
    assert_order();
}

Test(rt_live_timeline, without_room_there_is_none)
{
    rt_fixture_begin_recording(1 << 20);
    while (rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, TID)) {
    }
    rt_live_timeline_reset(TID);
    cr_assert_geq(rt_live_timeline_add(TID), 1);
    cr_assert_eq(rt_recording.header->moment_count, 0);
}
