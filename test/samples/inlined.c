/*
 * inlined.c -- a chain of inlined functions that knows what a resolver has to say about it.
 *
 * Prints a line per place: the return address in the file's own numbering, then function and line
 * of each level, the physical function first. Built with -O2 and in several flavours of DWARF.
 */
#include <link.h>
#include <stdint.h>
#include <stdio.h>

static uintptr_t bias;
static int line_inner, line_middle, line_outer;

static int remember_bias(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    bias = info->dlpi_addr;
    return 1; /* the first one is the program */
}

__attribute__((noinline, noclone)) static void place(const char *physical)
{
    uintptr_t address = (uintptr_t)__builtin_return_address(0) - bias;
    printf("%#lx %s %d middle_step %d inner_step %d\n", (unsigned long)address, physical,
           line_outer, line_middle, line_inner);
}

static inline __attribute__((always_inline)) void inner_step(const char *physical)
{
    line_inner = __LINE__ + 1;
    place(physical);
    __asm__ volatile("" ::: "memory"); /* no tail call */
}

static inline __attribute__((always_inline)) void middle_step(const char *physical)
{
    line_middle = __LINE__ + 1;
    inner_step(physical);
}

void outer_function(const char *physical);

__attribute__((noinline, noclone)) void outer_function(const char *physical)
{
    line_outer = __LINE__ + 1;
    middle_step(physical);
}

__attribute__((noinline, noclone)) static void hidden_function(const char *physical)
{
    line_outer = __LINE__ + 1;
    middle_step(physical);
}

int main(void)
{
    dl_iterate_phdr(remember_bias, NULL);
    outer_function("outer_function");
    hidden_function("hidden_function");
    return 0;
}
