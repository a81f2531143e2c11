/*
 * prompts.h -- the menu where nothing can be drawn: numbered rows, and answers a line each.
 *
 * Context: tool, the main thread.
 */
#ifndef THAG_AN_PROMPTS_H
#define THAG_AN_PROMPTS_H

#include <stdio.h>

#include "analyzer/menu/front.h"

/* Ended by its close(); the streams stay the caller's. */
struct an_front *an_prompts_open(FILE *in, FILE *out);

/*
 * What an answer asks for: numbers and ranges of rows as they were numbered, "1 3 5-9".
 * Calls MARK with each number, which is 1..COUNT.
 * Result: false if ANSWER is anything else; MARK was not called then.
 */
bool an_prompts_numbers(const char *answer, uint32_t count, void (*mark)(void *, uint32_t),
                        void *context);

#endif
