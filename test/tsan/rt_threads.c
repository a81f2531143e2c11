/*
 * The hot half of the recorder under ThreadSanitizer: four threads book allocations on shared and
 * on new stacks, free their own blocks and each other's, while tables grow, the timeline is thinned
 * and the address map is looked at again. A program of its own, for Criterion does not start there.
 *
 * Ends with 0, with 1 and a line if a total is wrong, or as ThreadSanitizer ends it.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

#include "runtime/hot/heap_ledger.h"
#include "runtime/hot/live_timeline.h"
#include "runtime/hot/module_map.h"
#include "runtime/hot/process.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/stack_table.h"
#include "runtime/os/os.h"
#include "test/fake/unwind_fake.h"

enum { THREADS = 4, EVENTS = 12000, STACKS = 3000, BOXES = 64 };
#define RESERVATION (UINT64_C(256) << 20)

/* Blocks on their way from one thread to another. */
static struct {
    pthread_mutex_t lock;
    uintptr_t block[BOXES];
} mail = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t allocations, frees;

static struct rt_thread *enter(void)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    struct rt_thread *thread = rt_thread_enter(frame);
    if (!thread && rt_thread_enter_slowly(frame, &thread) != RT_ENTRY_TAKEN) {
        return NULL;
    }
    return thread;
}

static void allocate(uint32_t number, uintptr_t address, size_t bytes, bool by_the_loader)
{
    const struct rt_registers registers = {.ip = by_the_loader ? 0x5000 : 0x9000};
    struct rt_thread *thread = enter();
    unwind_fake.depth = 3;
    unwind_fake.key[0] = 0x10000;
    /* Addresses in modules, so that the map of modules has something to look at. */
    unwind_fake.key[1] = (uintptr_t)(number % 2 ? (void *)puts : (void *)allocate) + number % 16;
    unwind_fake.key[2] = 0x30000 + number;
    rt_heap_allocated(thread, address, bytes, &registers);
    rt_thread_leave();
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
}

static void release(uintptr_t address)
{
    struct rt_thread *thread = enter();
    struct rt_block block = rt_heap_take(thread, address);
    if (block.stack) {
        rt_heap_freed(thread, address, block, &(const struct rt_registers){.ip = 0x9000});
        __atomic_fetch_add(&frees, 1, __ATOMIC_RELAXED);
    }
    rt_thread_leave();
}

/* Leave a block for somebody, and take what lay there. */
static uintptr_t exchange(uint32_t box, uintptr_t block)
{
    pthread_mutex_lock(&mail.lock);
    uintptr_t found = mail.block[box % BOXES];
    mail.block[box % BOXES] = block;
    pthread_mutex_unlock(&mail.lock);
    return found;
}

static void *work(void *argument)
{
    uintptr_t me = (uintptr_t)argument;
    uintptr_t base = UINT64_C(0x7e0000000010) + me * (UINT64_C(1) << 32);
    for (uint32_t i = 0; i < EVENTS; i++) {
        uintptr_t address = base + UINT64_C(64) * i;
        uint32_t number = i % 2 ? i % STACKS : (i + (uint32_t)me * 977) % STACKS;
        allocate(number, address, i % 700 ? i % 300 : UINT64_C(5) << 30, i % 1000 == 999);
        uintptr_t other = i % 3 ? address : exchange(i, address);
        if (other) {
            release(other);
        }
    }
    struct rt_thread *thread = enter();
    rt_heap_flush(thread);
    rt_thread_mark_ended();
    rt_thread_release(thread);
    rt_thread_leave();
    return NULL;
}

static int begin(bool shadow)
{
    void *memory = mmap(NULL, RESERVATION, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || rt_recording_begin(memory, RESERVATION, true) < 0) {
        return -1;
    }
    rt_process.pid = os_process_id();
    rt_process.start_tid = os_thread_id();
    rt_module_map_reset();
    rt_module_map.loader_start = 0x5000;
    rt_module_map.loader_bytes = 0x1000;
    rt_threads_reset();
    rt_live_blocks_reset(shadow);
    rt_heap_reset(0, false);
    if (rt_stack_table_reset(rt_process.start_tid) < 0) {
        return -1;
    }
    rt_live_timeline_reset(rt_process.start_tid);
    allocations = frees = 0;
    rt_gate_set(&rt_gate_open);
    return 0;
}

static int run(bool shadow)
{
    pthread_t threads[THREADS];
    if (begin(shadow) < 0) {
        puts("cannot begin");
        return 1;
    }
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (uint32_t i = 0; i < BOXES; i++) {
        release(exchange(i, 0));
    }
    rt_heap_flush(rt_tls.thread);
    const struct rec_header *header = rt_recording.header;
    printf("%s: %lu allocations, %lu frees, %ld live bytes, %lu stacks, %lu lost, %lu takeovers\n",
           shadow ? "shadow" : "hashed", allocations, frees, header->live_bytes,
           header->stack_count, header->events_lost, header->guard_takeovers);
    return allocations == frees && header->live_bytes == 0 && header->events_lost == 0 &&
                   header->stack_count == STACKS + 2
               ? 0
               : 1;
}

int main(void)
{
    int wrong = run(true);
    rt_tls = (struct rt_tls){NULL, 0};
    return run(false) | wrong;
}
