#include "runtime/hot/thread_state.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/hot/process.h"
#include "runtime/hot/recording.h"
#include "runtime/os/os.h"
#include "test/fake/os_fake.h"
#include "test/support/rt_fixture.h"

static const struct rec_thread *slot_at(uint32_t slot)
{
    return rt_fixture_record(REC_KIND_THREADS, slot, sizeof(struct rec_thread));
}

/* A stack of plain numbers: the guard's rule compares addresses and reads nothing. */
enum { LOW = 0x10000, HIGH = 0x20000 };

static void find_test_stack(uintptr_t *ret_low, uintptr_t *ret_high)
{
    *ret_low = LOW;
    *ret_high = HIGH;
}

static void begin_with_test_stack(void)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_process.find_stack = find_test_stack;
}

Test(rt_thread_state, the_first_way_is_long_and_the_next_ones_short)
{
    struct rt_thread *thread = NULL;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    cr_assert_null(rt_thread_enter(0x15000));
    cr_assert_eq(rt_thread_enter_slowly(0x15000, &thread), RT_ENTRY_TAKEN);
    cr_assert_eq(rt_tls.guard, 0x15000);
    rt_thread_leave();
    cr_assert_eq(rt_tls.guard, 0);
    cr_assert_eq(rt_thread_enter(0x15000), thread);
    rt_thread_leave();
    cr_assert_eq(slot_at(0)->tid, os_thread_id());
    cr_assert_eq(slot_at(0)->times_taken, 1);
    cr_assert_eq(rt_recording.header->thread_count, 1);
    cr_assert_eq(rt_recording.header->max_threads, 1);
    cr_assert_not(rt_threads_were_many);
}

Test(rt_thread_state, a_shut_gate_lets_nobody_in)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_fixture_leave(rt_fixture_enter());
    rt_gate_set(&rt_gate_off);
    cr_assert_null(rt_thread_enter(0x15000));
    cr_assert_eq(rt_tls.guard, 0);
}

Test(rt_thread_state, a_hook_within_a_hook_is_nested_and_counted)
{
    struct rt_thread *thread, *inner = NULL;
    begin_with_test_stack();
    cr_assert_eq(rt_thread_enter_slowly(0x15000, &thread), RT_ENTRY_TAKEN);
    cr_assert_null(rt_thread_enter(0x14000));
    cr_assert_eq(rt_thread_enter_slowly(0x14000, &inner), RT_ENTRY_NESTED);
    cr_assert_null(inner);
    cr_assert_eq(rt_tls.guard, 0x15000);
    cr_assert_eq(rt_recording.header->nested_calls, 1);
    cr_assert_eq(rt_recording.header->guard_takeovers, 0);
}

Test(rt_thread_state, a_hook_on_another_stack_is_nested)
{
    struct rt_thread *thread;
    begin_with_test_stack();
    cr_assert_eq(rt_thread_enter_slowly(0x15000, &thread), RT_ENTRY_TAKEN);
    cr_assert_eq(rt_thread_enter_slowly(HIGH, &thread), RT_ENTRY_NESTED); /* alternate stack */
    cr_assert_eq(rt_thread_enter_slowly(LOW - 8, &thread), RT_ENTRY_NESTED);
    rt_tls.guard = HIGH + 8; /* the hook itself runs on a fibre */
    cr_assert_eq(rt_thread_enter_slowly(HIGH + 64, &thread), RT_ENTRY_NESTED);
    cr_assert_eq(rt_recording.header->guard_takeovers, 0);
}

/* A handler on the alternate stack jumped out of its hook: the thread is on its own stack again. */
Test(rt_thread_state, a_guard_of_another_stack_is_dead_once_the_thread_is_on_its_own)
{
    struct rt_thread *thread;
    begin_with_test_stack();
    cr_assert_eq(rt_thread_enter_slowly(0x15000, &thread), RT_ENTRY_TAKEN);
    rt_tls.guard = LOW - 8;
    cr_assert_eq(rt_thread_enter_slowly(0x15000, &thread), RT_ENTRY_TAKEN);
    cr_assert_eq(rt_recording.header->guard_takeovers, 1);
}

Test(rt_thread_state, a_dead_guard_is_taken_over_and_counted)
{
    struct rt_thread *thread, *next = NULL;
    begin_with_test_stack();
    cr_assert_eq(rt_thread_enter_slowly(0x15000, &thread), RT_ENTRY_TAKEN);
    cr_assert_eq(rt_thread_enter_slowly(0x16000, &next), RT_ENTRY_TAKEN);
    cr_assert_eq(next, thread);
    cr_assert_eq(rt_tls.guard, 0x16000);
    cr_assert_eq(rt_recording.header->guard_takeovers, 1);
}

static void *enter_as(void *name)
{
    prctl(PR_SET_NAME, name);
    struct rt_thread *thread = rt_fixture_enter();
    rt_fixture_leave(thread);
    rt_thread_release(thread);
    return NULL;
}

static void run_as(const char *name)
{
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, enter_as, (void *)name), 0);
    pthread_join(thread, NULL);
}

