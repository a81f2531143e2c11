/*
 * jit.c -- makes two functions at run time, one of which it writes into /tmp/perf-PID.map.
 *
 * Each calls malloc, for 7000 and for 3000 bytes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void *maker(void *(*allocate)(size_t), size_t bytes);

/* push rbp; mov rbp, rsp; mov rax, rdi; mov rdi, rsi; call rax; pop rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8, 0x48,
                                     0x89, 0xf7, 0xff, 0xd0, 0x5d, 0xc3};

static maker *make(unsigned char *at)
{
    maker *function;
    memcpy(at, code, sizeof(code));
    memcpy(&function, &at, sizeof(function));
    return function;
}

int main(void)
{
    unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char path[64];
    if (page == MAP_FAILED)
        return 77;
    maker *named = make(page), *nameless = make(page + 64);
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
    FILE *map = fopen(path, "w");
    if (map == NULL)
        return 77;
    fprintf(map, "%lx %zx LazyCompile:~sells /shop.js:3\n", (unsigned long)(uintptr_t)page,
            sizeof(code));
    fclose(map);
    void *first = named(malloc, 7000), *second = nameless(malloc, 3000);
    printf("%d\n", first != NULL && second != NULL);
    return 0;
}
