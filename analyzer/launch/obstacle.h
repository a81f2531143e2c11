/*
 * obstacle.h -- why the recorder will not see a program, in one line that says what to do.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_OBSTACLE_H
#define THAG_AN_OBSTACLE_H

#include <stdbool.h>

#include "analyzer/launch/preload.h"
#include "analyzer/launch/program.h"

struct an_obstacle {
    bool is_there;     /* false: the program can be recorded */
    bool keep_preload; /* it does no harm, and programs that this one starts may be recorded */
    char text[1024];   /* "is linked statically, ...": goes after the program's name */
};

/*
 * Look for what stands in the way of recording PROGRAM.
 *
 * Inputs:   LIST is the LD_PRELOAD that it would get.
 * Result:   RET_OBSTACLE. RET_LOADING has what the loader said, if it came to that; it is released
 *           by an_loading_release() in any case.
 */
void an_obstacle_find(const struct an_program *program, const char *list,
                      struct an_obstacle *ret_obstacle, struct an_loading *ret_loading);

#endif
