// C++20 coroutines: resumed in turns, from other functions than the one that made them, and on
// another thread than before.
//
// options c++20
// A coroutine is a ramp that makes its frame, and a body that is resumed. gcc hooks both, clang the
// ramp alone.
//
// expect main 1
// expect main;counter 3
// gcc main;counter;counter 3
// gcc main;counter;counter;helper 3
// clang main;counter;helper 3
// expect main;resume_one 6
// gcc main;resume_one;counter 6
// gcc main;resume_one;counter;helper 6
// clang main;resume_one;helper 6
// expect elsewhere 1
// expect elsewhere;resume_one 1
// gcc elsewhere;resume_one;counter 1
// gcc elsewhere;resume_one;counter;helper 1
// clang elsewhere;resume_one;helper 1
#include <coroutine>
#include <exception>
#include <pthread.h>

#define QUIET __attribute__((no_instrument_function))

static volatile int sink;

struct Task {
    struct promise_type {
        QUIET Task get_return_object()
        {
            return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        QUIET std::suspend_never initial_suspend() noexcept
        {
            return {};
        }
        QUIET std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        QUIET void return_void()
        {
        }
        QUIET void unhandled_exception()
        {
            std::terminate();
        }
    };
    std::coroutine_handle<promise_type> handle;
};

__attribute__((noinline)) void helper()
{
    sink = sink + 1;
}

__attribute__((noinline)) Task counter(int times)
{
    for (int i = 0; i < times; i++) {
        helper();
        co_await std::suspend_always{};
    }
}

__attribute__((noinline)) void resume_one(Task &task)
{
    task.handle.resume();
    sink = sink + 1;
}

__attribute__((noinline)) void *elsewhere(void *task)
{
    resume_one(*static_cast<Task *>(task));
    return nullptr;
}

int main()
{
    Task tasks[] = {counter(3), counter(3), counter(9)};
    for (int i = 0; i < 2; i++) {
        for (Task &task : tasks) {
            resume_one(task);
        }
    }
    pthread_t thread;
    pthread_create(&thread, nullptr, elsewhere, &tasks[2]);
    pthread_join(thread, nullptr);
    return 0;
}
