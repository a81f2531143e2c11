/*
 * front.h -- what the menu asks of the terminal. There are two: screen/ draws lists, prompts.c
 * prints numbers and reads lines.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_FRONT_H
#define THAG_AN_FRONT_H

#include "analyzer/menu/job.h"
#include "analyzer/menu/list.h"

enum an_answer {
    AN_ANSWER_BACK,   /* one level up */
    AN_ANSWER_CHOSEN, /* the row under the cursor, the marks, the typed text */
    AN_ANSWER_QUIT,   /* out of the menu: there is no more input */
};

struct an_front {
    const char *place; /* where in the menu, for the heading; the menu's */

    /* Show a list until something is chosen. */
    enum an_answer (*show)(struct an_front *front, struct an_list *list);

    /*
     * Wait for JOB, which was started, and show how far it is; WHAT says what it does.
     * Result: CHOSEN if it is done; BACK if the user gave it up. Who started it drops it.
     */
    enum an_answer (*wait)(struct an_front *front, const char *what, struct an_job *job);

    /* How text for AN_LIST_READ should be made to fit. */
    struct an_table_style (*style)(struct an_front *front);

    /* Give the terminal back as it was, and free the front. */
    void (*close)(struct an_front *front);
};

#endif
