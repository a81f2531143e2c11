/*
 * A recording from its beginning to its end, with the N-th call to the system refused. Each run is
 * a process of its own: the beginning comes once.
 */
#include "runtime/setup/lifecycle.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/hot/heap_ledger.h"
#include "runtime/hot/process.h"
#include "runtime/hot/recording.h"
#include "runtime/setup/session.h"
#include "test/fake/os_fake.h"
#include "test/fake/unwind_fake.h"
#include "test/support/rt_fixture.h"
#include "test/support/rt_session_fixture.h"

enum { EVENTS = 4000, LONGEST_S = 20 };

static char *variables[4];

/* What a run's process tells its parent. */
static struct report {
    uint64_t counted, refused;
    char wrong[300];
} * report;

#define WRONG(...) return (void)snprintf(report->wrong, sizeof report->wrong, __VA_ARGS__)

/* rt_environment_find() looks at the process's own block, so the settings go in there, in the place
 * of others: what lies behind them must stay where it is. */
static void settings_place(char *const *wanted)
{
    struct rt_environment real;
    rt_environment_find(&real);
    char **variable = (char **)(uintptr_t)real.variables;
    while (*wanted) {
        cr_assert_not_null(*variable, "too few variables in the environment");
        *variable++ = *wanted++;
    }
    for (; *variable; variable++) {
        *variable = (char *)"X=";
    }
}

static unsigned files_count(void)
{
    return rt_session_fixture_size("out") < 0 ? 0 : rt_session_fixture_entries("out");
}

static bool removal_refused;

static void look(enum os_fake_call call)
{
    if (call == OS_FAKE_FILE_REMOVE && os_fake.refuse_at &&
        (os_fake.counted + 1 == os_fake.refuse_at ||
         (os_fake.for_good && os_fake.counted + 1 > os_fake.refuse_at))) {
        removal_refused = true;
    }
}

/* RET_LIVE is what the program has, whatever became of it here. */
static void events_run(uint64_t *ret_done, int64_t *ret_live)
{
    for (uint32_t i = 0; i < EVENTS; i++) {
        struct rt_thread *thread = rt_thread_enter((uintptr_t)__builtin_frame_address(0));
        if (!thread && rt_thread_enter_slowly((uintptr_t)__builtin_frame_address(0), &thread) !=
                           RT_ENTRY_TAKEN) {
            continue;
        }
        unwind_fake.depth = 3;
        unwind_fake.key[0] = 0x10000;
        unwind_fake.key[1] = 0x20000 + i % 50;
        unwind_fake.key[2] = 0x30000 + i;
        uintptr_t address = (i % 2 ? UINT64_C(1) << 47 : 0x10000) + 32 * i;
        rt_heap_allocated(thread, address, 1 + i % 3, &rt_fixture_registers);
        ++*ret_done;
        *ret_live += 1 + i % 3;
        if (i % 4 < 2) {
            *ret_live -= 1 + i % 3;
            struct rt_block block = rt_heap_take(thread, address);
            if (block.stack) {
                rt_heap_freed(thread, address, block, &rt_fixture_registers);
            }
        }
        rt_thread_leave();
    }
}

static void recording_check(uint64_t done, int64_t truly_live)
{
    const struct rec_header *header = rt_recording.header;
    uint64_t booked = 0;
    int64_t live = 0;
    for (uint32_t i = 1; i < header->stack_count; i++) {
        struct rec_counter counter = rt_fixture_counter(i);
        booked += counter.allocations;
        live += counter.live_bytes;
        if (counter.live_bytes < 0 || counter.frees > counter.allocations) {
            WRONG("stack %u freed more than it had", i);
        }
    }
    if (booked + header->events_lost < done || booked > done) {
        WRONG("%lu events, %lu booked, %lu lost", done, booked, header->events_lost);
    }
    if (live != header->live_bytes) {
        WRONG("%ld live in all, %ld by stack", header->live_bytes, live);
    }
    if (live > truly_live) {
        WRONG("%ld live, though the program has only %ld", live, truly_live);
    }
    if (header->magic != REC_MAGIC || header->end_ns == 0) {
        WRONG("no magic, or no end");
    }
    if (header->full_ns && !strstr(os_fake.said, "that came later are missing")) {
        WRONG("full, and nothing said");
    }
}

static void run(void)
{
    static const struct rt_host host = {.glibc_allocator = true,
                                        .thread_attributes = pthread_getattr_np};
    uint64_t done = 0;
    int64_t live = 0;
    alarm(LONGEST_S);
    rt_lifecycle_start(&host);
    if (rt_gate_read() == &rt_gate_off) {
        if (os_fake.said_bytes == 0) {
            WRONG("off, and nothing said");
        }
        if (files_count() != 0 && !removal_refused) {
            WRONG("off, and a file left");
        }
        return;
    }
    if (rt_gate_read() != &rt_gate_open) {
        WRONG("the gate is neither open nor shut");
    }
    events_run(&done, &live);
    rt_lifecycle_end(REC_END_RETURN, 0);
    recording_check(done, live);
}

