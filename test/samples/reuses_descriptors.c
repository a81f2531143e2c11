/*
 * reuses_descriptors.c -- closes every descriptor it has, then takes all of them for its own files
 * and writes to them while it allocates. Prints nothing: 0, 1 and 2 are files of its own.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILES = 60, BLOCKS = 600 };

int main(void)
{
    static void *kept[BLOCKS];
    closefrom(0);
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "user-%03d", i);
        if (open(name, O_RDWR | O_CREAT | O_EXCL, 0600) != i) {
            return 1;
        }
    }
    for (int i = 0; i < BLOCKS; i++) {
        kept[i] = malloc((size_t)i);
        dprintf(i % FILES, "line %d\n", i);
    }
    for (int i = 0; i < BLOCKS; i++) {
        free(kept[i]);
    }
    return 0;
}
