/*
 * functions.h -- what is to be done with each function that was found.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_FUNCTIONS_H
#define THAG_IN_FUNCTIONS_H

#include "instrument/scan.h"

enum in_action {
    IN_ACTION_NONE, /* it is no function */
    IN_ACTION_ANNOTATE,
    IN_ACTION_ENABLE, /* it is main */
    IN_ACTION_ALREADY,
    IN_ACTION_SKIP,
};

/* Add to each function's reasons what its name says, and what was noted of its name elsewhere. */
void in_functions_settle(struct in_scan *scan);

/* Of a function of a settled scan. */
enum in_action in_functions_action(const struct in_scan *scan, const struct in_function *function);

/* The word for the first of a function's reasons, as in "naked"; "" if there is none. */
const char *in_functions_reason_word(uint16_t reasons);

/* The reason for a person, as in "its guard would ...". */
const char *in_functions_reason_text(uint16_t reasons);

/*
 * A function's name as one writes it: without line splices, operators without blanks.
 * Result:   "?" if it could not be told. Lifetime: freed by free().
 */
char *in_functions_name(const struct in_scan *scan, const struct in_function *function);

#endif
