/*
 * cxx_new.cc -- new and delete in all their forms: plain, array, nothrow, over-aligned, refused.
 */
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct alignas(64) wide {
    char bytes[192];
};

struct thrower {
    char bytes[40];
    thrower()
    {
        throw 1;
    }
};

static volatile std::size_t huge = PTRDIFF_MAX;

static int refused()
{
    int count = 0;
    count += new (std::nothrow) char[huge] == nullptr;
    count += new (std::align_val_t(64), std::nothrow) char[huge] == nullptr;
    try {
        delete[] new char[huge];
    } catch (const std::bad_alloc &) {
        count++;
    }
    try {
        delete new thrower; /* the block goes back while the exception flies */
    } catch (int) {
        count++;
    }
    return count;
}

int main()
{
    std::unique_ptr<wide> one(new wide);
    std::unique_ptr<wide[]> many(new wide[5]);
    std::vector<std::string> words;
    for (int i = 0; i < 100; i++) {
        words.push_back(std::string(static_cast<std::size_t>(i), 'x'));
    }
    delete static_cast<int *>(nullptr);
    bool aligned = reinterpret_cast<std::uintptr_t>(one.get()) % 64 == 0 &&
                   reinterpret_cast<std::uintptr_t>(many.get()) % 64 == 0;
    std::printf("aligned %d, refused %d, words %zu\n", aligned, refused(), words.size());
    return 0;
}
