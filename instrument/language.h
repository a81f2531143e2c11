/*
 * language.h -- is it C or C++? Context: tool.
 */
#ifndef THAG_IN_LANGUAGE_H
#define THAG_IN_LANGUAGE_H

#include <stdbool.h>
#include <stdint.h>

enum in_language { IN_LANGUAGE_GUESS, IN_LANGUAGE_C, IN_LANGUAGE_CPLUSPLUS };

/*
 * True if the source has what only C++ has: one sure sign, or two that C code has at times.
 *
 * The name of the file has no say: what is piped in has none, and headers of both are called .h.
 */
bool in_language_is_cplusplus(const char *text, uint32_t bytes);

#endif
