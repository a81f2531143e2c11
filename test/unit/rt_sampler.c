#include "runtime/hot/sampler.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <ucontext.h>

#include "runtime/hot/lock.h"
#include "runtime/hot/pause.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/stack_table.h"
#include "runtime/os/os.h"
#include "test/fake/timer_fake.h"
#include "test/fake/unwind_fake.h"
#include "test/support/rt_fixture.h"

/* The interval is a millisecond. */
enum { HZ = 1000, NUMBER = 63, KEY = 0x10000, JITTER_EVERY = 16 };

#define MEAN_NS  UINT64_C(1000000)
#define BEGAN_NS UINT64_C(5000000000)

static struct rt_thread *thread;
static uint32_t stack; /* that the signals interrupt */

static void begin_with(enum os_timer_clock clock)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    timer_fake.now_ns = BEGAN_NS;
    unwind_fake_set(KEY);
    rt_sampler_reset(clock, HZ);
    rt_sampler_start(NUMBER);
    thread = rt_fixture_enter();
    rt_fixture_leave(thread);
    struct rt_frame frames[1];
    struct rt_walk walk = rt_fixture_walk(frames, (const uint64_t[]){KEY}, 1);
    stack = rt_stack_find(&walk, os_thread_id());
}

static void begin(void)
{
    begin_with(OS_TIMER_CPU);
}

static const struct timer_fake_timer *timer(void)
{
    return &timer_fake.timer[thread->sampler->timer];
}

static struct rec_sample sample_of(uint32_t of_stack)
{
    const struct rec_sample *sample =
        rt_fixture_record(REC_KIND_SAMPLES, of_stack, sizeof(struct rec_sample));
    return sample ? *sample : (struct rec_sample){0};
}

static struct rec_sample sample_special(enum rec_special special)
{
    return sample_of(rt_stack_special(special, os_thread_id()));
}

/* The timer's signal, after so many OVERRUNS. */
static void signal_comes(int overruns)
{
    ucontext_t context;
    siginfo_t info = {.si_code = SI_TIMER};
    getcontext(&context);
    info.si_value.sival_ptr = &rt_sampling;
    info.si_overrun = overruns;
    rt_sampler_handle(NUMBER, &info, &context);
}

static void assert_near_mean(uint64_t interval_ns)
{
    cr_assert_geq(interval_ns, MEAN_NS * 9 / 10);
    cr_assert_leq(interval_ns, MEAN_NS * 11 / 10);
}

Test(rt_sampler, a_thread_has_a_timer_whose_first_expiry_is_in_the_first_interval, .init = begin)
{
    cr_assert_eq(timer_fake_alive(), 1);
    cr_assert_eq(timer()->clock, OS_TIMER_CPU);
    cr_assert_eq(timer()->tid, os_thread_id());
    cr_assert_eq(timer()->signal_number, NUMBER);
    cr_assert_eq(timer()->value, &rt_sampling);
    cr_assert_gt(timer()->first_ns, BEGAN_NS);
    cr_assert_leq(timer()->first_ns, BEGAN_NS + timer()->every_ns);
    assert_near_mean(timer()->every_ns);
}

Test(rt_sampler, a_signal_stands_for_its_overruns, .init = begin)
{
    uint64_t interval_ns = timer()->every_ns;
    signal_comes(0);
    cr_assert_eq(sample_of(stack).samples, 1);
    cr_assert_eq(sample_of(stack).ns, interval_ns);
    signal_comes(3);
    cr_assert_eq(sample_of(stack).samples, 2);
    cr_assert_eq(sample_of(stack).ns, 5 * interval_ns);
    signal_comes(-1); /* no kernel says so */
    cr_assert_eq(sample_of(stack).ns, 6 * interval_ns);
    cr_assert_eq(thread->sampler->next_ns, timer()->first_ns + 6 * interval_ns);
}

Test(rt_sampler, intervals_are_drawn_within_a_tenth_and_go_on_where_the_last_one_ended,
     .init = begin)
{
    uint64_t sum_ns = 0, least = UINT64_MAX, most = 0, next_ns = timer()->first_ns;
    enum { DRAWS = 2000 };
    for (int i = 0; i < DRAWS; i++) {
        for (int k = 0; k < JITTER_EVERY; k++) {
            next_ns += thread->sampler->interval_ns;
            signal_comes(0);
        }
        uint64_t now_ns = timer()->every_ns;
        assert_near_mean(now_ns);
        cr_assert_eq(timer()->first_ns, next_ns);
        sum_ns += now_ns;
        least = now_ns < least ? now_ns : least;
        most = now_ns > most ? now_ns : most;
    }
    /* 2000 draws from a tenth on either side: the mean's standard error is an eight-hundredth. */
    cr_assert_geq(sum_ns / DRAWS, MEAN_NS * 99 / 100);
    cr_assert_leq(sum_ns / DRAWS, MEAN_NS * 101 / 100);
    cr_assert_leq(least, MEAN_NS * 92 / 100);
    cr_assert_geq(most, MEAN_NS * 108 / 100);
}

