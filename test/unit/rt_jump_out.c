/*
 * A signal handler may leave by longjmp() while the thread is in the midst of a hook, a lock held
 * and a table half grown. The next hook takes the guard over and must find everything usable.
 */
#include <criterion/criterion.h>
#include <setjmp.h>

#include "runtime/hot/heap_ledger.h"
#include "runtime/hot/process.h"
#include "runtime/hot/recording.h"
#include "test/fake/os_fake.h"
#include "test/fake/unwind_fake.h"
#include "test/support/rt_fixture.h"

enum { LOW = 0x10000, HIGH = 0x20000, EVENTS = 3000 };

static jmp_buf outside;
static enum os_fake_call jump_call;
static uint64_t jump_at; /* the call of that kind that does not return */

static void jump(enum os_fake_call call)
{
    if (call == jump_call && os_fake.seen[call] == jump_at) {
        longjmp(outside, 1);
    }
}

static void find_test_stack(uintptr_t *ret_low, uintptr_t *ret_high)
{
    *ret_low = LOW;
    *ret_high = HIGH;
}

/* A hook whose frame lies a little further out than the one before, as after a jump out. */
static void hook(uintptr_t frame, uint32_t number)
{
    struct rt_thread *thread = rt_thread_enter(frame);
    if (!thread) {
        cr_assert_eq(rt_thread_enter_slowly(frame, &thread), RT_ENTRY_TAKEN);
    }
    uintptr_t address = UINT64_C(0x800000000000) + number * 8u; /* in the map, not in the shadow */
    unwind_fake.depth = 3;
    unwind_fake.key[0] = 0x10000;
    unwind_fake.key[1] = 0x20000 + number % 100;
    unwind_fake.key[2] = 0x30000 + number;
    rt_heap_allocated(thread, address, 8, &rt_fixture_registers);
    if (number % 3 == 0) {
        struct rt_block block = rt_heap_take(thread, address);
        if (block.stack) {
            rt_heap_freed(thread, address, block, &rt_fixture_registers);
        }
    }
    rt_thread_leave();
}

/* Run until the jump, then go on. Result: true if there was one. */
static bool run(enum os_fake_call call, uint64_t at)
{
    static volatile uint32_t number;
    static volatile uintptr_t frame;
    rt_tls = (struct rt_tls){NULL, 0};
    rt_fixture_begin(&(struct rt_fixture_settings){.bytes = 1 << 24});
    rt_process.find_stack = find_test_stack;
    frame = LOW + 64;
    hook(frame, 1);
    os_fake = (struct os_fake){.look = jump};
    jump_call = call;
    jump_at = at;
    number = 2;
    bool jumped = setjmp(outside) != 0;
    if (jumped) {
        frame += 64;
        number++;
    }
    for (; number < EVENTS; number++) {
        hook(frame, number);
    }
    const struct rec_header *header = rt_recording.header;
    cr_assert_eq(header->guard_takeovers, jumped ? 1 : 0);
    cr_assert_eq(header->stacks_unknown, 0);
    cr_assert_eq(header->events_lost, 0);
    cr_assert_geq(header->moment_count, EVENTS / 64 / 2); /* and the timeline goes on */
    cr_assert_leq(os_fake.seen[OS_FAKE_THREAD_YIELD], 0); /* no lock was waited for */
    return jumped;
}

static void run_all(enum os_fake_call call, uint64_t most)
{
    uint64_t at = 1;
    while (at <= most && run(call, at)) {
        at++;
    }
    cr_assert_gt(at, 1);
}

Test(rt_jump_out, while_memory_is_mapped, .timeout = 600)
{
    run_all(OS_FAKE_MEMORY_MAP, 100);
}

Test(rt_jump_out, while_memory_is_unmapped, .timeout = 600)
{
    run_all(OS_FAKE_MEMORY_UNMAP, 100);
}

Test(rt_jump_out, while_the_clock_is_read, .timeout = 600)
{
    run_all(OS_FAKE_CLOCK_MONOTONIC, 20);
}
