/*
 * group.c -- a look into a pair of brackets that an item of a declaration stands for.
 */
#include "instrument/group.h"

#include <string.h>

#include "instrument/reasons.h"

struct in_lexer in_group_inside(const struct in_lexer *source, const struct in_item *group)
{
    struct in_lexer inside = *source;
    inside.at = group->start;
    inside.line_start = false;
    in_lexer_next(&inside);
    return inside;
}

/* The next token inside, false at the closing bracket. */
static bool group_next(struct in_lexer *inside, const struct in_item *group,
                       struct in_token *ret_token)
{
    *ret_token = in_lexer_next_code(inside);
    return ret_token->sign != IN_SIGN_END && ret_token->end < group->end;
}

uint8_t in_group_first_sign(const struct in_lexer *source, const struct in_item *group)
{
    struct in_lexer inside = in_group_inside(source, group);
    return in_lexer_next_code(&inside).sign;
}

bool in_group_is_name_list(const struct in_lexer *source, const struct in_item *group,
                           uint32_t *ret_count)
{
    struct in_lexer inside = in_group_inside(source, group);
    struct in_token token;
    uint32_t count = 0;
    bool name_next = true;
    while (group_next(&inside, group, &token)) {
        bool is_name = token.sign == IN_SIGN_WORD && in_word_is_name(token.word);
        if (name_next ? !is_name : token.sign != ',')
            return false;
        count += name_next;
        name_next = !name_next;
    }
    *ret_count = count;
    return count > 0 && !name_next;
}

bool in_group_declared_name(const struct in_lexer *source, const struct in_item *group,
                            struct in_token *ret_name)
{
    struct in_lexer inside = in_group_inside(source, group);
    struct in_token token;
    while (group_next(&inside, group, &token)) {
        struct in_lexer ahead = inside;
        if (token.sign != IN_SIGN_WORD || !in_word_is_name(token.word))
            continue;
        uint8_t behind = in_lexer_next_code(&ahead).sign;
        if (behind == '(' || behind == ')' || behind == '[') {
            *ret_name = token;
            return true;
        }
    }
    return false;
}

/* What one token inside parentheses, behind BEFORE, says about them. */
static enum in_parameters group_judge(const struct in_token *token, const struct in_token *before)
{
    bool name = token->sign == IN_SIGN_WORD && in_word_is_name(token->word);
    if (token->sign == IN_SIGN_WORD && !name)
        return token->word >= IN_WORD_REQUIRES ? IN_PARAMETERS_NEVER : IN_PARAMETERS_SURE;
    /* "type name", "type *name", and the dots at the end of a list. */
    if (name && before->sign == IN_SIGN_WORD)
        return IN_PARAMETERS_SURE;
    if (token->sign == '.' && (before->sign == '.' || before->sign == ','))
        return IN_PARAMETERS_SURE;
    if (token->sign == IN_SIGN_NUMBER || token->sign == IN_SIGN_STRING ||
        token->sign == IN_SIGN_CHARACTER)
        return IN_PARAMETERS_NEVER;
    return IN_PARAMETERS_MAYBE;
}

enum in_parameters in_group_parameters(const struct in_lexer *source, const struct in_item *group)
{
    struct in_lexer inside = in_group_inside(source, group);
    struct in_token token, before = {.sign = ','};
    unsigned depth = 0;
    bool empty = true, in_default = false;
    while (group_next(&inside, group, &token)) {
        empty = false;
        if (strchr("([{", token.sign))
            depth++;
        else if (strchr(")]}", token.sign))
            depth -= depth > 0;
        else if (depth == 0 && (token.sign == '=' || token.sign == ','))
            in_default = token.sign == '=';
        if (depth == 0 && !in_default) {
            enum in_parameters says = group_judge(&token, &before);
            if (says != IN_PARAMETERS_MAYBE)
                return says;
        }
        before = token;
    }
    return empty ? IN_PARAMETERS_SURE : IN_PARAMETERS_MAYBE;
}

uint16_t in_group_attributes(const struct in_lexer *source, const struct in_item *group)
{
    struct in_lexer inside = in_group_inside(source, group);
    struct in_token token;
    uint16_t reasons = 0;
    while (group_next(&inside, group, &token)) {
        if (token.sign != IN_SIGN_WORD)
            continue;
        if (token.word == IN_WORD_NAKED)
            reasons |= IN_REASON_NAKED;
        else if (token.word == IN_WORD_NO_INSTRUMENT)
            reasons |= IN_REASON_NO_INSTRUMENT;
        else if (token.word == IN_WORD_INTERRUPT || token.word == IN_WORD_SIGNAL)
            reasons |= IN_REASON_INTERRUPT;
    }
    return reasons;
}
