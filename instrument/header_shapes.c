/*
 * header_shapes.c -- what can be told from a declaration's outline alone, and what it forbids.
 */
#include <string.h>
#include <strings.h>

#include "instrument/group.h"
#include "instrument/header.h"
#include "instrument/reasons.h"

/* constexpr, consteval, and macros that are called after them. */
static bool header_speaks_of_constexpr(const char *word, size_t bytes, bool shouting)
{
    const size_t length = strlen("constexpr");
    for (size_t at = 0; at + length <= bytes; at++) {
        bool found = shouting ? memcmp(word + at, "CONSTEXPR", length) == 0 ||
                                    memcmp(word + at, "CONSTEVAL", length) == 0
                              : strncasecmp(word + at, "constexpr", length) == 0 ||
                                    strncasecmp(word + at, "consteval", length) == 0;
        if (found)
            return true;
    }
    return false;
}

/* A word outside parentheses. A function may be called is_constexpr, a macro is written in
 * capitals. */
static uint16_t header_word_reasons(const struct in_lexer *source, const struct in_item *item,
                                    bool is_name)
{
    switch (item->word) {
    case IN_WORD_CONSTEXPR:
        return IN_REASON_CONSTEXPR;
    case IN_WORD_BARE_NAKED:
        return is_name ? 0 : IN_REASON_NAKED;
    case IN_WORD_BARE_NO_INSTRUMENT:
        return is_name ? 0 : IN_REASON_NO_INSTRUMENT;
    case IN_WORD_BARE_INTERRUPT:
        return is_name ? 0 : IN_REASON_INTERRUPT;
    case IN_WORD_GPU:
        return IN_REASON_GPU;
    case IN_WORD_NONE:
        return header_speaks_of_constexpr(source->text + item->start, item->end - item->start,
                                          is_name)
                   ? IN_REASON_CONSTEXPR
                   : 0;
    default:
        return 0;
    }
}

uint16_t in_header_reasons(const struct in_lexer *source, const struct in_item *items,
                           uint32_t count, uint32_t name)
{
    uint16_t reasons = 0;
    unsigned angles = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool next_is_group = i + 1 < count && items[i + 1].sign == '(';
        if (items[i].word == IN_WORD_TEMPLATE && i + 1 < count && items[i + 1].sign == '<')
            angles = 1, i++;
        else if (angles > 0)
            angles += (unsigned)(items[i].sign == '<') - (unsigned)(items[i].sign == '>');
        else if (items[i].sign == '[' && in_group_first_sign(source, &items[i]) == '[')
            reasons |= in_group_attributes(source, &items[i]);
        else if (items[i].sign == IN_SIGN_WORD && items[i].word == IN_WORD_ATTRIBUTE)
            reasons |= next_is_group ? in_group_attributes(source, &items[i + 1]) : 0;
        else if (items[i].sign == IN_SIGN_WORD)
            reasons |= header_word_reasons(source, &items[i], i == name);
    }
    return reasons;
}

bool in_header_is_local_class(const struct in_item *items, uint32_t count)
{
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t word = items[i].sign == IN_SIGN_WORD ? items[i].word : IN_WORD_NONE;
        uint8_t before = i > 0 ? items[i - 1].word : IN_WORD_NONE;
        if (items[i].sign == '=' || word == IN_WORD_CONTROL || word == IN_WORD_STATEMENT ||
            word == IN_WORD_COROUTINE)
            return false;
        if (items[i].sign == '(' && before != IN_WORD_ATTRIBUTE && before != IN_WORD_SPECIFIER)
            return false;
        found = found || word == IN_WORD_CLASS;
    }
    return found;
}

/* Types, names and what qualifies them: how a declaration in a body begins. */
static bool header_may_begin(const struct in_item *item)
{
    if (item->sign == '*')
        return true;
    return item->sign == IN_SIGN_WORD &&
           (in_word_is_name(item->word) || item->word == IN_WORD_CLASS ||
            item->word == IN_WORD_ENUM || item->word == IN_WORD_TYPE ||
            item->word == IN_WORD_STORAGE || item->word == IN_WORD_QUALIFIER);
}

/* Behind the attribute at AT, or AT if there is none. */
static uint32_t header_skip_attribute(const struct in_item *items, uint32_t count, uint32_t at)
{
    bool attribute = at + 1 < count && items[at].word == IN_WORD_ATTRIBUTE &&
                     items[at].sign == IN_SIGN_WORD && items[at + 1].sign == '(';
    return attribute ? at + 2 : at;
}

bool in_header_is_nested_function(const struct in_item *items, uint32_t count, uint32_t *ret_name)
{
    uint32_t at = 0, words = 0;
    while (at < count && items[at].sign != '(') {
        uint32_t behind = header_skip_attribute(items, count, at);
        if (behind == at && !header_may_begin(&items[at]))
            return false;
        words += behind == at && items[at].sign == IN_SIGN_WORD;
        at = behind > at ? behind : at + 1;
    }
    if (at >= count || words < 2 || items[at - 1].sign != IN_SIGN_WORD ||
        !in_word_is_name(items[at - 1].word))
        return false;
    *ret_name = at - 1;
    for (at++; at < count;) {
        uint32_t behind = header_skip_attribute(items, count, at);
        if (behind == at)
            return false;
        at = behind;
    }
    return true;
}

bool in_header_is_old_style(const struct in_lexer *source, const struct in_item *items,
                            uint32_t count, uint32_t *ret_name, uint32_t *ret_left)
{
    if (count < 4 || items[0].sign != IN_SIGN_WORD || items[0].word == IN_WORD_TYPEDEF)
        return false;
    for (uint32_t i = 1; i + 2 < count; i++) {
        uint32_t names;
        if (items[i].sign == '(' && items[i - 1].sign == IN_SIGN_WORD &&
            in_word_is_name(items[i - 1].word) && items[i + 1].sign == IN_SIGN_WORD &&
            items[i + 1].word != IN_WORD_ATTRIBUTE && items[i + 1].word != IN_WORD_ASM &&
            in_group_is_name_list(source, &items[i], &names)) {
            *ret_name = i - 1;
            *ret_left = names - 1;
            return true;
        }
    }
    return false;
}
