// Aligned new and delete, sized and plain, single objects and arrays. Sizes are multiples of the
// alignment: libstdc++ rounds others up before it asks aligned_alloc(), which is what we see.
#include <cstddef>
#include <new>

struct alignas(64) Line {
    char bytes[192];
};

static void *volatile escaped; // or the compiler leaves the pairs out

template <class T>
static T *seen(T *pointer)
{
    escaped = pointer;
    return pointer;
}

int main()
{
    Line *one = seen(new Line);
    Line *many = seen(new Line[10]);
    void *raw = seen(::operator new(1024, std::align_val_t(256)));
    int *plain = seen(new int[25]);
    delete one;
    ::operator delete(raw, std::align_val_t(256));
    delete[] plain;
    return many == nullptr;
}
