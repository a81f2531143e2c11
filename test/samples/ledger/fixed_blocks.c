/* 1000 blocks of 1024 bytes, kept, then freed in order. */
#include <stdlib.h>

static void *block[1000];

int main(void)
{
    for (int i = 0; i < 1000; i++) {
        block[i] = malloc(1024);
    }
    for (int i = 0; i < 1000; i++) {
        free(block[i]);
    }
    return 0;
}
