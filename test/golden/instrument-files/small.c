#include <stdio.h>

static int twice(int x)
{
    return 2 * x;
}

__attribute__((naked)) void bare(void) { __asm__("ret"); }

int main(void)
{
    printf("%d\n", twice(21));
    return 0;
}
