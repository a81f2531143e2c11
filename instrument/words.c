/*
 * words.c -- the words that the instrumenter knows.
 */
#include "instrument/words.h"

#include <stdint.h>
#include <string.h>

struct words_row {
    const char *text;
    uint8_t word;
    bool cplusplus; /* a plain name in C */
};

static const struct words_row words_rows[] = {
    {"struct", IN_WORD_CLASS, false},
    {"class", IN_WORD_CLASS, true},
    {"union", IN_WORD_CLASS, false},
    {"__interface", IN_WORD_CLASS, true},
    {"enum", IN_WORD_ENUM, false},
    {"namespace", IN_WORD_NAMESPACE, true},
    {"extern", IN_WORD_EXTERN, false},
    {"export", IN_WORD_EXPORT, true},
    {"template", IN_WORD_TEMPLATE, true},
    {"operator", IN_WORD_OPERATOR, true},
    {"__attribute__", IN_WORD_ATTRIBUTE, false},
    {"__attribute", IN_WORD_ATTRIBUTE, false},
    {"__declspec", IN_WORD_ATTRIBUTE, false},
    {"alignas", IN_WORD_SPECIFIER, false},
    {"_Alignas", IN_WORD_SPECIFIER, false},
    {"_Pragma", IN_WORD_SPECIFIER, false},
    {"__pragma", IN_WORD_SPECIFIER, false},
    {"explicit", IN_WORD_SPECIFIER, true},
    {"noexcept", IN_WORD_SPECIFIER, true},
    {"throw", IN_WORD_SPECIFIER, true},
    {"decltype", IN_WORD_TYPEOF, true},
    {"typeof", IN_WORD_TYPEOF, false},
    {"__typeof__", IN_WORD_TYPEOF, false},
    {"__typeof", IN_WORD_TYPEOF, false},
    {"typeof_unqual", IN_WORD_TYPEOF, false},
    {"_BitInt", IN_WORD_TYPEOF, false},
    {"_Atomic", IN_WORD_TYPEOF, false},
    {"void", IN_WORD_TYPE, false},
    {"char", IN_WORD_TYPE, false},
    {"short", IN_WORD_TYPE, false},
    {"int", IN_WORD_TYPE, false},
    {"long", IN_WORD_TYPE, false},
    {"float", IN_WORD_TYPE, false},
    {"double", IN_WORD_TYPE, false},
    {"signed", IN_WORD_TYPE, false},
    {"unsigned", IN_WORD_TYPE, false},
    {"_Bool", IN_WORD_TYPE, false},
    {"static", IN_WORD_STORAGE, false},
    {"inline", IN_WORD_STORAGE, false},
    {"__inline", IN_WORD_STORAGE, false},
    {"__inline__", IN_WORD_STORAGE, false},
    {"__forceinline", IN_WORD_STORAGE, false},
    {"__extension__", IN_WORD_STORAGE, false},
    {"_Noreturn", IN_WORD_STORAGE, false},
    {"register", IN_WORD_STORAGE, false},
    {"thread_local", IN_WORD_STORAGE, true},
    {"virtual", IN_WORD_STORAGE, true},
    {"friend", IN_WORD_STORAGE, true},
    {"const", IN_WORD_QUALIFIER, false},
    {"volatile", IN_WORD_QUALIFIER, false},
    {"override", IN_WORD_QUALIFIER, true},
    {"final", IN_WORD_QUALIFIER, true},
    {"mutable", IN_WORD_QUALIFIER, true},
    {"typedef", IN_WORD_TYPEDEF, false},
    {"constexpr", IN_WORD_CONSTEXPR, false},
    {"consteval", IN_WORD_CONSTEXPR, true},
    {"asm", IN_WORD_ASM, false},
    {"__asm", IN_WORD_ASM, false},
    {"__asm__", IN_WORD_ASM, false},
    {"requires", IN_WORD_REQUIRES, true},
    {"try", IN_WORD_TRY, true},
    {"catch", IN_WORD_CATCH, true},
    {"else", IN_WORD_ELSE, false},
    {"if", IN_WORD_CONTROL, false},
    {"for", IN_WORD_CONTROL, false},
    {"while", IN_WORD_CONTROL, false},
    {"switch", IN_WORD_CONTROL, false},
    {"do", IN_WORD_CONTROL, false},
    {"return", IN_WORD_STATEMENT, false},
    {"goto", IN_WORD_STATEMENT, false},
    {"case", IN_WORD_STATEMENT, false},
    {"default", IN_WORD_STATEMENT, false},
    {"break", IN_WORD_STATEMENT, false},
    {"continue", IN_WORD_STATEMENT, false},
    {"sizeof", IN_WORD_STATEMENT, false},
    {"new", IN_WORD_STATEMENT, true},
    {"delete", IN_WORD_STATEMENT, true},
    {"co_await", IN_WORD_COROUTINE, true},
    {"co_return", IN_WORD_COROUTINE, true},
    {"co_yield", IN_WORD_COROUTINE, true},

    {"THAG_PROFILED", IN_WORD_MARK, false},
    {"THAG_ENABLE_PROFILING", IN_WORD_MARK, false},
    {"THAG_PROFILED_IF", IN_WORD_CONDITIONAL_MARK, false},
    {"naked", IN_WORD_NAKED, false},
    {"__naked__", IN_WORD_NAKED, false},
    {"no_instrument_function", IN_WORD_NO_INSTRUMENT, false},
    {"__no_instrument_function__", IN_WORD_NO_INSTRUMENT, false},
    {"interrupt", IN_WORD_INTERRUPT, false},
    {"__interrupt__", IN_WORD_INTERRUPT, false},
    {"interrupt_handler", IN_WORD_INTERRUPT, false},
    {"signal", IN_WORD_SIGNAL, false},
    {"bsd_signal", IN_WORD_SIGNAL, false},
    {"sysv_signal", IN_WORD_SIGNAL, false},
    {"ifunc", IN_WORD_IFUNC, false},
    {"__ifunc__", IN_WORD_IFUNC, false},
    {"__naked", IN_WORD_BARE_NAKED, false},
    {"notrace", IN_WORD_BARE_NO_INSTRUMENT, false},
    {"noinstr", IN_WORD_BARE_NO_INSTRUMENT, false},
    {"__interrupt", IN_WORD_BARE_INTERRUPT, false},
    {"__irq", IN_WORD_BARE_INTERRUPT, false},
    {"__global__", IN_WORD_GPU, false},
    {"__device__", IN_WORD_GPU, false},
    {"__kernel", IN_WORD_GPU, false},
    {"musttail", IN_WORD_MUSTTAIL, false},
    {"__musttail__", IN_WORD_MUSTTAIL, false},
    {"sa_handler", IN_WORD_HANDLER_FIELD, false},
    {"sa_sigaction", IN_WORD_HANDLER_FIELD, false},
    {"static_cast", IN_WORD_CPLUSPLUS, true},
    {"const_cast", IN_WORD_CPLUSPLUS, true},
    {"dynamic_cast", IN_WORD_CPLUSPLUS, true},
    {"reinterpret_cast", IN_WORD_CPLUSPLUS, true},
    {"nullptr_t", IN_WORD_CPLUSPLUS, true},
    {"public", IN_WORD_ACCESS, true},
};

