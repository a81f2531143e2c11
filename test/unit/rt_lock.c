#include "runtime/hot/lock.h"

#include <criterion/criterion.h>
#include <pthread.h>

#include "test/fake/os_fake.h"

enum { OURS = 11, OTHERS = 22 };

Test(rt_lock, free_is_taken_and_given_back)
{
    struct rt_lock lock = {0};
    cr_assert(rt_lock_take(&lock, OURS));
    cr_assert_eq(lock.holder, OURS);
    rt_lock_give(&lock);
    cr_assert_eq(lock.holder, 0);
    cr_assert(rt_lock_take(&lock, OTHERS));
}

static void forget_seen(void)
{
    os_fake.seen[OS_FAKE_THREAD_YIELD] = os_fake.seen[OS_FAKE_THREAD_NAP] = 0;
}

Test(rt_lock, held_for_ever_is_given_up_and_then_waited_for_in_moments, .timeout = 600)
{
    struct rt_lock lock = {.holder = OTHERS};
    cr_assert_not(rt_lock_take(&lock, OURS));
    cr_assert_eq(lock.holder, OTHERS);
    uint64_t first = os_fake.seen[OS_FAKE_THREAD_NAP];
    cr_assert_geq(first, 5000, "naps of 50 us and more");
    forget_seen();
    cr_assert_not(rt_lock_take(&lock, OURS));
    cr_assert_eq(os_fake.seen[OS_FAKE_THREAD_NAP], 0);
    cr_assert_leq(os_fake.seen[OS_FAKE_THREAD_YIELD], 100);
    /* Once it has come back it may be waited for again. */
    rt_lock_give(&lock);
    cr_assert(rt_lock_take(&lock, OTHERS));
    cr_assert_not(rt_lock_take(&lock, OURS));
    cr_assert_geq(os_fake.seen[OS_FAKE_THREAD_NAP], 5000);
}

static struct rt_lock late_lock;

/* The holder gets no processor for most of the wait. */
static void holder_comes_late(enum os_fake_call call)
{
    if (call == OS_FAKE_THREAD_NAP && os_fake.seen[OS_FAKE_THREAD_NAP] == 5000) {
        rt_lock_give(&late_lock);
    }
}

Test(rt_lock, holder_that_comes_late_is_waited_for, .timeout = 600)
{
    late_lock.holder = OTHERS;
    os_fake.look = holder_comes_late;
    cr_assert(rt_lock_take(&late_lock, OURS));
    cr_assert_eq(late_lock.holder, OURS);
}

/* It changes hands all the time and is never seen free, but for the last. */
static void holders_follow_each_other(enum os_fake_call call)
{
    if (call == OS_FAKE_THREAD_NAP) {
        uint64_t naps = os_fake.seen[OS_FAKE_THREAD_NAP];
        late_lock.holder = naps == 20000 ? 0 : OTHERS + (uint32_t)(naps / 5000);
    }
}

Test(rt_lock, each_holder_is_waited_for_anew, .timeout = 600)
{
    late_lock.holder = OTHERS;
    os_fake.look = holders_follow_each_other;
    cr_assert(rt_lock_take(&late_lock, OURS));
    cr_assert_eq(os_fake.seen[OS_FAKE_THREAD_NAP], 20000);
}

/* A handler that has interrupted the holder: nobody else could give the lock back. */
Test(rt_lock, held_by_oneself_it_is_given_up_at_once)
{
    struct rt_lock lock = {.holder = OURS};
    cr_assert_not(rt_lock_take(&lock, OURS));
    cr_assert_eq(os_fake.seen[OS_FAKE_THREAD_YIELD], 0);
    cr_assert_eq(lock.holder, OURS);
    cr_assert_eq(lock.absent, 0, "the holder is here");
}

Test(rt_lock, held_it_is_given_up_at_once_by_who_may_not_wait)
{
    struct rt_lock lock = {.holder = OTHERS};
    cr_assert_not(rt_lock_take(&lock, OURS | RT_LOCK_NO_WAIT));
    cr_assert_eq(os_fake.seen[OS_FAKE_THREAD_YIELD], 0);
    lock.holder = OURS;
    cr_assert_not(rt_lock_take(&lock, OURS | RT_LOCK_NO_WAIT), "the hook that it has interrupted");
    lock.holder = 0;
    cr_assert(rt_lock_take(&lock, OURS | RT_LOCK_NO_WAIT));
}

Test(rt_lock, recover_sets_free_what_the_thread_held_alone)
{
    struct rt_lock lock = {.holder = OTHERS};
    rt_lock_recover(&lock, OURS);
    cr_assert_eq(lock.holder, OTHERS);
    rt_lock_recover(&lock, OTHERS);
    cr_assert_eq(lock.holder, 0);
    rt_lock_recover(&lock, OTHERS);
    cr_assert_eq(lock.holder, 0);
}

enum { ROUNDS = 20000 };
static struct rt_lock shared_lock;
static uint64_t shared_count;

static void *count_up(void *tid)
{
    for (int i = 0; i < ROUNDS; i++) {
        cr_assert(rt_lock_take(&shared_lock, (uint32_t)(uintptr_t)tid));
        shared_count++;
        rt_lock_give(&shared_lock);
    }
    return NULL;
}

Test(rt_lock, contended_lets_one_in_at_a_time)
{
    pthread_t threads[3];
    for (uintptr_t i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, count_up, (void *)(i + 1));
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    cr_assert_eq(shared_count, 3 * ROUNDS);
}
