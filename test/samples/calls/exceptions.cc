// Exceptions through several calls, caught further out, rethrown, and destructors on the way.
//
// expect main 1
// expect main;catches 50
// expect main;catches;raise_at 50
// expect main;catches;raise_at;raise_at 50
// expect main;catches;raise_at;raise_at;raise_at 50
// expect main;catches;raise_at;raise_at;raise_at;Guard::~Guard 50
// expect main;catches;raise_at;raise_at;Guard::~Guard 50
// expect main;catches;raise_at;Guard::~Guard 50
// expect main;catches;after 50
// expect main;rethrows 10
// expect main;rethrows;raise_at 10
// expect main;rethrows;raise_at;Guard::~Guard 10
// expect main;after 10

static volatile int sink;

struct Guard {
    __attribute__((noinline)) ~Guard()
    {
        sink = sink + 1;
    }
};

__attribute__((noinline)) void raise_at(int levels)
{
    Guard guard;
    if (levels == 0) {
        throw 1;
    }
    raise_at(levels - 1);
    sink = sink + 1;
}

__attribute__((noinline)) void after()
{
    sink = sink + 1;
}

__attribute__((noinline)) void catches()
{
    try {
        raise_at(2);
    } catch (int) {
        after();
    }
    sink = sink + 1;
}

__attribute__((noinline)) void rethrows()
{
    try {
        raise_at(0);
    } catch (int) {
        sink = sink + 1;
        throw;
    }
}

int main()
{
    for (int i = 0; i < 50; i++) {
        catches();
    }
    for (int i = 0; i < 10; i++) {
        try {
            rethrows();
        } catch (int) {
            after();
        }
    }
    return 0;
}
