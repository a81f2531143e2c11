/*
 * Unit tests of runtime/hot/recall.c: that a stack is known again, and never taken for another one.
 * The latter is checked at each hook of these tests and of those of the walk, see unwind_native.h.
 */
#include "test/unit/unwind_native.h"

#include "runtime/hot/stack_table.h"

TestSuite(recall, .init = set_up, .timeout = 600);

Test(recall, stack_that_comes_again_is_known)
{
    for (volatile int i = 0; i < 10; i++) {
        outer_a();
    }
    cr_assert_geq(recalls, 6, "%u", recalls);
}

Test(recall, stacks_that_take_turns_are_known)
{
    for (volatile int i = 0; i < 20; i++) {
        outer_a();
        inner();
        outer_b();
    }
    cr_assert_geq(recalls, 40, "%u", recalls);
}

static NOINLINE void from_a(void)
{
    volatile char room[8];
    room[0] = 1;
    outer_a();
    sink += room[0];
}

static NOINLINE void from_b(void)
{
    volatile char room[8];
    room[0] = 1;
    outer_a();
    sink -= room[0];
}

Test(recall, same_inner_frames_under_other_callers_are_told_apart)
{
    for (volatile int i = 0; i < 40; i++) {
        i % 3 ? from_a() : from_b();
    }
    cr_assert_geq(recalls, 20, "%u", recalls);
}

static NOINLINE void leaf_x(void)
{
    hook();
    sink++;
}

static NOINLINE void leaf_y(void)
{
    hook();
    sink--;
}

static NOINLINE void deep(unsigned levels, void (*leaf)(void))
{
    if (levels) {
        deep(levels - 1, leaf);
    } else {
        leaf();
    }
    sink++;
}

static NOINLINE void deep_from_a(void (*leaf)(void))
{
    deep(30, leaf);
    sink++;
}

static NOINLINE void deep_from_b(void (*leaf)(void))
{
    deep(30, leaf);
    sink--;
}

/* The only difference lies further out than all words of a memo. When leaf_x() comes from another
 * caller the last walk has been there, but with leaf_y(). */
Test(recall, difference_far_out_is_seen)
{
    for (volatile int i = 0; i < 120; i++) {
        void (*leaf)(void) = i % 6 % 4 ? leaf_x : leaf_y;
        i / 6 % 2 ? deep_from_a(leaf) : deep_from_b(leaf);
    }
    cr_assert_gt(recalls, 20, "%u", recalls);
}

#define PASS(name, to)                                                                             \
    static NOINLINE void name(void)                                                                \
    {                                                                                              \
        to();                                                                                      \
        sink++;                                                                                    \
    }
PASS(pass_1, hook)
PASS(pass_2, pass_1)
PASS(pass_3, pass_2)
PASS(pass_4, pass_3)
PASS(pass_5, pass_4)
PASS(pass_6, pass_5)
PASS(way_a, pass_6)
PASS(way_b, pass_6)

/* The innermost frames, by which a memo is found, are the same. */
Test(recall, callers_behind_the_same_frames_are_known)
{
    for (volatile int i = 0; i < 100; i++) {
        i % 2 ? way_a() : way_b();
    }
#ifndef __SANITIZE_ADDRESS__ /* that has frame pointers: two words a frame, too many for a memo */
    cr_assert_gt(recalls, 60, "%u", recalls);
#endif
}

/* Frames of one function differ in size, so its caller's frame pointer is all that tells. */
static NOINLINE void hook_in_frame_of(size_t bytes)
{
    volatile char *room = __builtin_alloca(bytes);
    room[0] = 1;
    hook();
    sink += room[0];
}

static NOINLINE void with_room(unsigned levels, unsigned seed)
{
    volatile char *room = __builtin_alloca(16 + seed % 5 * 16);
    room[0] = 1;
    if (levels) {
        with_room(levels - 1, seed * 7 + 3);
    } else {
        hook_in_frame_of(16 + seed % 3 * 32);
    }
    sink += room[0];
}

Test(recall, frame_pointer_frames_of_varying_size_are_told_apart)
{
    for (volatile unsigned i = 0; i < 600; i++) {
        with_room(2 + i % 3, i * 2654435761u >> 28);
    }
    cr_assert_gt(recalls, 100, "%u", recalls);
}

static unsigned twists;

static NOINLINE void hook_with_another_fp(void)
{
    REGISTERS_OF_CALLER(registers);
    walk_both(&registers);
    struct rt_registers twisted = registers;
    twisted.fp += 64;
    if (rt_recall(recall, &recalling, &registers)) {
        cr_assert_eq(rt_recall(recall, &recalling, &twisted), 0);
        twists++;
    }
}

