/* Every function of the family that dhat knows, with sizes that it books as we do. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static void *kept[16];

int main(void)
{
    kept[0] = malloc(10);
    kept[1] = calloc(3, 20);
    kept[2] = realloc(NULL, 30);
    kept[3] = reallocarray(NULL, 4, 10);
    kept[4] = aligned_alloc(64, 128);
    kept[5] = memalign(256, 100);
    kept[6] = valloc(200);
    if (posix_memalign(&kept[7], 4096, 300) != 0) {
        return 1;
    }
    kept[8] = strdup("twenty-one characters");
    for (int i = 0; i < 9; i += 2) {
        free(kept[i]);
    }
    free(NULL);
    return 0;
}
