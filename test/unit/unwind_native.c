/*
 * Unit tests of runtime/hot/unwind_native.c: all kinds of sound stacks, and the contract of a walk.
 */
#include "test/unit/unwind_native.h"

TestSuite(unwind_native, .init = set_up, .timeout = 600);

Test(unwind_native, whole_stack_is_libgccs)
{
    hook();
    outer_a();
    cr_assert_gt(walk.depth, 4);
}

Test(unwind_native, same_inner_frames_under_another_caller_are_noticed)
{
    for (int i = 0; i < 10; i++) {
        outer_a();
        outer_b();
    }
    cr_assert_eq(hooks, 20);
}

Test(unwind_native, same_stack_keeps_all_stack_ids)
{
    for (volatile int i = 0; i < 3; i++) {
        inner();
        if (i == 0) {
            walk.frame[0].stack = 11;
            walk.frame[walk.depth - 1].stack = 12;
        }
    }
    cr_assert_eq(walk.frame[0].stack, 11);
    cr_assert_eq(walk.frame[walk.depth - 1].stack, 12);
}

Test(unwind_native, changed_frames_lose_their_stack_ids)
{
    outer_a();
    for (uint32_t i = 0; i < walk.depth; i++) {
        walk.frame[i].stack = i + 1;
    }
    outer_b();
    uint32_t depth = walk.depth;
    cr_assert_eq(walk.frame[depth - 1].stack, 0);
    cr_assert_eq(walk.frame[depth - 2].stack, 0, "outer_b");
    cr_assert_eq(walk.frame[depth - 3].stack, 0, "the call site in this function");
    cr_assert_eq(walk.frame[depth - 4].stack, depth - 3, "the caller of this function");
}

Test(unwind_native, reset_forgets_the_stack_and_takes_the_seed)
{
    inner();
    walk.frame[0].stack = 5;
    rt_walk_reset(&walk, SEED + 1);
    cr_assert_eq(walk.depth, 0);
    hook_fast();
    cr_assert_eq(walk.frame[0].stack, 0);
    cr_assert_eq(walk.frame[0].hash, rt_hash_step(SEED + 1, walk.frame[0].key));
}

Test(unwind_native, forgotten_code_is_learnt_again)
{
    outer_a();
    rt_unwind_forget_code();
    outer_a();
    outer_b();
}

Test(unwind_native, recursion_within_the_limit_is_whole)
{
    recurse(100, hook);
    cr_assert_eq(hooks, 200);
}

static NOINLINE void elided_leaf(void)
{
    hook_elided();
    sink++;
}

static NOINLINE void elided_siblings(void)
{
    hook_elided();
    for (int i = 0; i < 3; i++) {
        elided_leaf();
    }
    hook_elided();
}

Test(unwind_native, deeper_stack_keeps_its_inner_frames)
{
    walk = walk_make(32);
    fresh = walk_make(32);
    recurse(100, elided_siblings);
}

/* Beyond the limit too, the same stack is the same: nothing is walked, and ids stay. */
static void hook_elided_twice(void)
{
    for (volatile int i = 0; i < 2; i++) {
        elided_leaf();
        cr_assert_eq(walk.frame[0].key, REC_SPECIAL_ELIDED);
        cr_assert_eq(walk.frame[walk.depth - 1].stack, (uint32_t)i);
        walk.frame[walk.depth - 1].stack = 1;
    }
}

static void elided_at_100(void)
{
    static int calls;
    if (++calls == 100) {
        hook_elided_twice();
    }
}

Test(unwind_native, elided_stack_that_repeats_keeps_its_stack_id)
{
    walk = walk_make(32);
    fresh = walk_make(32);
    recurse(100, elided_at_100);
}

Test(unwind_native, every_small_limit_is_kept)
{
    for (uint32_t limit = 2; limit < 40; limit++) {
        walk = walk_make(limit);
        fresh = walk_make(limit);
        recurse(12, elided_siblings);
    }
}

static void *recurse_deeply(void *unused)
{
    (void)unused;
    walk = walk_make(64);
    recurse(100000, hook_fast);
    return NULL;
}

/* A cost that grew with the depth would take minutes: 10^10 frames. */
Test(unwind_native, deep_recursion_costs_no_more_per_call, .timeout = 60)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256u << 20);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, &attributes, recurse_deeply, NULL), 0);
    pthread_join(thread, NULL);
    cr_assert_eq(hooks, 200000);
}

static NOINLINE void realigned(int a, int b, int c, int d, int e, int f, int g, int size)
{
    alignas(64) volatile char room[64];
    volatile char *more = __builtin_alloca((size_t)size);
    room[0] = (char)(a + b + c + d + e + f);
    more[0] = (char)g;
    hook();
    inner();
    sink += room[0] + more[0];
}

Test(unwind_native, realigned_frames_are_passed)
{
    for (int i = 0; i < 20; i++) {
        realigned(1, 2, 3, 4, 5, 6, i, 16 + i * 24);
    }
}

static NOINLINE void variable(unsigned size, int levels)
{
    volatile char *room = __builtin_alloca(16 + (size & 3) * 32);
    room[0] = (char)size;
    if (levels) {
        variable(size >> 2, levels - 1);
    } else {
        hook();
    }
    sink += room[0];
}

Test(unwind_native, frames_of_varying_size_are_passed)
{
    for (unsigned i = 0; i < 300; i++) {
        variable(i * 2654435761u, 5);
    }
}

static jmp_buf back;

static NOINLINE void jump_out(int levels)
{
    volatile char room[64];
    room[0] = 1;
    hook();
    if (levels > 0) {
        jump_out(levels - 1);
    }
    if (room[0]) {
        longjmp(back, 1);
    }
}

