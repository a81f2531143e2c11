/*
 * Unit tests of runtime/hot/unwind_native.c: real stacks, compared with libgcc's walk of the same.
 * hook() stands for an interposed function: it reads its caller's registers from its own frame.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "runtime/format/recording_format.h"
#include "runtime/hot/unwind.h"
#include "runtime/hot/unwind_rules.h"
#include "runtime/os/os.h"

#define NOINLINE __attribute__((noinline, noclone))
#define LIMIT    256u
#define SEED     UINT64_C(0x1234567)

/* Frames innermost first. */
struct frames {
    uintptr_t ip[4 * LIMIT];
    uint32_t count;
};

static struct rt_walk walk, fresh;
static struct frames reference;
static unsigned hooks; /* calls of hook() */

static struct rt_walk walk_make(uint32_t limit)
{
    struct rt_walk made = {.limit = limit};
    made.frame = calloc(limit, sizeof(*made.frame));
    /* Ends at a page that cannot be touched: rt_walk_bytes() must not promise too little. */
    size_t bytes = rt_walk_bytes(limit), pages = (bytes + 4095) / 4096 * 4096;
    char *memory =
        mmap(NULL, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq((void *)memory, MAP_FAILED);
    cr_assert_eq(mprotect(memory + pages, 4096, PROT_NONE), 0);
    made.back_end = memory + (pages - bytes) / 8 * 8;
    pthread_attr_t attributes;
    void *low;
    size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    made.stack_low = (uintptr_t)low;
    made.stack_high = (uintptr_t)low + size;
    rt_walk_reset(&made, SEED);
    return made;
}

static void set_up(void)
{
    walk = walk_make(LIMIT);
    fresh = walk_make(LIMIT);
}

TestSuite(unwind_native, .init = set_up, .timeout = 60);

static _Unwind_Reason_Code reference_frame(struct _Unwind_Context *context, void *argument)
{
    struct frames *frames = argument;
    uintptr_t ip = _Unwind_GetIP(context);
    if (ip != 0 && frames->count < sizeof(frames->ip) / sizeof(frames->ip[0])) {
        frames->ip[frames->count++] = ip;
    }
    return _URC_NO_REASON;
}

/* libgcc's frames from that of IP on. */
static void reference_take(uintptr_t ip)
{
    reference.count = 0;
    _Unwind_Backtrace(reference_frame, &reference);
    uint32_t skip = 0;
    while (skip < reference.count && reference.ip[skip] != ip) {
        skip++;
    }
    reference.count -= skip;
    memmove(reference.ip, reference.ip + skip, reference.count * sizeof(reference.ip[0]));
}

static void hash_check(const struct rt_walk *checked)
{
    uint64_t hash = SEED;
    for (uint32_t i = 0; i < checked->depth; i++) {
        hash = rt_hash_step(hash, checked->frame[i].key);
        cr_assert_eq(checked->frame[i].hash, hash, "frame %u", i);
    }
}

/* The innermost COUNT frames of CHECKED are the reference's. */
static void frames_check(const struct rt_walk *checked, uint32_t count)
{
    cr_assert_leq(count, reference.count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = checked->frame[checked->depth - 1 - i].key;
        cr_assert_eq(REC_NODE_ADDRESS(key), reference.ip[i], "frame %u of %u", i, count);
    }
}

static void walks_check(void)
{
    cr_assert_eq(walk.depth, fresh.depth);
    cr_assert_eq(walk.flags, fresh.flags);
    for (uint32_t i = 0; i < walk.depth; i++) {
        cr_assert_eq(walk.frame[i].key, fresh.frame[i].key);
        cr_assert_eq(walk.frame[i].hash, fresh.frame[i].hash);
    }
    hash_check(&walk);
}

static NOINLINE void walk_both(const struct rt_registers *registers)
{
    hooks++;
    cr_assert_eq(rt_unwind(&walk, registers), walk.depth);
    rt_walk_reset(&fresh, SEED);
    rt_unwind(&fresh, registers);
    walks_check();
}

#define REGISTERS_OF_CALLER(name)                                                                  \
    const uintptr_t *name##_frame = __builtin_frame_address(0);                                    \
    const struct rt_registers name = {                                                             \
        .ip = name##_frame[1], .sp = (uintptr_t)(name##_frame + 2), .fp = name##_frame[0]}

/* Walks, and expects all that libgcc sees, and an end that was reached. */
void hook(void);
NOINLINE void hook(void)
{
    REGISTERS_OF_CALLER(registers);
    walk_both(&registers);
    reference_take(registers.ip);
    cr_assert_eq(walk.depth, reference.count);
    frames_check(&walk, walk.depth);
    cr_assert_eq(walk.flags, 0);
}

/* Walks and expects nothing but that both ways agree. */
void hook_quiet(void);
NOINLINE void hook_quiet(void)
{
    REGISTERS_OF_CALLER(registers);
    walk_both(&registers);
}

/* Walks once only. */
static NOINLINE void hook_fast(void)
{
    REGISTERS_OF_CALLER(registers);
    hooks++;
    rt_unwind(&walk, &registers);
}

static volatile long sink;

#ifdef FAR_SECTION
#define FAR_TEXT __attribute__((section(".far_text")))
#else
#define FAR_TEXT
#endif

static NOINLINE FAR_TEXT void inner(void)
{
    volatile char room[40];
    room[0] = 1;
    hook();
    sink += room[0];
}

static NOINLINE void outer_a(void)
{
    volatile char room[100];
    room[0] = 1;
    inner();
    sink += room[0];
}

static NOINLINE void outer_b(void)
{
    volatile char room[100];
    room[0] = 1;
    inner();
    sink -= room[0];
}

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

static NOINLINE void recurse(unsigned levels, void (*at_each)(void))
{
    volatile char room[24];
    room[0] = 1;
    at_each();
    if (levels > 1) {
        recurse(levels - 1, at_each);
    }
    at_each();
    sink += room[0];
}

Test(unwind_native, recursion_within_the_limit_is_whole)
{
    recurse(100, hook);
    cr_assert_eq(hooks, 200);
}

static void hook_elided(void)
{
    REGISTERS_OF_CALLER(registers);
    walk_both(&registers);
    reference_take(registers.ip);
    if (reference.count <= walk.limit) {
        cr_assert_eq(walk.depth, reference.count);
        frames_check(&walk, walk.depth);
    } else {
        cr_assert_eq(walk.depth, walk.limit);
        cr_assert_eq(walk.frame[0].key, REC_SPECIAL_ELIDED);
        cr_assert_eq(walk.flags, REC_STACK_CUT);
        frames_check(&walk, walk.limit - 1);
    }
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
Test(unwind_native, deep_recursion_costs_no_more_per_call, .timeout = 30)
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

static void hook_cut(void)
{
    REGISTERS_OF_CALLER(registers);
    walk_both(&registers);
    cr_assert_eq(walk.flags, REC_STACK_CUT);
}

/* Three pages deep: all frames of the first page are to be had, and no others. */
static void hook_cut_at_150(void)
{
    static int calls;
    if (++calls == 150) {
        hook_cut();
        cr_assert_gt(walk.depth, 1);
        cr_assert_lt(walk.depth, 150);
    }
}

Test(unwind_native, without_asking_strange_stacks_are_cut)
{
    walk.stack_low = walk.stack_high = fresh.stack_low = fresh.stack_high = 0;
    os_freeze();
    recurse(150, hook_cut_at_150);
    cr_assert_eq(hooks, 1);
}

/*
 * call_on_stack(f, top): calls f on another stack. Its frame there leads back here by way of rbp,
 * to wherever the caller's stack is.
 */
void call_on_stack(void (*function)(void), char *top);
__asm__(".text\n"
        ".globl call_on_stack\n.type call_on_stack,@function\ncall_on_stack:\n"
        ".cfi_startproc\n"
        "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6,-16\n"
        "mov %rsp,%rbp\n.cfi_def_cfa_register 6\n"
        "mov %rsi,%rsp\ncall *%rdi\nmov %rbp,%rsp\n"
        "pop %rbp\n.cfi_def_cfa 7,8\nret\n"
        ".cfi_endproc\n.size call_on_stack,.-call_on_stack\n");

/* keep_fp(): has no use for rbp itself, but keeps its caller's while it uses it for something. */
void keep_fp(void);
__asm__(".text\n"
        ".globl keep_fp\n.type keep_fp,@function\nkeep_fp:\n"
        ".cfi_startproc\n"
        "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6,-16\n"
        "xor %ebp,%ebp\ncall hook_quiet\n"
        "pop %rbp\n.cfi_def_cfa_offset 8\nret\n"
        ".cfi_endproc\n.size keep_fp,.-keep_fp\n");

#define FIBRE_BYTES ((size_t)65536)
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

/* Code without unwind data. fp_chain() has a frame pointer, fp_garbage() an rbp of our choice. */
void fp_chain(void (*function)(void));
void fp_garbage(void (*function)(void), uintptr_t rbp);
/* Unwind data that lies: CFA = rbp + 16, and rbp is anything. */
void cfi_lies(void (*function)(void), uintptr_t rbp);
/* CFA on rbx: legal, but no rule holds it. */
void cfa_on_rbx(void (*function)(void));
__asm__(".text\n"
        ".globl fp_chain\n.type fp_chain,@function\nfp_chain:\n"
        "push %rbp\nmov %rsp,%rbp\ncall *%rdi\npop %rbp\nret\n"
        ".size fp_chain,.-fp_chain\n"
        ".globl fp_garbage\n.type fp_garbage,@function\nfp_garbage:\n"
        "push %rbp\nmov %rsi,%rbp\ncall *%rdi\npop %rbp\nret\n"
        ".size fp_garbage,.-fp_garbage\n"
        ".globl cfi_lies\n.type cfi_lies,@function\ncfi_lies:\n"
        ".cfi_startproc\n.cfi_def_cfa 6,16\n.cfi_offset 6,-16\n"
        "push %rbp\nmov %rsi,%rbp\ncall *%rdi\npop %rbp\nret\n"
        ".cfi_endproc\n.size cfi_lies,.-cfi_lies\n"
        ".globl cfa_on_rbx\n.type cfa_on_rbx,@function\ncfa_on_rbx:\n"
        ".cfi_startproc\n"
        "push %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset 3,-16\n"
        "mov %rsp,%rbx\n.cfi_def_cfa_register 3\n"
        "sub $64,%rsp\ncall *%rdi\nmov %rbx,%rsp\n"
        "pop %rbx\n.cfi_def_cfa 7,8\nret\n"
        ".cfi_endproc\n.size cfa_on_rbx,.-cfa_on_rbx\n");

static void hook_guessed(void)
{
    REGISTERS_OF_CALLER(registers);
    walk_both(&registers);
    cr_assert_eq(walk.flags, REC_STACK_GUESSED);
}

Test(unwind_native, frame_pointer_is_believed_in_the_own_stack)
{
    hook();
    uint32_t depth = walk.depth;
    uint64_t outermost = walk.frame[0].key;
    for (int i = 0; i < 3; i++) {
        fp_chain(hook_guessed);
        cr_assert_eq(walk.depth, depth + 1);
        cr_assert_eq(walk.frame[0].key, outermost);
    }
    hook();
    cr_assert_eq(walk.flags, 0, "outer frames are not guessed");
}

/* Return addresses that cannot be one end the walk: they are no frame, and not the null of an end.
 */
Test(unwind_native, wild_return_address_is_no_frame)
{
    const uintptr_t wild[] = {1,
                              100,
                              4095,
                              ((uintptr_t)1 << 47) + 8192,
                              (uintptr_t)1 << 63 | 4096,
                              UINTPTR_MAX - 4096,
                              UINTPTR_MAX};
    uintptr_t frame[2] = {0, 0};
    for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
        frame[1] = wild[i];
        __asm__ volatile("" : : "r"(frame) : "memory");
        fp_garbage(hook_quiet, (uintptr_t)frame);
        cr_expect_eq(walk.depth, 1, "%zx", wild[i]);
        cr_expect(walk.flags & REC_STACK_CUT, "%zx", wild[i]);
    }
    frame[1] = 0;
    __asm__ volatile("" : : "r"(frame) : "memory");
    fp_garbage(hook_quiet, (uintptr_t)frame);
    cr_expect_eq(walk.flags & REC_STACK_CUT, 0);
}

/* On another stack there are no bounds to believe it in. */
Test(unwind_native, frame_pointer_elsewhere_is_not_believed)
{
    char *stack =
        mmap(NULL, FIBRE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fibre_stack_a = stack;
    call_on_stack((void (*)(void))hook_quiet, stack + FIBRE_BYTES);
    cr_assert_eq(walk.flags, 0);
    fp_garbage(hook_cut, (uintptr_t)stack + 4096);
}

/*
 * Values of rbp that are no frame: each must end the walk, none may be followed out of memory. By
 * lying data some lead to readable zeros, which pass for the null return address of an end.
 */
static void rbp_try_all(void (*with)(void (*)(void), uintptr_t), bool may_end)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    const uintptr_t values[] = {
        0,
        8,
        16,
        4096,
        here - (64 << 10),
        walk.stack_high - 8,
        walk.stack_high - 16 + 8,
        walk.stack_high,
        walk.stack_high + 16,
        walk.stack_low,
        (uintptr_t)1 << 46,
        UINTPTR_MAX,
        UINTPTR_MAX - 7,
        UINTPTR_MAX - 15,
        UINTPTR_MAX - 23,
        (uintptr_t)1 << 63,
    };
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        with(hook_quiet, values[i]);
        cr_expect(may_end || (walk.flags & REC_STACK_CUT), "rbp %zu", i);
        cr_expect_leq(walk.depth, 4, "rbp %zu", i);
    }
}

Test(unwind_native, garbage_frame_pointer_without_data_ends_the_walk)
{
    rbp_try_all(fp_garbage, false);
}

Test(unwind_native, lying_data_does_not_lead_out_of_memory)
{
    rbp_try_all(cfi_lies, true);
}

static void lie_on_fibre(void)
{
    rbp_try_all(cfi_lies, true);
}

Test(unwind_native, lying_data_on_a_strange_stack_does_not_lead_out_of_memory)
{
    char *stack =
        mmap(NULL, FIBRE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    call_on_stack(lie_on_fibre, stack + FIBRE_BYTES);
}

/* The lie makes a frame its own caller. */
Test(unwind_native, frame_that_is_its_own_caller_ends_the_walk)
{
    static uintptr_t elsewhere[2];
    elsewhere[0] = (uintptr_t)elsewhere;
    elsewhere[1] = (uintptr_t)cfi_lies + 6;
    cfi_lies(hook_cut, elsewhere[0]);
    cr_assert_leq(walk.depth, 80);
    uintptr_t in_the_own_stack[2];
    in_the_own_stack[0] = (uintptr_t)in_the_own_stack;
    in_the_own_stack[1] = (uintptr_t)cfi_lies + 6;
    __asm__ volatile("" : : "r"(in_the_own_stack) : "memory");
    cfi_lies(hook_cut, in_the_own_stack[0]);
    cr_assert_leq(walk.depth, 4);
}

/* Two pages, the first of which cannot be read. */
static char *half_readable(void)
{
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_eq(mprotect(pages, 4096, PROT_NONE), 0);
    return pages;
}

Test(unwind_native, each_word_of_a_strange_step_is_asked_for)
{
    /* The saved rbp is the last word of the first page, the return address in the second one. */
    char *pages = half_readable();
    cfi_lies(hook_cut, (uintptr_t)pages + 4096 - 8);
    /* and the other way round */
    cr_assert_eq(mprotect(pages, 4096, PROT_READ), 0);
    cr_assert_eq(mprotect(pages + 4096, 4096, PROT_NONE), 0);
    cfi_lies(hook_cut, (uintptr_t)pages + 4096 - 8);
}

Test(unwind_native, memory_that_becomes_readable_is_read)
{
    char *pages = half_readable();
    for (volatile int i = 0; i < 3; i++) {
        cfi_lies(hook_quiet, (uintptr_t)pages + 64);
        cr_assert_eq(walk.flags, i == 0 ? REC_STACK_CUT : 0);
        cr_assert_eq(mprotect(pages, 4096, PROT_READ), 0);
    }
}

Test(unwind_native, what_no_rule_holds_is_left_to_libgcc)
{
    cfa_on_rbx(hook);
    cfa_on_rbx(inner);
    walk.frame[walk.depth - 1].stack = 9;
    cfa_on_rbx(inner);
    cr_assert_eq(walk.frame[walk.depth - 1].stack, 0, "nothing is known of it the next time");
    outer_a();
}

Test(unwind_native, walk_before_libgccs_is_forgotten)
{
    for (volatile int i = 0; i < 3; i++) {
        outer_a();
        cfa_on_rbx(inner);
    }
}

static void slow_recursion(void)
{
    recurse(100, hook_elided);
}

Test(unwind_native, libgccs_walk_keeps_the_limit)
{
    walk = walk_make(40);
    fresh = walk_make(40);
    cfa_on_rbx(slow_recursion);
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
