/*
 * environment.c -- see the header.
 */
#include "runtime/setup/environment.h"

#include <elf.h>

/* The loader stores the address of argc here; argv, the variables and the auxiliary vector follow.
 */
extern void *__libc_stack_end __attribute__((weak));

enum { ARGUMENTS_MAX = 1 << 22 };

void rt_environment_find(struct rt_environment *ret_environment)
{
    static char *const none[] = {NULL};
    *ret_environment = (struct rt_environment){0, none, none, NULL};
    const uintptr_t *block = &__libc_stack_end ? __libc_stack_end : NULL;
    if (!block || block[0] > ARGUMENTS_MAX || block[1 + block[0]] != 0) {
        return;
    }
    ret_environment->argument_count = block[0];
    ret_environment->arguments = (char *const *)(block + 1);
    ret_environment->variables = (char *const *)(block + 1 + block[0] + 1);
    char *const *variable = ret_environment->variables;
    while (*variable) {
        variable++;
    }
    ret_environment->auxiliary = (const unsigned long *)(variable + 1);
}

const char *rt_environment_get(const struct rt_environment *environment, const char *name)
{
    size_t bytes = __builtin_strlen(name);
    for (char *const *variable = environment->variables; *variable; variable++) {
        if (__builtin_strncmp(*variable, name, bytes) == 0 && (*variable)[bytes] == '=') {
            return *variable + bytes + 1;
        }
    }
    return NULL;
}

unsigned long rt_environment_auxiliary(const struct rt_environment *environment, unsigned long type)
{
    for (const unsigned long *pair = environment->auxiliary; pair && pair[0] != AT_NULL;
         pair += 2) {
        if (pair[0] == type) {
            return pair[1];
        }
    }
    return 0;
}
