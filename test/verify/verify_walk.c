/*
 * verify_walk.c -- a preload that walks every allocation's stack five ways and compares.
 *
 *   incremental  rt_unwind() with the thread's last walk
 *   plain        rt_unwind() after rt_walk_reset()
 *   recall       rt_recall(); what it does not know is walked and noted
 *   libunwind    unw_backtrace()
 *   libgcc       _Unwind_Backtrace(), only where plain and libunwind differ: the referee
 *
 * At the end one line per process goes to $VERIFY_OUT (appended) or stderr, and a line per kind of
 * difference. $VERIFY_STACKS is the number of stacks after which we only pass through.
 *
 * A difference is ours ("bad") if incremental is not plain, if the recall takes the stack for
 * another one, if the hash rule is broken, or if neither libunwind nor libgcc has our frames.
 * Behind a frame that we guess by its frame pointer libgcc stops; so there its frames need only be
 * the inner part of ours. Where a signal came in the middle of swapcontext(), the return address is
 * not where the unwind data says: libunwind and libgcc then take any number for one. If ours says
 * that it is cut there, and the number lies in no module, the frame is "made up" by them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "runtime/format/recording_format.h"
#include "runtime/hot/recall.h"
#include "runtime/hot/unwind.h"
#include "runtime/hot/unwind_libgcc.h"
#include "runtime/os/probe.h"

#define EXPORTED __attribute__((visibility("default")))
#define LIMIT    512u
#define ROOM     (LIMIT + 64u)
#define KINDS    32u
#define SEED     UINT64_C(0x5eed)

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

/* Frames of one walk, innermost first. */
struct frames {
    uintptr_t ip[ROOM];
    uint32_t count;
};

struct thread {
    struct rt_walk incremental;
    struct rt_walk plain;
    struct rt_walk recalling;
    struct rt_recall *recall;
    struct frames ours, libunwind, libgcc;
};

struct kind {
    char text[200];
    unsigned long count;
};

static struct {
    _Atomic unsigned long stacks, frames, recalled, bad_incremental, bad_recall, bad_hash,
        bad_plain;
    _Atomic unsigned long not_libunwind, libgcc_ours, libgcc_libunwind, libgcc_inner, made_up;
    _Atomic unsigned long slow, probes, guessed, cut, elided;
} counts;

static struct kind kinds[KINDS];
static atomic_flag kinds_lock = ATOMIC_FLAG_INIT;
static unsigned long stacks_wanted = 3000000;
static __thread bool inside __attribute__((tls_model("initial-exec")));
static __thread struct thread *self __attribute__((tls_model("initial-exec")));

uint32_t __real_rt_unwind_libgcc(struct rt_walk *walk, const struct rt_registers *registers);
uint32_t __wrap_rt_unwind_libgcc(struct rt_walk *walk, const struct rt_registers *registers);
bool __real_os_word_readable(uintptr_t address);
bool __wrap_os_word_readable(uintptr_t address);

uint32_t __wrap_rt_unwind_libgcc(struct rt_walk *walk, const struct rt_registers *registers)
{
    counts.slow++;
    return __real_rt_unwind_libgcc(walk, registers);
}

bool __wrap_os_word_readable(uintptr_t address)
{
    counts.probes++;
    return __real_os_word_readable(address);
}

static void *pages_get(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static bool walk_set_up(struct rt_walk *walk)
{
    walk->limit = LIMIT;
    walk->frame = pages_get(LIMIT * sizeof(struct rt_frame));
    walk->back_end = pages_get(rt_walk_bytes(LIMIT));
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *low;
        size_t bytes;
        pthread_attr_getstack(&attributes, &low, &bytes);
        pthread_attr_destroy(&attributes);
        walk->stack_low = (uintptr_t)low;
        walk->stack_high = (uintptr_t)low + bytes;
    }
    if (!walk->frame || !walk->back_end) {
        return false;
    }
    rt_walk_reset(walk, SEED);
    return true;
}

static struct thread *thread_get(void)
{
    if (!self) {
        struct thread *thread = pages_get(sizeof(*thread));
        if (thread && walk_set_up(&thread->incremental) && walk_set_up(&thread->plain) &&
            walk_set_up(&thread->recalling) && (thread->recall = pages_get(rt_recall_bytes()))) {
            self = thread;
        }
    }
    return self;
}

static _Unwind_Reason_Code libgcc_frame(struct _Unwind_Context *context, void *argument)
{
    struct frames *frames = argument;
    if (frames->count == ROOM) {
        return _URC_END_OF_STACK;
    }
    frames->ip[frames->count++] = _Unwind_GetIP(context);
    return _URC_NO_REASON;
}

/* Drop the frames of our own hook: all before the frame of IP; and null frames at the end. */
static void frames_trim(struct frames *frames, uintptr_t ip)
{
    uint32_t skip = 0;
    while (skip < frames->count && frames->ip[skip] != ip) {
        skip++;
    }
    frames->count -= skip;
    memmove(frames->ip, frames->ip + skip, frames->count * sizeof(frames->ip[0]));
    while (frames->count && frames->ip[frames->count - 1] < REC_SPECIAL_LIMIT) {
        frames->count--;
    }
}

