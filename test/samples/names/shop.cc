// Allocates in places whose names only C++ has: members, templates, lambdas, namespaces.
#include <cstdio>
#include <cstdlib>

namespace shop {

struct Till {
    template <typename Kind> inline __attribute__((always_inline)) void *count(Kind kind)
    {
        return std::malloc(static_cast<unsigned>(kind));
    }
    __attribute__((noinline)) void *close(int day);
};

void *Till::close(int day)
{
    void *block = count<long>(7000L * day);
    __asm__ volatile("" ::: "memory");
    return block;
}

namespace {

template <typename Step> __attribute__((noinline)) void *twice(Step step)
{
    void *block = step(1);
    __asm__ volatile("" ::: "memory");
    return block;
}

} // namespace
} // namespace shop

int main()
{
    shop::Till till;
    void *first = till.close(1);
    void *second = shop::twice([](int more) __attribute__((noinline)) {
        void *block = std::malloc(3000u + static_cast<unsigned>(more) - 1);
        __asm__ volatile("" ::: "memory");
        return block;
    });
    std::printf("%d\n", first != nullptr && second != nullptr);
    return 0;
}
