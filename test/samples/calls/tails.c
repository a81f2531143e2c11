/*
 * Tail calls, and hooks that are called in place of a return.
 *
 * expect main 1
 * expect main;first 30
 * expect main;first;second 30
 * expect main;first;second;third 30
 * expect main;first;second;third;helper 60
 * expect main;even 10
 * expect main;even;odd 10
 * expect main;even;odd;even 10
 * expect main;even;odd;even;odd 10
 */
static volatile int sink;

__attribute__((noinline)) void helper(void)
{
    sink++;
}

__attribute__((noinline)) int third(int x)
{
    helper();
    helper();
    return x * 3;
}

__attribute__((noinline)) int second(int x)
{
    return third(x + 1);
}

__attribute__((noinline)) int first(int x)
{
    return second(x + 1);
}

int odd(int n);

__attribute__((noinline)) int even(int n)
{
    return n ? odd(n - 1) : 1;
}

__attribute__((noinline)) int odd(int n)
{
    return n ? even(n - 1) : 0;
}

int main(void)
{
    for (int i = 0; i < 30; i++) {
        sink += first(i);
    }
    for (int i = 0; i < 10; i++) {
        sink += even(3);
    }
    return 0;
}
