#include "runtime/hot/call_gate.h"

#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/hot/recording.h"
#include "runtime/os/os.h"
#include "test/support/rt_fixture.h"

/* A recording of calls with that clock, as it begins. */
static void begin(uint32_t clock)
{
    rt_call_gate_wanted = true;
    rt_call_gate_is_wiped = true;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_recording.header->clock_kind = clock;
}

Test(rt_call_gate, unwanted_it_stays_off)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    cr_assert_eq(rt_call_gate_read(), RT_CALL_GATE_OFF);
}

Test(rt_call_gate, it_is_long_until_the_clock_is_ready)
{
    begin(REC_CLOCK_NONE);
    cr_assert_eq(rt_call_gate_read(), RT_CALL_GATE_LONG);
    rt_call_gate_shorten();
    cr_assert_eq(rt_call_gate_read(), RT_CALL_GATE_LONG);
    rt_recording.header->clock_kind = REC_CLOCK_TSC;
    rt_call_gate_shorten();
    cr_assert(rt_call_gate_is_open());
}

Test(rt_call_gate, any_other_clock_takes_the_long_way)
{
    begin(REC_CLOCK_TSC_PRECISE);
    rt_call_gate_shorten();
    cr_assert_eq(rt_call_gate_read(), RT_CALL_GATE_LONG);
}

Test(rt_call_gate, behind_a_pause_it_is_as_short_as_before)
{
    begin(REC_CLOCK_TSC);
    rt_call_gate_shorten();
    rt_call_gate_shut();
    cr_assert_eq(rt_call_gate_read(), RT_CALL_GATE_OFF);
    rt_call_gate_shorten();
    cr_assert_eq(rt_call_gate_read(), RT_CALL_GATE_OFF);
    rt_call_gate_reopen();
    cr_assert(rt_call_gate_is_open());
}

Test(rt_call_gate, a_forked_child_finds_it_wiped)
{
    begin(REC_CLOCK_TSC);
    cr_assert_eq(os_memory_wipe_on_fork(&rt_call_gate_page, sizeof rt_call_gate_page), 0);
    rt_call_gate_shorten();
    pid_t child = fork();
    if (child == 0) {
        _exit(rt_call_gate_read());
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status));
    cr_assert_eq(WEXITSTATUS(status), RT_CALL_GATE_UNKNOWN);
    cr_assert(rt_call_gate_is_open());
}

Test(rt_call_gate, where_it_is_not_wiped_it_never_opens)
{
    begin(REC_CLOCK_TSC);
    rt_call_gate_is_wiped = false;
    rt_call_gate_shorten();
    cr_assert_eq(rt_call_gate_read(), RT_CALL_GATE_LONG);
}