#define WORDS_COUNT   (sizeof(words_rows) / sizeof(words_rows[0]))
#define WORDS_BUCKETS 512
#define WORDS_LONGEST 26

/* A bucket holds a row's number and 1; 0 ends a search. */
static uint8_t words_buckets[WORDS_BUCKETS];
_Static_assert(WORDS_COUNT < 255 && WORDS_COUNT * 3 < WORDS_BUCKETS, "the buckets are too few");

/* The ends and the length of a word tell most words apart. */
static unsigned words_hash(const char *text, size_t bytes)
{
    unsigned first = (unsigned char)text[0], last = (unsigned char)text[bytes - 1];
    unsigned second = (unsigned char)text[bytes > 2 ? 2 : 0];
    return (first * 7 + second * 61 + last * 131 + (unsigned)bytes * 19) % WORDS_BUCKETS;
}

__attribute__((constructor)) static void words_fill_buckets(void)
{
    for (size_t row = 0; row < WORDS_COUNT; row++) {
        unsigned at = words_hash(words_rows[row].text, strlen(words_rows[row].text));
        while (words_buckets[at])
            at = (at + 1) % WORDS_BUCKETS;
        words_buckets[at] = (uint8_t)(row + 1);
    }
}

enum in_word in_word_find(const char *text, size_t bytes, bool cplusplus)
{
    if (bytes < 2 || bytes > WORDS_LONGEST)
        return IN_WORD_NONE;
    for (unsigned at = words_hash(text, bytes); words_buckets[at]; at = (at + 1) % WORDS_BUCKETS) {
        const struct words_row *row = &words_rows[words_buckets[at] - 1];
        if (strncmp(row->text, text, bytes) == 0 && row->text[bytes] == '\0')
            return row->cplusplus && !cplusplus ? IN_WORD_NONE : (enum in_word)row->word;
    }
    return IN_WORD_NONE;
}