/* The expected number of samples of however short a thread is right. */
Test(rt_sampler, first_expiries_are_spread_over_the_whole_interval, .init = begin)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (int i = 0; i < TIMER_FAKE_MAX - 1; i++) {
        rt_sampler_thread_ends(thread);
        rt_sampler_thread_begins(thread);
        uint64_t after_ns = timer()->first_ns - BEGAN_NS;
        least = after_ns < least ? after_ns : least;
        most = after_ns > most ? after_ns : most;
    }
    cr_assert_leq(least, MEAN_NS / 5);
    cr_assert_geq(most, MEAN_NS * 4 / 5);
}

static int strangers;

static void meet(int number)
{
    strangers += number == NUMBER;
    errno = ENOSYS; /* as what it calls may */
}

Test(rt_sampler, a_signal_that_somebody_sends_is_no_sample, .init = begin)
{
    ucontext_t context;
    siginfo_t info = {.si_code = SI_USER};
    getcontext(&context);
    rt_sampler_stranger = meet;
    errno = ERANGE;
    rt_sampler_handle(NUMBER, &info, &context);
    cr_assert_eq(errno, ERANGE);
    info.si_code = SI_TIMER; /* another timer of the program's, with the same number */
    info.si_value.sival_ptr = &strangers;
    rt_sampler_handle(NUMBER, &info, &context);
    cr_assert_eq(strangers, 2);
    cr_assert_eq(sample_of(stack).samples, 0);
}

Test(rt_sampler, what_comes_after_the_timer_has_been_deleted_is_not_booked, .init = begin)
{
    rt_sampler_stop();
    signal_comes(0);
    cr_assert_eq(sample_of(stack).samples, 0);
    cr_assert_eq(timer_fake_alive(), 0);
    rt_sampler_start(NUMBER - 1);
    cr_assert_eq(timer_fake_alive(), 1);
    cr_assert_eq(timer()->signal_number, NUMBER - 1);
    signal_comes(0);
    cr_assert_eq(sample_of(stack).samples, 1);
}

Test(rt_sampler, while_the_recording_stands_time_goes_on_and_is_not_booked, .init = begin)
{
    rt_pause_reset(true, false);
    uint64_t next_ns = thread->sampler->next_ns;
    signal_comes(1);
    cr_assert_eq(sample_of(stack).samples, 0);
    cr_assert_eq(thread->sampler->next_ns, next_ns + 2 * timer()->every_ns);
}

Test(rt_sampler, time_in_which_the_signal_was_blocked_says_so, .init = begin)
{
    uint64_t interval_ns = timer()->every_ns;
    thread->sampler->unblocking = true;
    signal_comes(0); /* one interval: it came just now */
    cr_assert_eq(sample_of(stack).ns, interval_ns);
    signal_comes(9);
    cr_assert_eq(sample_special(REC_SPECIAL_BLOCKED).ns, 10 * interval_ns);
    thread->sampler->unblocking = false;
    thread->sampler->deaf = true;
    signal_comes(0);
    cr_assert_eq(sample_special(REC_SPECIAL_BLOCKED).ns, 11 * interval_ns);
}

Test(rt_sampler, a_wait_is_booked_on_the_function_that_waits, .init = begin)
{
    enum { FUNCTION = 0x20000 };
    thread->sampler->waiting = true;
    thread->sampler->wait_function = FUNCTION;
    signal_comes(99);
    const uint64_t keys[] = {KEY, FUNCTION | REC_NODE_EXACT | REC_NODE_FUNCTION};
    struct rt_frame frames[2];
    struct rt_walk walk = rt_fixture_walk(frames, keys, 2);
    cr_assert_eq(sample_of(rt_stack_find(&walk, os_thread_id())).ns, 100 * timer()->every_ns);
    cr_assert_eq(sample_of(stack).ns, 0);
}

