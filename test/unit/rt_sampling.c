/*
 * The sampler's signal, seen as the program and the kernel see it. The timers are real, but a
 * second of CPU time apart.
 */
#include "runtime/setup/sampling.h"

#include <criterion/criterion.h>
#include <pthread.h>

#include "runtime/hot/recording.h"
#include "runtime/os/os.h"
#include "runtime/os/timer.h"
#include "runtime/setup/session.h"
#include "test/support/rt_fixture.h"

enum { FIRST = 63, LAST = 40 };

/* Sampling begins, with a thread that has a timer. */
static void begin(void)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_session.config.sample = true;
    rt_session.config.sample_hz = 1;
    rt_sampling_reset(&rt_session.config);
    rt_sampling_begin(&rt_session.config);
    rt_fixture_leave(rt_fixture_enter());
}

/* The first expiry comes by chance in the first second of CPU time; what Criterion and a sanitizer
 * do at the process's end can take long enough to meet it. */
static void leave(void)
{
    rt_sampling_leave(REC_SAMPLE_END_SIGNALS);
}

TestSuite(rt_sampling, .fini = leave);

static void block(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static bool is_pending(int number)
{
    return os_signals_pending() >> (number - 1) & 1;
}

static void assert_is_back(int number)
{
    cr_assert_eq(os_signal_disposition(number), OS_SIGNAL_DEFAULT, "number %d", number);
}

static void on_signal(int number)
{
    (void)number;
}

Test(rt_sampling, without_samples_no_number_is_taken)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_sampling_reset(&rt_session.config);
    rt_sampling_begin(&rt_session.config);
    cr_assert_eq(rt_sampling_number(), 0);
    for (int number = LAST; number <= FIRST; number++) {
        assert_is_back(number);
    }
}

Test(rt_sampling, the_number_is_the_first_that_nobody_has_an_eye_on)
{
    block(FIRST);
    signal(FIRST - 1, on_signal);
    signal(FIRST - 2, SIG_IGN);
    rt_session.config.toggle_signal = FIRST - 3;
    rt_session.config.snapshot_signal = FIRST - 4;
    begin();
    cr_assert_eq(rt_sampling_number(), FIRST - 5);
    cr_assert_eq(os_signal_disposition(FIRST - 5), OS_SIGNAL_HANDLED);
    assert_is_back(FIRST);
    cr_assert_eq(os_signal_disposition(FIRST - 2), OS_SIGNAL_IGNORED);
}

Test(rt_sampling, without_a_free_number_the_recording_says_so)
{
    for (int number = LAST; number <= FIRST; number++) {
        signal(number, on_signal);
    }
    begin();
    cr_assert_eq(rt_sampling_number(), 0);
    cr_assert_eq(rt_recording.header->sample_end, REC_SAMPLE_END_SIGNALS);
}

Test(rt_sampling, the_program_finds_what_it_has_set_itself, .init = begin)
{
    struct sigaction before = {.sa_handler = on_signal};
    const struct sigaction ignored = {.sa_handler = SIG_IGN}, fresh = {.sa_handler = SIG_DFL};
    cr_assert(rt_sampling_action(FIRST, NULL, &before));
    cr_assert_eq(before.sa_handler, SIG_DFL);
    cr_assert(rt_sampling_action(FIRST, &ignored, NULL));
    cr_assert(rt_sampling_action(FIRST, NULL, &before));
    cr_assert_eq(before.sa_handler, SIG_IGN);
    cr_assert(rt_sampling_action(FIRST, &fresh, &before));
    cr_assert_eq(before.sa_handler, SIG_IGN);
    cr_assert_eq(rt_sampling_number(), FIRST);
    cr_assert_eq(os_signal_disposition(FIRST), OS_SIGNAL_HANDLED);
}

Test(rt_sampling, other_numbers_are_the_kernels_to_answer_for, .init = begin)
{
    const struct sigaction action = {.sa_handler = on_signal};
    cr_assert(!rt_sampling_action(FIRST - 1, &action, NULL));
    cr_assert(!rt_sampling_action(0, NULL, NULL));
    cr_assert_eq(rt_sampling_number(), FIRST);
}

Test(rt_sampling, a_handler_of_the_programs_gets_the_number_and_samples_go_on, .init = begin)
{
    const struct sigaction action = {.sa_handler = on_signal};
    cr_assert(!rt_sampling_action(FIRST, &action, NULL));
    assert_is_back(FIRST);
    cr_assert_eq(rt_sampling_number(), FIRST - 1);
    cr_assert_eq(os_signal_disposition(FIRST - 1), OS_SIGNAL_HANDLED);
}

Test(rt_sampling, numbers_that_are_waited_for_are_avoided, .init = begin)
{
    sigset_t set;
    sigemptyset(&set);
    cr_assert(rt_sampling_avoid(&set));
    cr_assert_eq(rt_sampling_number(), FIRST);
    sigaddset(&set, FIRST);
    sigaddset(&set, FIRST - 1);
    cr_assert(rt_sampling_avoid(&set));
    cr_assert_eq(rt_sampling_number(), FIRST - 2);
    sigfillset(&set);
    cr_assert(!rt_sampling_avoid(&set));
    cr_assert_eq(rt_sampling_number(), 0);
    cr_assert_eq(rt_recording.header->sample_end, REC_SAMPLE_END_SIGNALS);
    for (int number = LAST; number <= FIRST; number++) {
        assert_is_back(number);
    }
    cr_assert(rt_sampling_avoid(&set), "nothing is there to be avoided");
}

Test(rt_sampling, what_is_left_behind_is_what_the_program_believes, .init = begin)
{
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    rt_sampling_action(FIRST, &ignored, NULL);
    rt_sampling_leave(REC_SAMPLE_END_SANDBOX);
    cr_assert_eq(os_signal_disposition(FIRST), OS_SIGNAL_IGNORED);
    cr_assert_eq(rt_sampling_number(), 0);
    cr_assert(!rt_sampling_action(FIRST, NULL, NULL));
}

Test(rt_sampling, nothing_is_pending_after_it, .init = begin)
{
    block(FIRST);
    os_signal_raise(FIRST);
    cr_assert(is_pending(FIRST));
    rt_sampling_leave(REC_SAMPLE_END_SANDBOX);
    cr_assert(!is_pending(FIRST));
    assert_is_back(FIRST);
    cr_assert_eq(rt_recording.header->sample_end, REC_SAMPLE_END_SANDBOX);
}

Test(rt_sampling, it_comes_back_where_the_sandbox_was_refused, .init = begin)
{
    rt_sampling_leave(REC_SAMPLE_END_SANDBOX);
    rt_sampling_come_back();
    cr_assert_eq(rt_sampling_number(), FIRST);
    cr_assert_eq(os_signal_disposition(FIRST), OS_SIGNAL_HANDLED);
    cr_assert_eq(rt_recording.header->sample_end, REC_SAMPLE_END_NONE);
    rt_sampling_come_back(); /* it is there */
    cr_assert_eq(rt_sampling_number(), FIRST);
}

Test(rt_sampling, a_signal_of_another_sender_ends_the_program_as_ever, .init = begin,
     .signal = FIRST)
{
    os_signal_raise(FIRST);
}

Test(rt_sampling, or_is_ignored_if_the_program_wants_that, .init = begin)
{
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    rt_sampling_action(FIRST, &ignored, NULL);
    os_signal_raise(FIRST);
    cr_assert_eq(rt_sampling_number(), FIRST);
}
