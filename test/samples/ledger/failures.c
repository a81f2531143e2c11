/* Requests that fail are no allocations, and leave what they were given alone. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    volatile size_t huge = SIZE_MAX / 2;
    void *block = malloc(500);
    int failed = malloc(huge) == NULL;
    failed += calloc(huge, 4) == NULL;
    failed += realloc(block, huge) == NULL;
    failed += reallocarray(block, huge, 16) == NULL && errno == ENOMEM;
    void *aligned = NULL;
    failed += posix_memalign(&aligned, 3, 100) == EINVAL;
    failed += posix_memalign(&aligned, 64, huge) == ENOMEM;
    block = realloc(block, 700);
    free(block);
    return failed == 6 ? 0 : 1;
}
