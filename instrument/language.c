/*
 * language.c -- is it C or C++?
 */
#include "instrument/language.h"

#include <string.h>

#include "instrument/lexer.h"
#include "instrument/trivia.h"

#define SURE  2
#define MAYBE 1

/* "#include <name>": the headers of C have a dot. */
static bool language_is_include(const struct in_lexer *lexer, const struct in_token *token)
{
    const char *name = memchr(lexer->text + token->start, '<', token->end - token->start);
    if (token->directive != IN_DIRECTIVE_INCLUDE || !name)
        return false;
    do
        name++;
    while (in_trivia_is(*name, IN_BYTE_NAME));
    return *name == '>' && name[-1] != '<';
}

static unsigned language_of_operator(struct in_lexer ahead, const struct in_token *next)
{
    uint8_t behind = in_lexer_next(&ahead).sign;
    bool overloads = next->sign != IN_SIGN_END && strchr("=EA+-*/[<>!&N|^%~", next->sign);
    return overloads && (behind == '(' || behind == ']') ? SURE : 0;
}

/* How much the word says, with what is behind it. */
static unsigned language_of_word(struct in_lexer ahead, const struct in_token *token)
{
    const struct in_lexer here = ahead;
    struct in_token next;
    switch (token->word) {
    case IN_WORD_NAMESPACE:
        next = in_lexer_next(&ahead);
        return next.sign == IN_SIGN_WORD || next.sign == '{' ? SURE : 0;
    case IN_WORD_TEMPLATE:
        return in_lexer_next(&ahead).sign == '<' ? SURE : 0;
    case IN_WORD_ACCESS:
        return in_lexer_next(&ahead).sign == ':' ? SURE : 0;
    case IN_WORD_CLASS:
        if (!in_lexer_is(&here, token, "class") || in_lexer_next(&ahead).sign != IN_SIGN_WORD)
            return 0;
        next = in_lexer_next(&ahead);
        return next.sign == '{' || next.sign == ':' ? SURE : 0;
    case IN_WORD_OPERATOR:
        next = in_lexer_next(&ahead);
        return language_of_operator(ahead, &next);
    case IN_WORD_CPLUSPLUS:
    case IN_WORD_COROUTINE:
        return MAYBE;
    case IN_WORD_STORAGE:
        return in_lexer_is(&here, token, "virtual") ? MAYBE : 0;
    case IN_WORD_SPECIFIER:
        return in_lexer_is(&here, token, "noexcept") ? MAYBE : 0;
    case IN_WORD_QUALIFIER:
        return in_lexer_is(&here, token, "mutable") ? MAYBE : 0;
    case IN_WORD_TYPEOF:
        return in_lexer_is(&here, token, "decltype") ? MAYBE : 0;
    default:
        return 0;
    }
}

bool in_language_is_cplusplus(const char *text, uint32_t bytes)
{
    struct in_lexer lexer;
    unsigned signs = 0;
    in_lexer_start(&lexer, text, bytes, true);
    while (signs < SURE) {
        struct in_token token = in_lexer_next(&lexer);
        if (token.sign == IN_SIGN_END)
            return false;
        if (token.sign == IN_SIGN_SCOPE)
            signs += MAYBE;
        else if (token.sign == IN_SIGN_WORD && token.word != IN_WORD_NONE)
            signs += language_of_word(lexer, &token);
        else if (token.sign == IN_SIGN_DIRECTIVE && language_is_include(&lexer, &token))
            signs += SURE;
    }
    return true;
}
