/*
 * Marks inside C++20 coroutines: their guards lie on the heap, and outlive the call that opened
 * them. Each time a coroutine is resumed it allocates; what it allocates before its first
 * suspension is its own.
 */
#include <thag_profiler.h>

#include <coroutine>
#include <cstdlib>

static void *volatile kept;

struct task {
    struct promise_type {
        task get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_never initial_suspend()
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
        }
    };
    std::coroutine_handle<promise_type> handle;
};

task body(int rounds)
{
    THAG_PROFILED(both, test);
    kept = malloc(10);
    for (int i = 0; i < rounds; i++) {
        THAG_SECTION(round, mem_summary);
        kept = malloc(100);
        co_await std::suspend_always();
        kept = malloc(1000);
    }
}

__attribute__((noinline)) void resume(task &one)
{
    THAG_PROFILED;
    one.handle.resume();
}

int main()
{
    for (int i = 0; i < 100; i++) {
        task one = body(3), other = body(2);
        while (!one.handle.done()) {
            resume(one);
            if (!other.handle.done()) {
                resume(other);
            }
        }
        one.handle.destroy();
        other.handle.destroy();
    }
    return 0;
}