/* Result: false if the run was without refusals. */
static bool run_refused(uint64_t at, bool for_good, int error)
{
    memset(report, 0, sizeof *report);
    pid_t child = fork();
    if (child == 0) {
        os_fake =
            (struct os_fake){.refuse_at = at, .for_good = for_good, .error = error, .look = look};
        run();
        report->counted = os_fake.counted;
        report->refused = os_fake.refused;
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    rt_session_fixture_empty("out");
    cr_assert_eq(status, 0, "call %lu%s, error %d: status %x", at, for_good ? " and all later" : "",
                 error, status);
    cr_assert_eq(report->wrong[0], 0, "call %lu%s, error %d: %s", at,
                 for_good ? " and all later" : "", error, report->wrong);
    return report->refused != 0;
}

static void sweep(const char *options, bool for_good, int error)
{
    static char profiler[6000];
    rt_session_fixture_begin(variables);
    snprintf(profiler, sizeof profiler, "THAG_PROFILER=%s,%s/out,quiet,,max_size=64M%s", "memory",
             rt_session.directory.at, options);
    char *wanted[] = {profiler, (char *)"TMPDIR=/tmp", NULL};
    settings_place(wanted);
    memset(&rt_session, 0, sizeof rt_session);
    report = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t at = 1;
    while (run_refused(at, for_good, error)) {
        at++;
        cr_assert_lt(at, 3000);
    }
    cr_assert_gt(at, 40); /* there were that many */
}

Test(rt_lifecycle, any_one_call_may_fail, .timeout = 600)
{
    sweep("", false, 0);
}

Test(rt_lifecycle, any_call_and_all_behind_it_may_fail, .timeout = 600)
{
    sweep("", true, 0);
}

Test(rt_lifecycle, any_one_call_may_be_unknown_to_the_kernel, .timeout = 600)
{
    sweep("", false, EINVAL);
}

Test(rt_lifecycle, any_one_call_may_fail_in_a_recording_in_memory, .timeout = 600)
{
    sweep(",store=memory", false, 0);
}

Test(rt_lifecycle, any_call_may_be_forbidden_from_then_on, .timeout = 600)
{
    sweep("", true, EPERM);
}

static void session_begin(const char *setting)
{
    static char profiler[6000];
    static const struct rt_host host = {.glibc_allocator = true,
                                        .thread_attributes = pthread_getattr_np};
    rt_session_fixture_begin(variables);
    snprintf(profiler, sizeof profiler, "THAG_PROFILER=memory,%s/out,,,%s", rt_session.directory.at,
             setting);
    char *wanted[] = {profiler, (char *)"TMPDIR=/tmp", NULL};
    settings_place(wanted);
    memset(&rt_session, 0, sizeof rt_session);
    rt_lifecycle_start(&host);
    cr_assert_eq(rt_gate_read(), &rt_gate_open);
}

Test(rt_lifecycle, a_full_reservation_is_told_in_one_line_at_the_end)
{
    uint64_t done = 0;
    int64_t live = 0;
    session_begin("max_size=1M");
    for (uint32_t i = 0; i < 10; i++) {
        events_run(&done, &live);
        while (rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, 1)) {
        }
    }
    cr_assert_eq(os_fake.said_bytes, 0);
    rt_lifecycle_end(REC_END_RETURN, 0);
    rt_lifecycle_end(REC_END_RETURN, 0);
    cr_assert_not_null(strstr(os_fake.said, rt_session.path.at));
    cr_assert_eq(strchr(os_fake.said, '\n'), os_fake.said + os_fake.said_bytes - 1);
}

