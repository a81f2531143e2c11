/*
 * environment.h -- arguments, variables and auxiliary values as the kernel laid them out.
 *
 * The first allocation may come before libc has set `environ`. The kernel's own block is found from
 * the loader's __libc_stack_end, without libc and without /proc.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_ENVIRONMENT_H
#define THAG_RT_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

struct rt_environment {
    size_t argument_count;
    char *const *arguments;
    char *const *variables;         /* ends in NULL */
    const unsigned long *auxiliary; /* pairs, ends in AT_NULL; NULL: not found */
};

/* Empty lists where the block cannot be made out. */
void rt_environment_find(struct rt_environment *ret_environment);

/* The value of a variable, NULL if it is not set. Lifetime: the process's, as long as the program
 * leaves its first environment alone. */
const char *rt_environment_get(const struct rt_environment *environment, const char *name);

/* An auxiliary value, 0 if it is not there. */
unsigned long rt_environment_auxiliary(const struct rt_environment *environment,
                                       unsigned long type);

#endif