/* The frames of WALK without an elided outermost one. */
static void frames_of_walk(struct frames *frames, const struct rt_walk *walk)
{
    frames->count = 0;
    for (uint32_t i = walk->depth; i-- > 0;) {
        if (walk->frame[i].key >= REC_SPECIAL_LIMIT) {
            frames->ip[frames->count++] = (uintptr_t)REC_NODE_ADDRESS(walk->frame[i].key);
        }
    }
}

static bool walk_hash_is_right(const struct rt_walk *walk)
{
    uint64_t hash = walk->seed;
    for (uint32_t i = 0; i < walk->depth; i++) {
        hash = rt_hash_step(hash, walk->frame[i].key);
        if (walk->frame[i].hash != hash) {
            return false;
        }
    }
    return true;
}

static bool walks_are_equal(const struct rt_walk *a, const struct rt_walk *b)
{
    return a->depth == b->depth && a->flags == b->flags &&
           a->frame[a->depth - 1].hash == b->frame[b->depth - 1].hash;
}

/* Whether OTHER begins with OURS; with all of it, unless the depth limit cut ours. */
static bool frames_agree(const struct frames *ours, const struct frames *other, bool elided)
{
    return other->count >= ours->count && (elided || other->count == ours->count) &&
           memcmp(ours->ip, other->ip, ours->count * sizeof(ours->ip[0])) == 0;
}

