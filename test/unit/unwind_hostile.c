/*
 * Unit tests of runtime/hot/unwind_native.c: code without unwind data, data that lies, and data
 * that only libgcc can read.
 */
#include "test/unit/unwind_native.h"

TestSuite(unwind_hostile, .init = set_up, .timeout = 600);

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

Test(unwind_hostile, frame_pointer_is_believed_in_the_own_stack)
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
Test(unwind_hostile, wild_return_address_is_no_frame)
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
Test(unwind_hostile, frame_pointer_elsewhere_is_not_believed)
{
    char *stack =
        mmap(NULL, FIBRE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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

Test(unwind_hostile, garbage_frame_pointer_without_data_ends_the_walk)
{
    rbp_try_all(fp_garbage, false);
}

Test(unwind_hostile, lying_data_does_not_lead_out_of_memory)
{
    rbp_try_all(cfi_lies, true);
}

static void lie_on_fibre(void)
{
    rbp_try_all(cfi_lies, true);
}

Test(unwind_hostile, lying_data_on_a_strange_stack_does_not_lead_out_of_memory)
{
    char *stack =
        mmap(NULL, FIBRE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    call_on_stack(lie_on_fibre, stack + FIBRE_BYTES);
}

/* The lie makes a frame its own caller. */
Test(unwind_hostile, frame_that_is_its_own_caller_ends_the_walk)
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

Test(unwind_hostile, each_word_of_a_strange_step_is_asked_for)
{
    /* The saved rbp is the last word of the first page, the return address in the second one. */
    char *pages = half_readable();
    cfi_lies(hook_cut, (uintptr_t)pages + 4096 - 8);
    /* and the other way round */
    cr_assert_eq(mprotect(pages, 4096, PROT_READ), 0);
    cr_assert_eq(mprotect(pages + 4096, 4096, PROT_NONE), 0);
    cfi_lies(hook_cut, (uintptr_t)pages + 4096 - 8);
}

Test(unwind_hostile, memory_that_becomes_readable_is_read)
{
    char *pages = half_readable();
    for (volatile int i = 0; i < 3; i++) {
        cfi_lies(hook_quiet, (uintptr_t)pages + 64);
        cr_assert_eq(walk.flags, i == 0 ? REC_STACK_CUT : 0);
        cr_assert_eq(mprotect(pages, 4096, PROT_READ), 0);
    }
}

Test(unwind_hostile, what_no_rule_holds_is_left_to_libgcc)
{
    cfa_on_rbx(hook);
    cfa_on_rbx(inner);
    walk.frame[walk.depth - 1].stack = 9;
    cfa_on_rbx(inner);
    cr_assert_eq(walk.frame[walk.depth - 1].stack, 0, "nothing is known of it the next time");
    outer_a();
}

Test(unwind_hostile, walk_before_libgccs_is_forgotten)
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

Test(unwind_hostile, libgccs_walk_keeps_the_limit)
{
    walk = walk_make(40);
    fresh = walk_make(40);
    cfa_on_rbx(slow_recursion);
}
