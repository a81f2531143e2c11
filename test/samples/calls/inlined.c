/*
 * Inlined functions keep their hooks: children of the function that they were inlined into, and
 * siblings when they follow each other.
 *
 * expect main 1
 * expect main;outer 20
 * expect main;outer;left 20
 * expect main;outer;left;inner 40
 * expect main;outer;right 60
 * expect main;outer;right;inner 60
 * expect main;outer;plain 20
 * expect main;outer;plain;inner 20
 * expect main;outer;room 20
 * expect main;outer;room;plain 20
 * expect main;outer;room;plain;inner 20
 */
static volatile int sink;

static inline __attribute__((always_inline)) void inner(int x)
{
    sink += x;
}

static inline __attribute__((always_inline)) void left(int x)
{
    inner(x);
    inner(x + 1);
}

static inline __attribute__((always_inline)) void right(int x)
{
    inner(x);
}

__attribute__((noinline)) void plain(int x)
{
    inner(x);
    sink++;
}

__attribute__((noinline)) void room(int x)
{
    volatile char *memory = __builtin_alloca((unsigned)x * 16 + 64);
    memory[0] = (char)x;
    plain(memory[0]);
    sink++;
}

__attribute__((noinline)) void outer(int x)
{
    left(x);
    for (int i = 0; i < 3; i++) {
        right(i);
    }
    plain(x);
    room(x);
    sink++;
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        outer(i);
    }
    return 0;
}
