/*
 * cxx_uncaught.cc [catch] -- throws through frames with destructors; caught or not.
 */
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

static void __attribute__((noinline)) deep(int depth)
{
    std::vector<char> block(100);
    if (depth == 0) {
        throw std::runtime_error(std::string(100, 'x'));
    }
    deep(depth - 1);
    std::printf("%d", block[0]);
}

static void caught()
{
    for (int i = 0; i < 200; i++) {
        try {
            deep(20);
        } catch (const std::exception &error) {
            if (std::strlen(error.what()) != 100) {
                std::puts("another exception");
            }
        }
    }
    std::puts("200 caught");
}

int main(int count, char **)
{
    caught();
    if (count == 1) {
        deep(3);
    }
    return 5;
}
