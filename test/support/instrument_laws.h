/*
 * instrument_laws.h -- what must be true of the instrumenter for every text.
 */
#ifndef THAG_TEST_INSTRUMENT_LAWS_H
#define THAG_TEST_INSTRUMENT_LAWS_H

#include <stddef.h>
#include <stdint.h>

#include "instrument/language.h"

struct instrument_laws {
    const char *broken; /* the law that does not hold, NULL if all do */
    uint32_t functions;
    uint32_t errors; /* brackets that do not fit */
};

/*
 * With i for marking and u for taking marks back: i(i(x)) = i(x), u(i(x)) = u(x), u(u(x)) = u(x),
 * and u(x) = x if x does not speak of the macros; so that u(i(x)) = x then.
 *
 * Inputs:   TEXT[BYTES] is a NUL that is not part of the text.
 */
struct instrument_laws instrument_laws_check(const char *text, size_t bytes,
                                             enum in_language language);

#endif
