/*
 * plugin.c -- built several times over with another COUNT, BYTES, ROOM and function name, into
 * libraries of the same shape: loaded one after another they get the same addresses, instruction by
 * instruction. Only the sizes of their frames are not the same.
 */
#include <stdlib.h>
#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

void plugin_run(void **ret_blocks);
void plugin_free(void **blocks, int count);

__attribute__((noinline)) static void JOIN(work_of_, NAME)(void **ret_blocks)
{
    char room[ROOM];
    __asm__ volatile("" : : "r"(room) : "memory");
    for (int i = 0; i < COUNT; i++) {
        ret_blocks[i] = malloc(BYTES);
    }
}

void plugin_run(void **ret_blocks)
{
    JOIN(work_of_, NAME)(ret_blocks);
    __asm__ volatile("");
}

void plugin_free(void **blocks, int count)
{
    for (int i = 0; i < count; i++) {
        free(blocks[i]);
    }
}
