/*
 * Two producers as C++20 coroutines, taken from in turns. Their bodies are named async::...
 *
 *   g++ -std=c++20 -O2 -g -finstrument-functions coroutines.cc -o coroutines
 *   LD_PRELOAD=libthagpreload.so ./coroutines
 *   thag_profile stats coroutines-*.thag
 */
#include <coroutine>
#include <cstdio>
#include <exception>

struct Numbers {
    struct promise_type {
        long value = 0;
        Numbers get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        std::suspend_always yield_value(long next)
        {
            value = next;
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
            std::terminate();
        }
    };
    std::coroutine_handle<promise_type> handle;

    bool next(long &value)
    {
        handle.resume();
        value = handle.promise().value;
        return !handle.done();
    }
};

static Numbers squares(long count)
{
    for (long i = 1; i <= count; i++) {
        co_yield i * i;
    }
}

static bool is_prime(long number)
{
    for (long factor = 2; factor * factor <= number; factor++) {
        if (number % factor == 0) {
            return false;
        }
    }
    return true;
}

static Numbers primes(long count)
{
    for (long number = 2; count > 0; number++) {
        if (is_prime(number)) {
            co_yield number;
            count--;
        }
    }
}

int main()
{
    Numbers left = squares(2000), right = primes(2000);
    long a = 0, b = 0, sum = 0;
    while (left.next(a) && right.next(b)) {
        sum += a - b;
    }
    left.handle.destroy();
    right.handle.destroy();
    std::printf("%ld\n", sum);
    return 0;
}
