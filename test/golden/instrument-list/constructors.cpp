// Constructors, destructors, try blocks, lambdas.
#include <functional>
struct plain {
    plain() : a{1}, b({2}), c(3) { }
    explicit plain(int x) try : a{x} { } catch (...) { a = 0; }
    plain(const plain &) = default;
    plain &operator=(const plain &) = delete;
    virtual ~plain() noexcept(false) { }
    template <class T> plain(T &&t) requires(sizeof(T) > 1) : base<T>{t}, a{} { }
    int a, b, c{3};
    std::function<int(int)> f = [](int x) { return x; };
    std::function<void()> g{[this] { a = 1; }};
};
plain::plain(int, int) : a(1), b([] { return 2; }()) { }
void tried() try { throw 1; } catch (int) { } catch (...) { }
int lambdas(int n)
{
    auto add = [n](int x) mutable -> int { return x + n; };
    auto coroutine = []() -> task { co_return; };
    run([&] { co_await something; }, [](auto... xs) { return sizeof...(xs); });
    struct local { int get() { return 1; } ~local() { } } l;
    for (auto &[key, value] : map) { use(key, value); }
    if (int x[3] = {1, 2, 3}; x[n]) { return x[0]; }
    return [] { return 1; }() + add(2) + l.get();
}
task coroutine_itself() { co_await something; }
generator<int> numbers() { for (int i = 0;; i++) { co_yield i; } }
namespace inner {
int main() { return 1; }
}
int main() { return inner::main(); }
