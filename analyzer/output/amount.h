/*
 * amount.h -- amounts and shares as text, in integer arithmetic.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_AMOUNT_H
#define THAG_AN_AMOUNT_H

#include <stdint.h>

#include "analyzer/model/value.h"

#define AN_AMOUNT_MAX 48

/*
 * For people: "12.3 MiB", "4.56 ms", "1 234 567" for counts. AMOUNT is SCALE times the true number.
 * Three digits, all of a whole number; halves are rounded up.
 */
void an_amount_text(uint64_t amount, uint64_t scale, enum an_unit unit,
                    char ret_text[AN_AMOUNT_MAX]);

/* For programs: AMOUNT / SCALE exactly, "12.5". SCALE is a power of ten. */
void an_amount_exact(uint64_t amount, uint64_t scale, char ret_text[AN_AMOUNT_MAX]);

/* "12.3%" with one digit behind the point, "100%", "–" if WHOLE is 0. */
void an_share_text(uint64_t part, uint64_t whole, char ret_text[AN_AMOUNT_MAX]);

#endif