/* Under a seccomp filter getpid() is not asked: a forked child must not stamp its parent's end. */
Test(rt_lifecycle, a_child_forked_after_the_freeze_leaves_the_parents_recording_alone)
{
    session_begin("");
    rt_lifecycle_sandboxed(false);
    pid_t child = fork();
    if (child == 0) {
        rt_lifecycle_end(REC_END_EXIT, 3);
        rt_lifecycle_exec_begins();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    cr_assert_eq(rt_recording.header->end_ns, 0);
    cr_assert_eq(rt_recording.header->end_reason, REC_END_NONE);
    rt_lifecycle_end(REC_END_EXIT, 4);
    cr_assert_neq(rt_recording.header->end_ns, 0);
    cr_assert_eq(rt_recording.header->exit_status, 4);
}

Test(rt_lifecycle, a_forked_child_begins_its_own_or_says_why_not)
{
    session_begin("");
    uint64_t done = 0;
    int64_t live = 0;
    events_run(&done, &live);
    pid_t child = fork();
    if (child == 0) {
        struct rt_thread *thread;
        os_fake = (struct os_fake){.refuse_kinds = UINT64_C(1) << OS_FAKE_FILE_TRUNCATE};
        int wrong = rt_thread_enter_slowly(1, &thread) == RT_ENTRY_FORKED ? 0 : 1;
        rt_lifecycle_fork_child();
        wrong |= rt_gate_read() == &rt_gate_off ? 0 : 2;
        wrong |= strstr(os_fake.said, "not profiling") ? 0 : 4;
        _exit(wrong);
    }
    int status = -1;
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0, "%x", status);
    cr_assert_eq(rt_recording.header->magic, REC_MAGIC);
    cr_assert_eq(rt_recording.header->children, 1);
    cr_assert_eq(rt_session_fixture_entries("out"), 1);
    child = fork();
    if (child == 0) {
        struct rt_thread *thread;
        const char *parents = strdup(rt_session.base.at);
        volatile struct rec_header *header = rt_recording.header;
        rt_thread_enter_slowly(1, &thread);
        rt_lifecycle_fork_child();
        int wrong = rt_gate_read() == &rt_gate_open ? 0 : 1;
        wrong |= rt_recording.header->pid == (uint32_t)getpid() ? 0 : 2;
        wrong |= strcmp(rt_session.base.at, parents) != 0 ? 0 : 4;
        header->events_lost = 99; /* as by a hook that the fork came out of */
        _exit(wrong);
    }
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0, "%x", status);
    cr_assert_eq(rt_recording.header->children, 2);
    cr_assert_eq(rt_recording.header->events_lost, 0);
    cr_assert_eq(rt_session_fixture_entries("out"), 2);
}

/* ---- forks out of a hook that holds a lock ---- */

static jmp_buf outside;
static enum os_fake_call left_call;
static uint64_t left_at; /* the call of that kind that does not return */

static void leave(enum os_fake_call call)
{
    if (call == left_call && os_fake.seen[call] == left_at) {
        longjmp(outside, 1);
    }
}

/* In the child: what is wrong with a recording of its own, in which a lock may still be held. */
static int child_check(void)
{
    struct rt_thread *thread;
    uint64_t done = 0;
    int64_t live = 0;
    alarm(LONGEST_S);
    os_fake = (struct os_fake){.look = NULL};
    int wrong = rt_thread_enter_slowly(1, &thread) == RT_ENTRY_FORKED ? 0 : 1;
    rt_lifecycle_fork_child();
    events_run(&done, &live);
    const struct rec_header *header = rt_recording.header;
    wrong |= done == EVENTS ? 0 : 2;
    wrong |= header->pid == (uint32_t)getpid() ? 0 : 4;
    wrong |= header->events_lost + header->stacks_unknown == 0 ? 0 : 8;
    wrong |= os_fake.seen[OS_FAKE_THREAD_YIELD] == 0 ? 0 : 16; /* no lock was waited for */
    return wrong;
}

/* In a process of its own, as the beginning comes once. Exit status: 99: the hooks made fewer calls
 * of that kind; else what child_check() says. */
static void fork_out_of_hook(void)
{
    uint64_t done = 0;
    int64_t live = 0;
    int status = -1;
    session_begin("");
    os_fake = (struct os_fake){.look = leave};
    if (setjmp(outside) == 0) {
        events_run(&done, &live);
        _exit(99);
    }
    pid_t child = fork();
    if (child == 0) {
        _exit(child_check());
    }
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 98);
}

Test(rt_lifecycle, a_child_forked_out_of_any_call_of_a_hook_loses_nothing, .timeout = 600)
{
    static const enum os_fake_call calls[] = {OS_FAKE_FILE_COMMIT, OS_FAKE_MEMORY_MAP,
                                              OS_FAKE_MEMORY_RESERVE, OS_FAKE_CLOCK_MONOTONIC};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        int status = 0;
        for (left_at = 1; left_at <= 12 && status != 99; left_at++) {
            left_call = calls[i];
            pid_t child = fork();
            if (child == 0) {
                fork_out_of_hook();
            }
            waitpid(child, &status, 0);
            cr_assert(WIFEXITED(status));
            status = WEXITSTATUS(status);
            cr_assert(status == 0 || status == 99, "call %d, number %lu: %d", (int)calls[i],
                      left_at, status);
        }
        cr_assert_gt(left_at, 2, "hooks make no call %d", (int)calls[i]);
    }
}
