/*
 * threads.c -- threads and forks, when samples are taken: each thread shall have its timer from its
 * first instruction on, each forked child one even if it never meets a hook.
 *
 * Without samples these functions pass everything on as it is.
 */
#include <pthread.h>
#include <stddef.h>
#include <threads.h>

#include "preload/hook.h"
#include "preload/threads.h"
#include "preload/waits.h"
#include "runtime/hot/sampler.h"
#include "runtime/os/os.h"
#include "runtime/setup/sampling.h"

PL_EXPORT int pthread_create(pthread_t *ret_thread, const pthread_attr_t *attributes,
                             void *(*function)(void *), void *argument);
PL_EXPORT int thrd_create(thrd_t *ret_thread, thrd_start_t function, void *argument);

PL_REAL_PLACE(pthread_create);
PL_REAL_PLACE(thrd_create);

/* What a new thread is to do. Places are taken out of pages that are never given back, and free
 * once the thread has looked. */
struct task {
    union {
        void *(*posix)(void *);
        thrd_start_t standard;
    } function;
    void *argument;
    uint32_t taken;
};

enum { TASKS = 128, PAGES_MAX = 64 };

static struct task *pages[PAGES_MAX];

static struct task *task_take_in(struct task *page)
{
    for (int i = 0; i < TASKS; i++) {
        uint32_t free = 0;
        if (__atomic_load_n(&page[i].taken, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&page[i].taken, &free, 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            return &page[i];
        }
    }
    return NULL;
}

/* NULL: there are too many threads that have been made and have not begun. */
static struct task *task_take(void)
{
    for (int i = 0; i < PAGES_MAX; i++) {
        struct task *page = __atomic_load_n(&pages[i], __ATOMIC_ACQUIRE);
        if (!page) {
            struct task *made = os_memory_map(TASKS * sizeof *made);
            if (!made) {
                return NULL;
            }
            if (__atomic_compare_exchange_n(&pages[i], &page, made, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE)) {
                page = made;
            } else {
                os_memory_unmap(made, TASKS * sizeof *made);
            }
        }
        struct task *task = task_take_in(page);
        if (task) {
            return task;
        }
    }
    return NULL;
}

static void task_give(struct task *task)
{
    __atomic_store_n(&task->taken, 0, __ATOMIC_RELEASE);
}

/* The thread's state, and with it its timer. */
static void thread_begin(uintptr_t function)
{
    struct rt_thread *thread;
    if (pl_hook_enter((uintptr_t)__builtin_frame_address(0), &thread) == PL_RECORD) {
        if (thread->sampler) {
            thread->sampler->function = function;
        }
        pl_hook_leave(thread);
    }
}

/* Both end in a jump: no frame of ours is on the thread's stack. */
static void *run_posix(void *argument)
{
    struct task task = *(struct task *)argument;
    task_give(argument);
    thread_begin((uintptr_t)task.function.posix);
    return task.function.posix(task.argument);
}

static int run_standard(void *argument)
{
    struct task task = *(struct task *)argument;
    task_give(argument);
    thread_begin((uintptr_t)task.function.standard);
    return task.function.standard(task.argument);
}

int pthread_create(pthread_t *ret_thread, const pthread_attr_t *attributes,
                   void *(*function)(void *), void *argument)
{
    struct task *task = rt_sampling_number() ? task_take() : NULL;
    if (!task) {
        return PL_REAL(pthread_create)(ret_thread, attributes, function, argument);
    }
    task->function.posix = function;
    task->argument = argument;
    int result = PL_REAL(pthread_create)(ret_thread, attributes, run_posix, task);
    if (result != 0) {
        task_give(task);
    }
    return result;
}

int thrd_create(thrd_t *ret_thread, thrd_start_t function, void *argument)
{
    struct task *task = rt_sampling_number() ? task_take() : NULL;
    if (!task) {
        return PL_REAL(thrd_create)(ret_thread, function, argument);
    }
    task->function.standard = function;
    task->argument = argument;
    int result = PL_REAL(thrd_create)(ret_thread, run_standard, task);
    if (result != thrd_success) {
        task_give(task);
    }
    return result;
}

static void fork_child(void)
{
    rt_sampling_fork_child();
}

void pl_threads_watch_forks(void)
{
    if (rt_sampling_number()) {
        pthread_atfork(NULL, NULL, fork_child);
    }
}
