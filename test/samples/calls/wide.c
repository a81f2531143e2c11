/*
 * A function with many children, each of which has them again: more than fit beside the node.
 *
 * check wide
 */
static volatile int sink;

#define LEAF(n)                                                                                    \
    __attribute__((noinline)) void leaf_##n(void)                                                  \
    {                                                                                              \
        sink += n;                                                                                 \
    }
#define TEN(f, t) f(t##0) f(t##1) f(t##2) f(t##3) f(t##4) f(t##5) f(t##6) f(t##7) f(t##8) f(t##9)
#define ALL(f)    TEN(f, 1) TEN(f, 2) TEN(f, 3) TEN(f, 4) TEN(f, 5) TEN(f, 6) TEN(f, 7) TEN(f, 8)
ALL(LEAF)

#define CALL(n) leaf_##n();
__attribute__((noinline)) void all_leaves(void)
{
    ALL(CALL)
    sink++;
}

#define BRANCH(n)                                                                                  \
    __attribute__((noinline)) void branch_##n(void)                                                \
    {                                                                                              \
        all_leaves();                                                                              \
        sink += n;                                                                                 \
    }
ALL(BRANCH)

#define GO(n) branch_##n();
int main(void)
{
    for (int i = 0; i < 5; i++) {
        ALL(GO)
    }
    return 0;
}
