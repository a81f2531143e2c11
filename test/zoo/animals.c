/*
 * animals.c -- the C half of the zoo's program.
 *
 * Prints a line per place: "call" or "rare", the address of the call in the file's own numbering,
 * then each level as "name (file:line)", the physical function first. Names that compilers choose
 * differently are separated by "|".
 */
#define _GNU_SOURCE
#include "animals.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct {
    const char *name, *file;
    int line;
} told[8];

static uintptr_t bias;

static int remember_bias(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    bias = info->dlpi_addr;
    return 1; /* the first one is the program */
}

NEVER_INLINED void tell(int level, const char *name, const char *file, int line)
{
    const char *slash = strrchr(file, '/');
    told[level].name = name;
    told[level].file = slash == NULL ? file : slash + 1;
    told[level].line = line;
}

static void print(const char *kind, void *after, int count)
{
    printf("%s\t%#lx", kind, (unsigned long)((uintptr_t)after - 1 - bias));
    for (int i = 0; i < count; i++)
        printf("\t%s (%s:%d)", told[i].name, told[i].file, told[i].line);
    putchar('\n');
}

NEVER_INLINED void place(int count)
{
    print("call", __builtin_return_address(0), count);
}

NEVER_INLINED void rare_place(int level, const char *name, const char *file, int line)
{
    tell(level, name, file, line);
    print("rare", __builtin_return_address(0), level + 1);
}

static ALWAYS_INLINED void inner_step(void)
{
    CALL(2, "inner_step", place(3));
}

static ALWAYS_INLINED void middle_step(void)
{
    CALL(1, "middle_step", inner_step());
}

void outer_function(void);
NEVER_INLINED void outer_function(void)
{
    CALL(0, "outer_function", middle_step());
}

NEVER_INLINED static void hidden_function(void)
{
    CALL(0, "hidden_function", middle_step());
}

static ALWAYS_INLINED void rare_step(void)
{
    rare_place(1, "rare_step", __FILE__, __LINE__);
    __asm__ volatile("" ::: "memory");
}

/* What seldom runs is put elsewhere, as "has_a_cold_part.cold". */
void has_a_cold_part(int rare);
NEVER_INLINED void has_a_cold_part(int rare)
{
    tell(0, "has_a_cold_part", __FILE__, __LINE__ + 2);
    if (__builtin_expect(rare, 0))
        rare_step();
    else
        CALL(0, "has_a_cold_part", place(1));
}

/* Nobody calls it: a linker may drop it, and leave its debug data. */
void is_dropped(void);
NEVER_INLINED void is_dropped(void)
{
    for (int i = 0; i < 1000; i++)
        CALL(0, "is_dropped", middle_step());
}

void animals_in_c(int rare)
{
    outer_function();
    hidden_function();
    has_a_cold_part(rare);
    has_a_cold_part(!rare);
}

int main(int argc, char **argv)
{
    (void)argv;
    dl_iterate_phdr(remember_bias, NULL);
    animals_in_c(argc > 1);
    animals_in_cxx(argc > 1);
    return 0;
}
