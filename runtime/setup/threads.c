/*
 * threads.c -- see the header.
 */
#include "runtime/setup/threads.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "runtime/hot/call_tasks.h"
#include "runtime/hot/heap_ledger.h"
#include "runtime/hot/process.h"
#include "runtime/hot/sampler.h"
#include "runtime/hot/thread_state.h"
#include "runtime/os/os.h"

extern void *__libc_stack_end __attribute__((weak));

/* With no limit on the main stack the kernel maps other things far below it. */
#define MAIN_STACK_MOST (UINT64_C(1) << 36)

/* libpthread runs destructors this often while values are set again. */
enum { LAST_ROUND = PTHREAD_DESTRUCTOR_ITERATIONS };

/* Between find_stack() and the hook that wants to know are a few frames. */
enum { HOOK_FRAMES_BYTES = 16384 };

static struct {
    void *main_pointer; /* the main thread's thread pointer: it survives fork */
    int (*attributes)(pthread_t, pthread_attr_t *);
    uintptr_t attributes_end; /* of that function's text */
    pthread_key_t key;
    bool has_key;
} watch;

void *rt_scratch_take(struct rt_scratch *scratch, size_t bytes)
{
    size_t room = sizeof scratch->bytes - scratch->used;
    size_t wanted = (bytes + 15) & ~(size_t)15;
    if (wanted < bytes || wanted > room) {
        return NULL;
    }
    void *memory = scratch->bytes + scratch->used;
    scratch->used += wanted;
    return memory;
}

static void main_stack(uintptr_t *ret_low, uintptr_t *ret_high)
{
    uint64_t limit = os_limit(RLIMIT_STACK);
    uintptr_t high = &__libc_stack_end ? (uintptr_t)__libc_stack_end : 0;
    limit = limit < MAIN_STACK_MOST ? limit : MAIN_STACK_MOST;
    if (high > limit) {
        *ret_low = high - limit;
        *ret_high = high;
    }
}

/*
 * Whether the hook's caller is libc's answer to the same question, which holds the thread's lock:
 * who asks does not always come by preload/thread_attributes.c (RTLD_DEEPBIND, dlsym() with libc's
 * handle). The guard is the hook's frame; above it lies where the hook returns to.
 */
static bool is_being_answered(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), frame = rt_tls.guard;
    if (frame - here >= HOOK_FRAMES_BYTES || frame % sizeof frame != 0) {
        return false;
    }
    uintptr_t caller = ((const uintptr_t *)frame)[1];
    uintptr_t begin = (uintptr_t)watch.attributes;
    return caller - begin < watch.attributes_end - begin;
}

static void find_stack(uintptr_t *ret_low, uintptr_t *ret_high)
{
    if (__builtin_thread_pointer() == watch.main_pointer) {
        main_stack(ret_low, ret_high);
        return;
    }
    /* Without a state that lasts it may be in the question's own allocation: see
     * preload/thread_attributes.c. The walk does without. */
    if (rt_thread_is_ended() || !watch.attributes || is_being_answered()) {
        return;
    }
    struct rt_scratch scratch = {.used = 0};
    uintptr_t guard = rt_tls.guard;
    rt_tls.guard = (uintptr_t)&scratch + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pthread_attr_t attributes;
    void *address;
    size_t bytes;
    if (watch.attributes(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &address, &bytes) == 0) {
            *ret_low = (uintptr_t)address;
            *ret_high = (uintptr_t)address + bytes;
        }
        pthread_attr_destroy(&attributes);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    rt_tls.guard = guard;
}

/* Runs among the program's own destructors, which may still allocate and free: the state is given
 * back in the last round, and what comes later takes a state for one event at a time. */
static void thread_ends(void *value)
{
    struct rt_thread *thread = value;
    if (rt_gate_read() != &rt_gate_open || rt_tls.thread != thread || !rt_thread_is_ours(thread)) {
        return;
    }
    rt_tasks_leave(thread);
    rt_calls_leave(&thread->calls); /* the thread's function is no more, however it was left */
    if (++thread->end_rounds < LAST_ROUND) {
        pthread_setspecific(watch.key, thread);
        return;
    }
    rt_tls.guard = (uintptr_t)__builtin_frame_address(0);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    rt_heap_flush(thread);
    rt_sampler_thread_ends(thread);
    rt_thread_mark_ended();
    rt_thread_release(thread);
    rt_tls.guard = 0;
}

static void watch_thread_end(struct rt_thread *thread)
{
    if (watch.has_key) {
        pthread_setspecific(watch.key, thread);
    }
}

static uintptr_t text_end(uintptr_t function)
{
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    bool known = dladdr1((const void *)function, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0;
    return known && symbol ? function + symbol->st_size : function;
}

void rt_threads_watch(int (*attributes)(pthread_t, pthread_attr_t *))
{
    watch.main_pointer = __builtin_thread_pointer();
    watch.attributes = attributes;
    watch.attributes_end = text_end((uintptr_t)attributes);
    watch.has_key = watch.has_key || pthread_key_create(&watch.key, thread_ends) == 0;
    rt_process.find_stack = find_stack;
    rt_process.watch_thread_end = watch_thread_end;
}
