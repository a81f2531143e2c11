/* 2000 temporary blocks of 8 to 16 kB, each freed before the next one. */
#include <stdlib.h>

int main(void)
{
    unsigned state = 1;
    for (int i = 0; i < 2000; i++) {
        state = state * 1103515245u + 12345u;
        char *block = malloc(8192 + (state >> 16) % 8193);
        *(volatile char *)block = 1;
        free(block);
    }
    return 0;
}
