/*
 * words.h -- the words that the instrumenter knows.
 *
 * Those before IN_WORD_NAMES have a part in the grammar. The others are names like any other, which
 * mean something in one place only: "naked" inside an attribute, "signal" before a parenthesis.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_WORDS_H
#define THAG_IN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum in_word {
    IN_WORD_NONE, /* a name that is not in the table */

    IN_WORD_CLASS, /* struct, class, union */
    IN_WORD_ENUM,
    IN_WORD_NAMESPACE,
    IN_WORD_EXTERN,
    IN_WORD_EXPORT,
    IN_WORD_TEMPLATE,
    IN_WORD_OPERATOR,
    IN_WORD_ATTRIBUTE, /* __attribute__ and __declspec */
    IN_WORD_SPECIFIER, /* may have parentheses that hold no parameters: alignas, noexcept, throw */
    IN_WORD_TYPEOF,    /* a type made of what is in its parentheses */
    IN_WORD_TYPE,      /* int, void, ... */
    IN_WORD_STORAGE,   /* static, inline, ...: says nothing about a type */
    IN_WORD_QUALIFIER, /* may also stand behind a parameter list */
    IN_WORD_TYPEDEF,
    IN_WORD_CONSTEXPR,
    IN_WORD_ASM,
    IN_WORD_REQUIRES,
    IN_WORD_TRY,
    IN_WORD_CATCH,
    IN_WORD_ELSE,
    IN_WORD_CONTROL,   /* if, for, while, switch, do */
    IN_WORD_STATEMENT, /* return, case, ... */
    IN_WORD_COROUTINE, /* co_await, co_return, co_yield */

    IN_WORD_NAMES,
    IN_WORD_MARK = IN_WORD_NAMES, /* THAG_PROFILED, THAG_ENABLE_PROFILING */
    IN_WORD_CONDITIONAL_MARK,     /* THAG_PROFILED_IF */
    IN_WORD_NAKED,                /* in an attribute, as the next four */
    IN_WORD_NO_INSTRUMENT,
    IN_WORD_INTERRUPT,
    IN_WORD_SIGNAL, /* also a function that installs a handler */
    IN_WORD_IFUNC,
    IN_WORD_BARE_NAKED, /* outside attributes, as the next three */
    IN_WORD_BARE_NO_INSTRUMENT,
    IN_WORD_BARE_INTERRUPT,
    IN_WORD_GPU,
    IN_WORD_MUSTTAIL,
    IN_WORD_HANDLER_FIELD, /* sa_handler, sa_sigaction */
    IN_WORD_CPLUSPLUS,     /* seldom seen in C: virtual, static_cast, ... */
    IN_WORD_ACCESS,        /* public */
};

/*
 * Inputs:   TEXT, BYTES: an identifier. CPLUSPLUS: false makes the words of C++ alone plain names.
 */
enum in_word in_word_find(const char *text, size_t bytes, bool cplusplus);

/* True if a function may be called so. */
static inline bool in_word_is_name(enum in_word word)
{
    return word == IN_WORD_NONE || word >= IN_WORD_NAMES;
}

#endif
