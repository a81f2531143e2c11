/*
 * name_shorten.c -- long readable names without what makes them long.
 */
#include "analyzer/symbols/name_shorten.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

static const char anonymous[] = "(anonymous namespace)";

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The end of an operator's name at AT, "operator<<" or "operator()"; NULL: none is there. */
static const char *operator_end(const char *begin, const char *at)
{
    static const char *const signs[] = {"()", "<=>", "<<=", ">>=", "->*", "<<",
                                        ">>", "<=",  ">=",  "->",  "<",   ">"};
    if (strncmp(at, "operator", 8) != 0 || (at != begin && is_word(at[-1])))
        return NULL;
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (strncmp(at + 8, signs[i], strlen(signs[i])) == 0)
            return at + 8 + strlen(signs[i]);
    }
    return NULL;
}

/* The bracket that closes the one at AT; NULL: none. */
static const char *bracket_end(const char *begin, const char *at)
{
    const char partner = *at == '<' ? '>' : ')';
    size_t depth = 0;
    while (*at != '\0') {
        const char *behind = operator_end(begin, at);
        if (behind != NULL) {
            at = behind;
            continue;
        }
        if (*at == '<' || *at == '(' || *at == '[' || *at == '{')
            depth++;
        /* "->" stands before what a function of Rust returns. */
        bool arrow = *at == '>' && at != begin && at[-1] == '-';
        if (((*at == '>' && !arrow) || *at == ')' || *at == ']' || *at == '}') && --depth == 0)
            return *at == partner ? at : NULL;
        at++;
    }
    return NULL;
}

/* Whether what the bracket at AT holds is to go. */
static bool is_long_part(const char *begin, const char *at)
{
    char before = at == begin ? '\0' : at[-1];
    if (*at == '<')
        return is_word(before) || before == ':'; /* else the type that a name of Rust begins with */
    return *at == '(' && strncmp(at, anonymous, sizeof(anonymous) - 1) != 0 &&
           (is_word(before) || before == '>' || before == ')' || before == '}' ||
            (before != '\0' && strchr("<=-+*/%^&|!~,]", before) != NULL));
}

char *an_name_shorten(const char *name)
{
    size_t bytes = strlen(name);
    char *text = an_memory_array(bytes * 2 + 8, 1), *to = text;
    const char *behind = NULL; /* the last operator */
    for (const char *at = name; *at != '\0';) {
        const char *sign_end = operator_end(name, at);
        if (sign_end != NULL) {
            to = mempcpy(to, at, (size_t)(sign_end - at));
            at = behind = sign_end;
            continue;
        }
        bool bracket = *at == '<' || *at == '(';
        const char *end =
            (bracket && at == behind) || is_long_part(name, at) ? bracket_end(name, at) : NULL;
        if (end == NULL || end == at + 1) {
            *to++ = *at++;
            continue;
        }
        *to++ = *at;
        to = stpcpy(to, "...");
        at = end;
    }
    *to = '\0';
    return text;
}
