/*
 * preload.h -- libthagpreload.so: where it is, how a program is told of it, what its loader says.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_PRELOAD_H
#define THAG_AN_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/launch/program.h"

#define AN_PRELOAD_NAME "libthagpreload.so"

/*
 * The library: beside this program, where it lies in a build tree, where it is installed.
 * Result: its absolute path, freed by free(); NULL if it is in none of these places.
 */
char *an_preload_find(void);

/* The places, one a line, freed by free(): for a message. */
char *an_preload_places(void);

/* True if LD_PRELOAD can hold PATH: blanks and colons separate its entries. */
bool an_preload_can_name(const char *path);

/*
 * The value of LD_PRELOAD, freed by free(). INHERITED (NULL: not set) is kept behind LIBRARY, whose
 * hooks must be the first ones; if it names the library already it stays as it is.
 */
char *an_preload_list(const char *library, const char *inherited);

/* What a program's loader says it would load. */
struct an_loading {
    bool was_asked; /* false: the loader could not be asked, the rest is empty */
    bool is_listed; /* the library is there */
    char *refusal;  /* owned; the line that names the library in a complaint; NULL: none */
    char **path;    /* owned; the libraries that were found, ours included */
    size_t count;
};

/*
 * Have the loader of PROGRAM list what it would load with LD_PRELOAD=LIST. No code of the program
 * or its libraries runs.
 *
 * Inputs:   PROGRAM is for glibc and this machine.
 * Result:   released by an_loading_release().
 */
void an_loading_ask(const struct an_program *program, const char *list,
                    struct an_loading *ret_loading);
void an_loading_release(struct an_loading *loading);

#endif
