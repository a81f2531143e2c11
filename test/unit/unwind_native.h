/*
 * unwind_native.h -- what the unit tests of runtime/hot/unwind_native.c and recall.c share: real
 * stacks, compared with libgcc's walk of the same. Each of them is also asked of the recall, which
 * must know its number or none.
 *
 * hook() stands for an interposed function: it reads its caller's registers from its own frame.
 */
#ifndef TEST_UNIT_UNWIND_NATIVE_H
#define TEST_UNIT_UNWIND_NATIVE_H

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
#include "runtime/hot/recall.h"
#include "runtime/hot/unwind.h"
#include "runtime/hot/unwind_rules.h"
#include "runtime/os/os.h"

#define NOINLINE __attribute__((noinline, noclone, unused))
#define LIMIT    256u
#define SEED     UINT64_C(0x1234567)

/* Frames innermost first. */
struct frames {
    uintptr_t ip[4 * LIMIT];
    uint32_t count;
};

static struct rt_walk walk, fresh;
static struct rt_walk recalling; /* goes only the stacks that RECALL does not know */
static struct rt_recall *recall;
static unsigned recalls; /* stacks that it knew */
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
    recalling = walk_make(LIMIT);
    recall = aligned_alloc(64, rt_recall_bytes());
    memset(recall, 0, rt_recall_bytes());
}

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

/* What a recorder does; the number of a stack is half of its hash. */
static void recall_check(const struct rt_registers *registers)
{
    if (registers->exact || walk.limit != recalling.limit ||
        walk.stack_low != recalling.stack_low || walk.stack_high != recalling.stack_high) {
        return; /* the test has changed it */
    }
    uint32_t number = (uint32_t)(fresh.frame[fresh.depth - 1].hash >> 32) | 1;
    uint32_t known = rt_recall(recall, &recalling, registers);
    if (known) {
        recalls++;
        cr_assert_eq(known, number, "hook %u", hooks);
        return;
    }
    rt_unwind(&recalling, registers);
    cr_assert_eq((uint32_t)(recalling.frame[recalling.depth - 1].hash >> 32) | 1, number);
    rt_recall_note(recall, &recalling, number);
}

static NOINLINE void walk_both(const struct rt_registers *registers)
{
    hooks++;
    cr_assert_eq(rt_unwind(&walk, registers), walk.depth);
    rt_walk_reset(&fresh, SEED);
    rt_unwind(&fresh, registers);
    walks_check();
    recall_check(registers);
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

static NOINLINE void hook_elided(void)
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

static NOINLINE void hook_cut(void)
{
    REGISTERS_OF_CALLER(registers);
    walk_both(&registers);
    cr_assert_eq(walk.flags, REC_STACK_CUT);
}

#define FIBRE_BYTES ((size_t)65536)

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

#endif
