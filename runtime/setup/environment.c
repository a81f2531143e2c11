/*
 * environment.c -- see the header.
 */
#include "runtime/setup/environment.h"

#include <elf.h>

#include "runtime/os/os.h"

/* The loader stores the address of argc here; argv, the variables and the auxiliary vector follow.
 */
extern void *__libc_stack_end __attribute__((weak));

enum { ARGUMENTS_MAX = 1 << 22 };

void rt_environment_find(struct rt_environment *ret_environment)
{
    static char *const none[] = {NULL};
    *ret_environment = (struct rt_environment){NULL, 0, none, NULL};
    const uintptr_t *block = &__libc_stack_end ? __libc_stack_end : NULL;
    if (!block || block[0] > ARGUMENTS_MAX || block[1 + block[0]] != 0) {
        return;
    }
    char *const *arguments = (char *const *)(block + 1);
    if (block[0]) { /* the kernel put them side by side */
        const char *last = arguments[block[0] - 1];
        ret_environment->arguments = arguments[0];
        ret_environment->argument_bytes = (size_t)(last - arguments[0]) + __builtin_strlen(last);
    }
    ret_environment->variables = (char *const *)(block + 1 + block[0] + 1);
    char *const *variable = ret_environment->variables;
    while (*variable) {
        variable++;
    }
    ret_environment->auxiliary = (const unsigned long *)(variable + 1);
}

void rt_environment_keep(struct rt_environment *environment)
{
    char *const *theirs = environment->variables;
    size_t count = 0, bytes = 0;
    for (; theirs[count]; count++) {
        bytes += __builtin_strlen(theirs[count]) + 1;
    }
    char **kept = os_memory_map((count + 1) * sizeof *kept + bytes);
    if (!kept) {
        return;
    }
    char *text = (char *)(kept + count + 1);
    for (size_t i = 0; i < count; i++) {
        size_t length = __builtin_strlen(theirs[i]) + 1;
        kept[i] = __builtin_memcpy(text, theirs[i], length);
        text += length;
    }
    environment->variables = kept;
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