static NOINLINE void jump_and_return(int levels)
{
    if (!setjmp(back)) {
        jump_out(levels);
    }
    outer_a();
}

Test(unwind_native, longjmp_leaves_nothing_behind)
{
    for (int i = 0; i < 10; i++) {
        jump_and_return(i);
    }
}

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
    (void)number;
    outer_a();
    uint32_t exact = 0;
    for (uint32_t i = 0; i < walk.depth; i++) {
        exact += (walk.frame[i].key & REC_NODE_EXACT) != 0;
    }
    cr_assert_eq(exact, 1, "one interrupted frame");
    handled++;
}

static NOINLINE void interrupted(void)
{
    inner();
    raise(SIGUSR1);
    inner();
}

Test(unwind_native, signal_frames_are_passed)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    interrupted();
    interrupted();
    cr_assert_eq(handled, 2);
}

Test(unwind_native, alternate_signal_stack_is_left_again)
{
    stack_t stack = {.ss_sp = malloc(1 << 18), .ss_size = 1 << 18};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 3; i++) {
        interrupted();
    }
    cr_assert_eq(handled, 3);
}

static ucontext_t main_context, fibre_context;

static void fibre(void)
{
    for (;;) {
        hook();
        outer_a();
        swapcontext(&fibre_context, &main_context);
        inner();
    }
}

static void fibre_make(void)
{
    getcontext(&fibre_context);
    fibre_context.uc_stack.ss_size = 1 << 17;
    fibre_context.uc_stack.ss_sp = malloc(fibre_context.uc_stack.ss_size);
    fibre_context.uc_link = &main_context;
    makecontext(&fibre_context, fibre, 0);
}

/* hook() expects flag 0: that makecontext()'s end is known as an end. */
Test(unwind_native, fibres_are_walked_to_their_end)
{
    fibre_make();
    for (int i = 0; i < 5; i++) {
        swapcontext(&main_context, &fibre_context);
        outer_b();
    }
    cr_assert_eq(hooks, 5 * 3 + 4);
}

Test(unwind_native, unknown_own_stack_is_walked_by_asking)
{
    walk.stack_low = walk.stack_high = fresh.stack_low = fresh.stack_high = 0;
    outer_a();
    outer_b();
    recurse(100, hook);
}

/* Some pages deep: all frames of the first page are to be had, and no others. Where in a page the
 * stack begins is chance, so a level is chosen that has the upper half of its page above it. */
static void hook_cut_low_in_a_page(void)
{
    static int calls;
    uintptr_t place = (uintptr_t)__builtin_frame_address(0) % 4096;
    if (++calls >= 100 && hooks == 0 && place >= 1024 && place < 2048) {
        hook_cut();
        cr_assert_gt(walk.depth, 1);
        cr_assert_lt(walk.depth, 100);
    }
}

Test(unwind_native, without_asking_strange_stacks_are_cut)
{
    walk.stack_low = walk.stack_high = fresh.stack_low = fresh.stack_high = 0;
    os_freeze(true);
    recurse(300, hook_cut_low_in_a_page);
    cr_assert_eq(hooks, 1);
}

/* keep_fp(): has no use for rbp itself, but keeps its caller's while it uses it for something. */
void keep_fp(void);
__asm__(".text\n"
        ".globl keep_fp\n.type keep_fp,@function\nkeep_fp:\n"
        ".cfi_startproc\n"
        "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6,-16\n"
        "xor %ebp,%ebp\ncall hook_quiet\n"
        "pop %rbp\n.cfi_def_cfa_offset 8\nret\n"
        ".cfi_endproc\n.size keep_fp,.-keep_fp\n");

static char *fibre_stack_a, *fibre_stack_b;

static NOINLINE void on_a(void)
{
    call_on_stack(keep_fp, fibre_stack_b + FIBRE_BYTES);
    sink++;
}

static NOINLINE void start_on(void (*function)(void), char *top)
{
    call_on_stack(function, top);
    sink++;
}

/*
 * The last walk went from stack b by stack a to the own one. Then a is unmapped, and the same
 * innermost frame is met on b: the words of a must not be compared before the one on b that no
 * longer leads there.
 */
Test(unwind_native, unmapped_neighbour_stack_is_not_read)
{
    char *stacks =
        mmap(NULL, 4 * FIBRE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fibre_stack_a = stacks + 2 * FIBRE_BYTES;
    fibre_stack_b = stacks;
    static void (*volatile function[2])(void);
    static char *volatile top[2];
    function[0] = on_a;
    top[0] = fibre_stack_a + FIBRE_BYTES;
    function[1] = keep_fp;
    top[1] = fibre_stack_b + FIBRE_BYTES;
    for (volatile int i = 0; i < 2; i++) {
        start_on(function[i], top[i]);
        munmap(fibre_stack_a, FIBRE_BYTES);
    }
    cr_assert_eq(hooks, 2);
}

static void *thread_walks(void *unused)
{
    (void)unused;
    set_up();
    outer_a();
    outer_b();
    return NULL;
}

Test(unwind_native, thread_is_walked_to_its_start)
{
    pthread_t thread;
    pthread_create(&thread, NULL, thread_walks, NULL);
    pthread_join(thread, NULL);
    cr_assert_eq(hooks, 2);
}

static void *thread_16k(void *unused)
{
    (void)unused;
    walk = walk_make(LIMIT);
    hook_fast();
    return NULL;
}

Test(unwind_native, small_thread_stack_is_enough)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, &attributes, thread_16k, NULL), 0);
    pthread_join(thread, NULL);
    cr_assert_eq(hooks, 1);
}
