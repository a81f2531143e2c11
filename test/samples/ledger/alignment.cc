// Aligned new and delete, sized and plain, single objects and arrays.
#include <cstddef>
#include <new>

struct alignas(64) Line {
    char bytes[192];
};

int main()
{
    Line *one = new Line;
    Line *many = new Line[10];
    void *raw = ::operator new(1000, std::align_val_t(256));
    int *plain = new int[25];
    delete one;
    ::operator delete(raw, std::align_val_t(256));
    delete[] plain;
    return many == nullptr;
}