static NOINLINE void frame_found_by_fp(size_t bytes)
{
    volatile char *room = __builtin_alloca(bytes);
    room[0] = 1;
    hook_with_another_fp();
    sink += room[0];
}

Test(recall, another_frame_pointer_is_another_stack)
{
    for (volatile int i = 0; i < 10; i++) {
        frame_found_by_fp(48);
    }
    cr_assert_gt(twists, 4, "%u", twists);
}

/* A tree of calls: each path is a stack of its own, and few frames long. */
static NOINLINE void branch(unsigned path, unsigned levels);

#define BRANCH(name, words)                                                                        \
    static NOINLINE void name(unsigned path, unsigned levels)                                      \
    {                                                                                              \
        volatile char room[8 * words];                                                             \
        room[0] = 1;                                                                               \
        branch(path, levels);                                                                      \
        sink += room[0];                                                                           \
    }
#define BRANCHES(name)                                                                             \
    BRANCH(name##0, 1)                                                                             \
    BRANCH(name##1, 2)                                                                             \
    BRANCH(name##2, 3)                                                                             \
    BRANCH(name##3, 4)                                                                             \
    BRANCH(name##4, 5)                                                                             \
    BRANCH(name##5, 6)                                                                             \
    BRANCH(name##6, 7)                                                                             \
    BRANCH(name##7, 8)
BRANCHES(a)
BRANCHES(b)
BRANCHES(c)
BRANCHES(d)

static NOINLINE void branch(unsigned path, unsigned levels)
{
    static void (*const to[])(unsigned, unsigned) = {
        a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7,
        c0, c1, c2, c3, c4, c5, c6, c7, d0, d1, d2, d3, d4, d5, d6, d7,
    };
    enum { WAYS = sizeof to / sizeof to[0] };
    if (levels == 0) {
        hook_quiet();
    } else {
        to[path % WAYS](path / WAYS, levels - 1);
    }
    sink++;
}

/* Addresses are chance, and a bad start of them may put the table to rest for a time. */
Test(recall, table_grows_with_the_stacks)
{
    enum { PATHS = 32 * 32, ATTEMPTS = 16 };
    unsigned state = 1, most = 0;
    for (volatile int attempt = 0; attempt < ATTEMPTS && most <= 10 * PATHS; attempt++) {
        unsigned before = recalls;
        for (volatile int i = 0; i < 20 * PATHS; i++) {
            state = state * 1103515245u + 12345u;
            branch((state >> 8) % PATHS, 2);
        }
        most = recalls - before > most ? recalls - before : most;
    }
    cr_assert_gt(most, 10 * PATHS, "%u", most);
}

Test(recall, stacks_that_never_come_again_are_walked)
{
    for (volatile unsigned i = 0; i < 60000; i++) {
        branch(i, 4);
    }
    unsigned before = recalls;
    for (volatile int i = 0; i < 90000; i++) {
        branch(7, 3);
    }
    cr_assert_gt(recalls, before + 1000, "what comes again is known in the end");
}

Test(recall, another_address_map_forgets_all)
{
    for (volatile int i = 0; i < 20; i++) {
        unsigned before = recalls;
        outer_a();
        if (i == 9) {
            cr_assert_gt(recalls, before);
            rt_recall_forget(recall);
        }
        if (i == 10) {
            cr_assert_eq(recalls, before);
        }
    }
    cr_assert_gt(recalls, 10);
}

Test(recall, walk_that_was_reset_matches_nothing)
{
    for (volatile int i = 0; i < 20; i++) {
        unsigned before = recalls;
        if (i == 10) {
            rt_walk_reset(&recalling, SEED);
        }
        outer_a();
        cr_assert(i < 9 || (recalls == before) == (i == 10), "round %d", i);
    }
}

static NOINLINE void hook_without_number(void)
{
    REGISTERS_OF_CALLER(registers);
    cr_assert_eq(rt_recall(recall, &recalling, &registers), 0);
    rt_unwind(&recalling, &registers);
    rt_recall_note(recall, &recalling, RT_STACK_UNKNOWN);
}

Test(recall, stack_without_a_number_is_asked_for_again)
{
    for (volatile int i = 0; i < 10; i++) {
        hook_without_number();
    }
}

static unsigned fibre_recalls;

static void on_fibre(void)
{
    for (volatile int i = 0; i < 5; i++) {
        unsigned before = recalls;
        hook_quiet();
        fibre_recalls += recalls - before;
    }
}

Test(recall, strange_stacks_are_walked)
{
    char *stack =
        mmap(NULL, FIBRE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq((void *)stack, MAP_FAILED);
    for (volatile int i = 0; i < 5; i++) {
        outer_a();
        call_on_stack(on_fibre, stack + FIBRE_BYTES - 64);
    }
    cr_assert_eq(fibre_recalls, 0, "its words may be gone at any time");
}
