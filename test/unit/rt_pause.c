#include "runtime/hot/pause.h"

#include <criterion/criterion.h>

#include "runtime/hot/clock.h"
#include "runtime/hot/recording.h"
#include "test/support/rt_fixture.h"

static void begin(void)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_clock.kind = REC_CLOCK_MONOTONIC;
    rt_pause_reset(false, false);
}

/* When a call begins that is entered now, without the pauses; later calls begin later. */
static uint64_t ran(void)
{
    uint64_t now = rt_clock_read();
    while (rt_clock_read() == now) {
    }
    return now - rt_pause_ticks();
}

static void pause_once(void)
{
    rt_pause_stop();
    rt_pause_start();
}

Test(rt_pause, each_call_has_the_pauses_before_it)
{
    begin();
    uint64_t first = ran();
    pause_once();
    uint64_t once = rt_pause_ticks();
    uint64_t second = ran();
    pause_once();
    uint64_t twice = rt_pause_ticks();
    cr_assert_gt(once, 0);
    cr_assert_gt(twice, once);
    cr_assert_eq(rt_pause_ticks_before(first), 0);
    cr_assert_eq(rt_pause_ticks_before(second), once);
    cr_assert_eq(rt_pause_ticks_before(ran()), twice);
}

Test(rt_pause, of_many_the_first_count_as_older_than_any_call)
{
    begin();
    uint64_t first = ran();
    for (int i = 0; i < 10; i++) {
        pause_once();
    }
    uint64_t forgotten = rt_pause_ticks();
    uint64_t middle = ran();
    for (int i = 0; i < RT_PAUSES_KNOWN; i++) {
        pause_once();
    }
    cr_assert_eq(rt_pause_ticks_before(first), forgotten);
    cr_assert_eq(rt_pause_ticks_before(middle), forgotten);
    cr_assert_eq(rt_pause_ticks_before(ran()), rt_pause_ticks());
}