Test(rt_thread_state, the_next_thread_of_a_name_takes_the_slot_over)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_fixture_leave(rt_fixture_enter());
    for (int i = 0; i < 20; i++) {
        run_as("worker");
        run_as("reader");
    }
    cr_assert_eq(rt_recording.header->thread_count, 3);
    cr_assert_str_eq(slot_at(1)->name, "worker");
    cr_assert_str_eq(slot_at(2)->name, "reader");
    cr_assert_eq(slot_at(1)->times_taken, 20);
    cr_assert_eq(slot_at(2)->times_taken, 20);
    cr_assert_neq(slot_at(1)->last_ns, 0);
    cr_assert_geq(slot_at(1)->last_ns, slot_at(1)->first_ns);
    cr_assert_eq(slot_at(0)->last_ns, 0);
    cr_assert_eq(rt_threads_alive, 1);
    cr_assert_eq(rt_recording.header->max_threads, 2);
    cr_assert(rt_threads_were_many);
}

Test(rt_thread_state, names_of_their_own_do_not_fill_the_recording)
{
    enum { NAMES = 2000, KEPT = 256 };
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    uint32_t taken = 0, others = 0;
    for (int i = 0; i < NAMES; i++) {
        char name[16];
        snprintf(name, sizeof name, "job-%d", i);
        run_as(name);
    }
    cr_assert_eq(rt_recording.header->thread_count, KEPT);
    for (uint32_t i = 0; i < KEPT; i++) {
        taken += slot_at(i)->times_taken;
        others += strcmp(slot_at(i)->name, "(others)") == 0;
    }
    cr_assert_eq(taken, NAMES);
    cr_assert_geq(others, 1);
}

Test(rt_thread_state, living_threads_have_slots_of_their_own)
{
    enum { MANY = 100 };
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    static struct rt_thread *states[MANY];
    for (int i = 0; i < MANY; i++) { /* as MANY threads: each finds no state */
        rt_tls = (struct rt_tls){NULL, 0};
        states[i] = rt_fixture_enter();
        rt_fixture_leave(states[i]);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        cr_assert_eq(states[i]->slot, i);
        cr_assert_eq((const void *)states[i]->record, slot_at(i));
    }
    cr_assert_eq(rt_recording.header->max_threads, MANY);
}

Test(rt_thread_state, a_forked_child_notices_what_it_is)
{
    static uint32_t *ours;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    ours = os_memory_map(4096);
    cr_assert_eq(os_memory_wipe_on_fork(ours, 4096), 0);
    *ours = 1;
    rt_process.ours = ours;
    struct rt_thread *thread = rt_fixture_enter();
    rt_fixture_leave(thread);
    cr_assert(rt_process_is_ours());
    pid_t child = fork();
    if (child == 0) {
        int wrong = 0;
        wrong |= rt_process_is_ours() ? 1 : 0;
        wrong |= rt_thread_enter(0x15000) ? 2 : 0;
        wrong |= rt_thread_enter_slowly(0x15000, &thread) == RT_ENTRY_FORKED ? 0 : 4;
        rt_process.ours = NULL; /* where the kernel cannot wipe: pids are compared */
        wrong |= rt_process_is_ours() ? 8 : 0;
        _exit(wrong);
    }
    int status = -1;
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0, "%x", status);
    cr_assert_eq(rt_thread_enter(0x15000), thread);
}

Test(rt_thread_state, after_its_end_a_thread_takes_a_state_per_event)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct rt_thread *thread = rt_fixture_enter();
    cr_assert_not(rt_thread_is_ended());
    rt_thread_mark_ended();
    rt_fixture_leave(thread);
    cr_assert(rt_thread_is_ended());
    cr_assert_eq(rt_threads_alive, 0);
    for (int i = 0; i < 3; i++) {
        struct rt_thread *again = rt_fixture_enter();
        cr_assert_eq(again, thread);
        cr_assert_eq(rt_threads_alive, 1);
        rt_fixture_leave(again);
        cr_assert_eq(rt_threads_alive, 0);
        cr_assert(rt_thread_is_ended());
    }
    cr_assert_eq(slot_at(0)->times_taken, 4);
}

Test(rt_thread_state, without_room_there_is_no_state_and_no_guard)
{
    struct rt_thread *thread = NULL;
    rt_fixture_begin(&(struct rt_fixture_settings){.bytes = 1 << 20});
    while (rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, 1)) {
    }
    cr_assert_eq(rt_thread_enter_slowly(0x15000, &thread), RT_ENTRY_NONE);
    cr_assert_eq(rt_tls.guard, 0);
    cr_assert_null(thread);
}

Test(rt_thread_state, where_memory_is_scarce_a_state_has_fewer_frames)
{
    struct rt_thread *thread = NULL;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    cr_assert_eq(rt_thread_enter_slowly(0x15000, &thread), RT_ENTRY_TAKEN);
    uint32_t usual = thread->walk.limit;
    rt_thread_leave();
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_tls = (struct rt_tls){NULL, 0};
    os_fake = (struct os_fake){.refuse_at = 1};
    cr_assert_eq(rt_thread_enter_slowly(0x15000, &thread), RT_ENTRY_TAKEN);
    cr_assert_eq(os_fake.refused, 1);
    cr_assert_lt(thread->walk.limit, usual / 2);
    rt_thread_leave();
}
