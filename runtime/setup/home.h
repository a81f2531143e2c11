/*
 * home.h -- home directories, for paths that begin with a ~.
 *
 * libc's getpwnam() allocates and loads libraries, in a program that has not begun yet. So the
 * lines of /etc/passwd are read here; users that only a directory service knows are not found.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_HOME_H
#define THAG_RT_HOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/setup/environment.h"
#include "runtime/setup/text.h"

/* Not terminated. No bytes: whoever runs the program, whose number is NUMBER. */
struct rt_user {
    const char *name;
    size_t name_bytes;
    uint32_t number;
};

/*
 * Add the user's home directory to TEXT: of whoever runs the program the variable HOME, where it is
 * set, else what /etc/passwd has.
 * Result:   false: it is not known, TEXT is as before.
 */
bool rt_home_add(const struct rt_environment *environment, struct rt_user user,
                 struct rt_text *text);

/* The same of the lines of such a file alone. */
bool rt_home_add_of_lines(const char *lines, size_t bytes, struct rt_user user,
                          struct rt_text *text);

#endif
