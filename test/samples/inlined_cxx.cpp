/*
 * inlined_cxx.cpp -- like inlined.c, with namespaces, members, templates and a lambda.
 *
 * Names are separated by tabs, because they hold blanks.
 */
#include <cstdint>
#include <cstdio>
#include <link.h>

static std::uintptr_t bias;

static int remember_bias(dl_phdr_info *info, std::size_t, void *)
{
    bias = info->dlpi_addr;
    return 1;
}

__attribute__((noinline)) static void place(const char *names)
{
    auto address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - bias;
    std::printf("%#lx\t%s\n", static_cast<unsigned long>(address), names);
}

namespace shop {

struct Till {
    template <typename Kind>
    __attribute__((always_inline)) inline void count(Kind kind, const char *names)
    {
        (void)kind;
        place(names);
        __asm__ volatile("" ::: "memory");
    }
    __attribute__((noinline)) int close(int day, const char *names);
};

__attribute__((noinline)) int Till::close(int day, const char *names)
{
    count<unsigned long>(static_cast<unsigned long>(day), names);
    return day;
}

} // namespace shop

__attribute__((noinline, noclone)) static void run(const char *names)
{
    auto step = [](const char *text) __attribute__((always_inline))
    {
        place(text);
        __asm__ volatile("" ::: "memory");
    };
    step(names);
}

int main()
{
    shop::Till till;
    dl_iterate_phdr(remember_bias, nullptr);
    till.close(3, "shop::Till::close(int, char const*)\t"
                  "void shop::Till::count<unsigned long>(unsigned long, char const*)");
    /* An inlined lambda has no linkage name: its scopes have to do. */
    run("run(char const*)\trun::{lambda}::operator()");
    return 0;
}
