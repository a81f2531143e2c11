/*
 * request.h -- THAG_PROFILER as a command writes it for a program.
 *
 *   THAG_PROFILER=[type][,[output_dir][,[debug_level][,[memory_detail][,key=value...]]]]
 *
 * The recorder has the last word on values; what is known here is what a command line can be told
 * at once. A contract test keeps the words the same as the recorder's.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_REQUEST_H
#define THAG_AN_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/support/fault.h"

/* The legal types, a blank between two. */
extern const char an_request_types[];

struct an_request_key {
    const char *name;
    const char *words; /* the legal ones, a blank between two; NULL: a number, path or name */
};

/* All keys; ends with a NULL name. */
extern const struct an_request_key an_request_keys[];

/*
 * Check KEY=VALUE as far as it can be.
 * Result:   0; -EINVAL with FAULT naming what is legal.
 */
int an_request_check_key(const char *pair, struct an_fault *fault);

/* What a command was asked for. */
struct an_request {
    const char *type;      /* NULL: as inherited, both where that says nothing */
    const char *directory; /* NULL: as inherited */
    bool detail;           /* false: as inherited */
    const char *const *key;
    size_t key_count;
};

/*
 * The value of THAG_PROFILER for a program.
 *
 * Inputs:   INHERITED is the variable's value so far, NULL if it is not set. What REQUEST asks for
 *           replaces its parts; keys come behind its keys, where they win.
 * Result:   0, and RET_VALUE, freed by free(); -EINVAL with FAULT for a directory that the variable
 *           cannot hold (a comma ends a part); -errno if the current directory has no name.
 */
int an_request_write(const struct an_request *request, const char *inherited, char **ret_value,
                     struct an_fault *fault);

/* The directory that the recorder makes of VALUE, freed by free(): "." if it names none. */
char *an_request_directory(const char *value);

/* True if the type in VALUE is "none", which records nothing. */
bool an_request_is_off(const char *value);

/* True if VALUE asks for WHAT, "time" or "memory", alone or with others. */
bool an_request_wants(const char *value, const char *what);

/* False if VALUE says that recordings stay as they are at the end. */
bool an_request_resolves(const char *value);

#endif
