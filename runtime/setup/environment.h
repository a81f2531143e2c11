/*
 * environment.h -- arguments, variables and auxiliary values as the kernel laid them out.
 *
 * The first allocation may come before libc has set `environ`. The kernel's own block is found from
 * the loader's __libc_stack_end, without libc and without /proc.
 *
 * The block is the program's: it may write another title over its arguments, take entries out of
 * the lists, or put addresses there that are gone later. Set-up runs again in forked children and
 * at the end, so the variables are copied at the start, and of the arguments it keeps the place.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_ENVIRONMENT_H
#define THAG_RT_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

struct rt_environment {
    const char *arguments;          /* NUL separated, as the kernel shows them; NULL: none */
    size_t argument_bytes;          /* the last NUL not counted */
    char *const *variables;         /* ends in NULL */
    const unsigned long *auxiliary; /* pairs, ends in AT_NULL; NULL: not found */
};

/* Empty lists where the block cannot be made out. */
void rt_environment_find(struct rt_environment *ret_environment);

/* Have ENVIRONMENT's variables copied into memory that is never given back. Where there is none
 * they stay the program's. */
void rt_environment_keep(struct rt_environment *environment);

/* The value of a variable, NULL if it is not set. Lifetime: the process's once it is kept. */
const char *rt_environment_get(const struct rt_environment *environment, const char *name);

/* An auxiliary value, 0 if it is not there. */
unsigned long rt_environment_auxiliary(const struct rt_environment *environment,
                                       unsigned long type);

#endif