static void address_name(uintptr_t ip, char *text, size_t bytes)
{
    Dl_info info;
    if (ip && dladdr((void *)ip, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        snprintf(text, bytes, "%.24s!%.40s", slash ? slash + 1 : info.dli_fname,
                 info.dli_sname ? info.dli_sname : "?");
    } else {
        snprintf(text, bytes, ip ? "anonymous" : "-");
    }
}

static void kind_count(const struct thread *thread, const char *verdict)
{
    const struct frames *ours = &thread->ours, *other = &thread->libunwind;
    uint32_t i = 0;
    while (i < ours->count && i < other->count && ours->ip[i] == other->ip[i]) {
        i++;
    }
    char after[80], own[80], theirs[80], text[sizeof(kinds[0].text)];
    address_name(i ? ours->ip[i - 1] : 0, after, sizeof(after));
    address_name(i < ours->count ? ours->ip[i] : 0, own, sizeof(own));
    address_name(i < other->count ? other->ip[i] : 0, theirs, sizeof(theirs));
    snprintf(text, sizeof(text), "%s: after %.60s ours %.50s libunwind %.50s", verdict, after, own,
             theirs);
    while (atomic_flag_test_and_set(&kinds_lock)) {
    }
    for (uint32_t k = 0; k < KINDS; k++) {
        if (kinds[k].count == 0) {
            strcpy(kinds[k].text, text);
        }
        if (strcmp(kinds[k].text, text) == 0) {
            kinds[k].count++;
            break;
        }
    }
    atomic_flag_clear(&kinds_lock);
}

/* Whether OTHER goes on where ours is cut, into what is no code of any module. */
static bool goes_on_into_nothing(const struct thread *thread, const struct frames *other)
{
    const struct frames *ours = &thread->ours;
    Dl_info info;
    return (thread->plain.flags & REC_STACK_CUT) && other->count > ours->count &&
           memcmp(ours->ip, other->ip, ours->count * sizeof(ours->ip[0])) == 0 &&
           !dladdr((void *)other->ip[ours->count], &info);
}

/* Ours and libunwind's differ: who is right? */
static void referee_ask(struct thread *thread, uintptr_t ip, bool elided)
{
    thread->libgcc.count = 0;
    _Unwind_Backtrace(libgcc_frame, &thread->libgcc);
    frames_trim(&thread->libgcc, ip);
    counts.not_libunwind++;
    const char *verdict = "BAD";
    if (frames_agree(&thread->ours, &thread->libgcc, elided)) {
        counts.libgcc_ours++;
        verdict = "libgcc as ours";
    } else if ((thread->plain.flags & REC_STACK_GUESSED) &&
               frames_agree(&thread->libgcc, &thread->ours, true)) {
        counts.libgcc_inner++;
        verdict = "guessed, libgcc has the inner part";
    } else if (goes_on_into_nothing(thread, &thread->libgcc)) {
        counts.made_up++;
        verdict = "made up by libgcc";
    } else {
        counts.bad_plain++;
    }
    if (frames_agree(&thread->libunwind, &thread->libgcc, elided)) {
        counts.libgcc_libunwind++;
    }
    kind_count(thread, verdict);
}

static uint32_t number_of(const struct rt_walk *walk)
{
    return (uint32_t)(walk->frame[walk->depth - 1].hash >> 32) | 1;
}

static void recall_verify(struct thread *thread, const struct rt_registers *registers)
{
    uint32_t number = rt_recall(thread->recall, &thread->recalling, registers);
    counts.recalled += number != 0;
    if (!number) {
        rt_unwind(&thread->recalling, registers);
        number = number_of(&thread->recalling);
        rt_recall_note(thread->recall, &thread->recalling, number);
    }
    counts.bad_recall += number != number_of(&thread->plain);
}

static __attribute__((noinline)) void stack_verify(const struct rt_registers *registers)
{
    struct thread *thread = thread_get();
    if (!thread || atomic_fetch_add(&counts.stacks, 1) >= stacks_wanted) {
        return;
    }
    rt_unwind(&thread->incremental, registers);
    rt_walk_reset(&thread->plain, SEED);
    rt_unwind(&thread->plain, registers);
    recall_verify(thread, registers);
    const struct rt_walk *plain = &thread->plain;
    counts.frames += plain->depth;
    counts.guessed += (plain->flags & REC_STACK_GUESSED) != 0;
    counts.cut += (plain->flags & REC_STACK_CUT) != 0;
    bool elided = plain->frame[0].key == REC_SPECIAL_ELIDED;
    counts.elided += elided;
    counts.bad_incremental += !walks_are_equal(&thread->incremental, plain);
    counts.bad_hash += !walk_hash_is_right(plain) || !walk_hash_is_right(&thread->incremental);
    frames_of_walk(&thread->ours, plain);
    int count = unw_backtrace((void **)thread->libunwind.ip, (int)ROOM);
    thread->libunwind.count = count > 0 ? (uint32_t)count : 0;
    frames_trim(&thread->libunwind, registers->ip);
    if (!frames_agree(&thread->ours, &thread->libunwind, elided)) {
        referee_ask(thread, registers->ip, elided);
    }
}

/* As the hooks do: the caller's registers from our own frame. */
#define VERIFY_CALLER()                                                                            \
    do {                                                                                           \
        if (!inside) {                                                                             \
            const uintptr_t *frame = __builtin_frame_address(0);                                   \
            const struct rt_registers registers = {                                                \
                .ip = frame[1], .sp = (uintptr_t)(frame + 2), .fp = frame[0]};                     \
            int saved_errno = errno;                                                               \
            inside = true;                                                                         \
            stack_verify(&registers);                                                              \
            inside = false;                                                                        \
            errno = saved_errno;                                                                   \
        }                                                                                          \
    } while (0)

EXPORTED void *malloc(size_t bytes)
{
    VERIFY_CALLER();
    return __libc_malloc(bytes);
}

EXPORTED void *calloc(size_t count, size_t bytes)
{
    VERIFY_CALLER();
    return __libc_calloc(count, bytes);
}

EXPORTED void *realloc(void *block, size_t bytes)
{
    VERIFY_CALLER();
    return __libc_realloc(block, bytes);
}

EXPORTED void *memalign(size_t alignment, size_t bytes)
{
    VERIFY_CALLER();
    return __libc_memalign(alignment, bytes);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t bytes)
{
    VERIFY_CALLER();
    return __libc_memalign(alignment, bytes);
}

EXPORTED int posix_memalign(void **ret_block, size_t alignment, size_t bytes)
{
    VERIFY_CALLER();
    void *block = __libc_memalign(alignment, bytes);
    if (!block) {
        return ENOMEM;
    }
    *ret_block = block;
    return 0;
}

static __attribute__((constructor)) void verify_begin(void)
{
    const char *wanted = getenv("VERIFY_STACKS");
    if (wanted) {
        stacks_wanted = strtoul(wanted, NULL, 10);
    }
    /* libgcc's first walk allocates and locks: not inside an allocation. */
    inside = true;
    static struct frames first;
    _Unwind_Backtrace(libgcc_frame, &first);
    inside = false;
}

static __attribute__((destructor)) void verify_end(void)
{
    inside = true;
    const char *path = getenv("VERIFY_OUT");
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644) : 2;
    unsigned long stacks = counts.stacks < stacks_wanted ? counts.stacks : stacks_wanted;
    unsigned long bad =
        counts.bad_incremental + counts.bad_recall + counts.bad_hash + counts.bad_plain;
    dprintf(file,
            "verify %s stacks %lu frames %lu recalled %lu bad %lu (incremental %lu recall %lu hash "
            "%lu plain %lu) "
            "not-libunwind %lu (libgcc: ours %lu, inner part %lu, libunwind's %lu, made up %lu) "
            "slow %lu probes %lu guessed %lu cut %lu elided %lu\n",
            program_invocation_short_name, stacks, counts.frames, counts.recalled, bad,
            counts.bad_incremental, counts.bad_recall, counts.bad_hash, counts.bad_plain,
            counts.not_libunwind, counts.libgcc_ours, counts.libgcc_inner, counts.libgcc_libunwind,
            counts.made_up, counts.slow, counts.probes, counts.guessed, counts.cut, counts.elided);
    for (uint32_t k = 0; k < KINDS && kinds[k].count; k++) {
        dprintf(file, "  %lu x %s\n", kinds[k].count, kinds[k].text);
    }
    if (path && file >= 0) {
        close(file);
    }
    inside = false;
}