Test(rt_sampler, what_is_left_of_a_threads_time_is_booked_in_whole_intervals, .init = begin)
{
    uint64_t interval_ns = timer()->every_ns;
    timer_fake.now_ns = timer()->first_ns - 1; /* nothing was due yet */
    rt_sampler_thread_ends(thread);
    cr_assert_eq(sample_special(REC_SPECIAL_UNSAMPLED).ns, 0);
    rt_sampler_thread_begins(thread);
    interval_ns = timer()->every_ns;
    timer_fake.now_ns = timer()->first_ns + 2 * interval_ns + interval_ns / 2;
    rt_sampler_thread_ends(thread);
    cr_assert_eq(sample_special(REC_SPECIAL_UNSAMPLED).ns, 3 * interval_ns);
    cr_assert_eq(sample_special(REC_SPECIAL_UNSAMPLED).samples, 0);
    cr_assert_eq(timer_fake_alive(), 0);
    rt_sampler_thread_ends(thread); /* a second time it has nothing to end */
}

Test(rt_sampler, a_thread_that_ends_with_the_signal_blocked_says_so, .init = begin)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, NUMBER);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    timer_fake.now_ns = timer()->first_ns;
    rt_sampler_thread_ends(thread);
    cr_assert_eq(sample_special(REC_SPECIAL_BLOCKED).ns, timer()->every_ns);
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    cr_assert(sigismember(&now, NUMBER));
    cr_assert(!sigismember(&now, NUMBER - 1));
}

static pthread_barrier_t met, done;

static void *meet_a_hook(void *unused)
{
    rt_fixture_leave(rt_fixture_enter());
    pthread_barrier_wait(&met);
    pthread_barrier_wait(&done);
    return unused;
}

/* At the end of the process only what the tick of the other threads' clocks cannot explain. */
Test(rt_sampler, what_other_threads_were_not_sampled_for_is_lost_and_counted, .init = begin)
{
    pthread_t other;
    pthread_barrier_init(&met, NULL, 2);
    pthread_barrier_init(&done, NULL, 2);
    pthread_create(&other, NULL, meet_a_hook, NULL);
    pthread_barrier_wait(&met);
    cr_assert_eq(timer_fake_alive(), 2);
    timer_fake.now_ns = BEGAN_NS + 80 * MEAN_NS;
    rt_sampler_process_ends();
    cr_assert_eq(timer_fake_alive(), 0);
    cr_assert_geq(sample_special(REC_SPECIAL_UNSAMPLED).ns, 79 * MEAN_NS);
    cr_assert_leq(sample_special(REC_SPECIAL_UNSAMPLED).ns, 82 * MEAN_NS);
    cr_assert_geq(rt_recording.header->sample_lost_ns, 79 * MEAN_NS);
    cr_assert_leq(rt_recording.header->sample_lost_ns, 82 * MEAN_NS);
    pthread_barrier_wait(&done);
    pthread_join(other, NULL);
}

Test(rt_sampler, a_tick_that_is_late_is_not_lost, .init = begin)
{
    pthread_t other;
    pthread_barrier_init(&met, NULL, 2);
    pthread_barrier_init(&done, NULL, 2);
    pthread_create(&other, NULL, meet_a_hook, NULL);
    pthread_barrier_wait(&met);
    timer_fake.now_ns = BEGAN_NS + 10 * MEAN_NS;
    rt_sampler_process_ends();
    cr_assert_eq(rt_recording.header->sample_lost_ns, 0);
    pthread_barrier_wait(&done);
    pthread_join(other, NULL);
}

Test(rt_sampler, a_timer_that_is_refused_is_counted)
{
    timer_fake.refusal = EAGAIN;
    begin_with(OS_TIMER_WALL);
    cr_assert_eq(rt_recording.header->sample_refused, 1);
    cr_assert(!thread->sampler->running);
    signal_comes(0);
    rt_sampler_thread_ends(thread);
    cr_assert_eq(sample_of(stack).samples, 0);
}

Test(rt_sampler, the_child_of_a_fork_is_sampled_from_its_first_instruction_on)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    timer_fake.now_ns = 30 * MEAN_NS; /* used up before the child's first hook */
    rt_sampler_reset(OS_TIMER_CPU, HZ);
    rt_sampling.since_fork = true;
    rt_sampler_start(NUMBER);
    thread = rt_fixture_enter();
    rt_fixture_leave(thread);
    cr_assert_leq(timer()->first_ns, timer()->every_ns);
    cr_assert(!rt_sampling.since_fork);
}
