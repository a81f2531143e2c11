/* Unit tests of runtime/hot/unwind_libunwind.c: the contract of unwind.h, on any architecture. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "runtime/format/recording_format.h"
#include "runtime/hot/unwind.h"

#define NOINLINE __attribute__((noinline, noclone))
#define LIMIT    128u
#define SEED     UINT64_C(0x1234567)

static struct rt_walk walk;
static struct rt_frame frames[LIMIT];
static uintptr_t reference[4 * LIMIT];
static uint32_t reference_count, exact_count;
static volatile long sink;

static void set_up(void)
{
    walk = (struct rt_walk){.frame = frames, .limit = LIMIT};
    cr_assert_eq(rt_walk_bytes(LIMIT), 0, "it keeps nothing");
    rt_walk_reset(&walk, SEED);
}

TestSuite(unwind_libunwind, .init = set_up);

static _Unwind_Reason_Code reference_frame(struct _Unwind_Context *context, void *from)
{
    uintptr_t ip = _Unwind_GetIP(context);
    if (reference_count == 0 && ip != *(uintptr_t *)from) {
        return _URC_NO_REASON;
    }
    if (ip != 0 && reference_count < 4 * LIMIT) {
        reference[reference_count++] = ip;
    }
    return _URC_NO_REASON;
}

/* Stands for an interposed function: walks from its caller, and expects what libgcc sees. */
static NOINLINE void hook(void)
{
    uintptr_t ip = (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
    const struct rt_registers registers = {.ip = ip};
    cr_assert_eq(rt_unwind(&walk, &registers), walk.depth);
    reference_count = exact_count = 0;
    _Unwind_Backtrace(reference_frame, &ip);
    bool elided = reference_count > walk.limit;
    uint32_t whole = elided ? walk.limit - 1 : reference_count;
    cr_assert_eq(walk.depth, elided ? walk.limit : reference_count);
    cr_assert_eq(walk.frame[0].key == REC_SPECIAL_ELIDED, elided);
    cr_assert_eq(walk.flags, elided ? REC_STACK_CUT : 0);
    for (uint32_t i = 0; i < whole; i++) {
        uint64_t key = walk.frame[walk.depth - 1 - i].key;
        cr_assert_eq(REC_NODE_ADDRESS(key), reference[i], "frame %u", i);
        exact_count += (key & REC_NODE_EXACT) != 0;
    }
    uint64_t hash = SEED;
    for (uint32_t i = 0; i < walk.depth; i++) {
        hash = rt_hash_step(hash, walk.frame[i].key);
        cr_assert_eq(walk.frame[i].hash, hash);
        cr_assert_eq(walk.frame[i].stack, 0);
    }
    sink++;
}

static NOINLINE void recurse(unsigned levels)
{
    hook();
    if (levels) {
        recurse(levels - 1);
    }
    hook();
}

Test(unwind_libunwind, whole_stack_is_libgccs)
{
    hook();
    cr_assert_gt(walk.depth, 3);
    cr_assert_eq(exact_count, 0);
    recurse(50);
}

Test(unwind_libunwind, deeper_stack_keeps_its_inner_frames)
{
    recurse(200);
    for (walk.limit = 2; walk.limit < 30; walk.limit++) {
        recurse(5);
    }
}

static void on_signal(int number)
{
    (void)number;
    hook();
    cr_assert_eq(exact_count, 1);
}

Test(unwind_libunwind, interrupted_frame_is_marked)
{
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    cr_assert_eq(exact_count, 1);
}

Test(unwind_libunwind, unknown_caller_is_all_that_is_left)
{
    const struct rt_registers registers = {.ip = 0x123456};
    cr_assert_eq(rt_unwind(&walk, &registers), 1);
    cr_assert_eq(walk.frame[0].key, 0x123456);
    cr_assert_eq(walk.flags, REC_STACK_CUT);
    rt_unwind_forget_code();
}
