/*
 * header.c -- what an opening brace belongs to, told from the declaration before it.
 */
#include "instrument/header.h"

#include <string.h>

#include "instrument/group.h"
#include "instrument/reasons.h"

/* The walk over a declaration. Indexes of items; -1: not seen so far. */
struct header_walk {
    const struct in_lexer *source;
    const struct in_item *items;
    int count, at;
    int parameters; /* the list of parameters, as far as can be told */
    int name;       /* of the function; -1: INNER has it */
    struct in_token inner;
    bool typed;          /* a type stands before the name */
    bool fresh;          /* a word that begins declarations was seen behind the parameters */
    unsigned type_words; /* types and names since the start or the last parameters */
    int class_at, enum_at;
    bool arrow, colon;
    struct in_header header;
};

static bool header_sign_is(const struct header_walk *walk, int at, uint8_t sign)
{
    return at >= 0 && at < walk->count && walk->items[at].sign == sign;
}

static bool header_word_is(const struct header_walk *walk, int at, enum in_word word)
{
    return header_sign_is(walk, at, IN_SIGN_WORD) && walk->items[at].word == word;
}

/* The > that closes the < at AT, or AT if there is none. */
static int header_angle_end(const struct in_item *items, int count, int at)
{
    int depth = 0;
    for (int end = at; end < count; end++) {
        if (items[end].sign == '<')
            depth++;
        else if (items[end].sign == '>' && --depth == 0)
            return end;
    }
    return at;
}

/* Leave out [[attributes]], which may stand anywhere. */
static uint32_t header_drop_attributes(const struct in_lexer *source, struct in_item *items,
                                       uint32_t count, uint16_t *ret_reasons)
{
    uint32_t kept = 0;
    *ret_reasons = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].sign == '[' && in_group_first_sign(source, &items[i]) == '[')
            *ret_reasons |= in_group_attributes(source, &items[i]);
        else
            items[kept++] = items[i];
    }
    return kept;
}

/* A requires-expression: "requires {", or "requires (...) {" where an expression may begin. */
static bool header_ends_in_requires(const struct header_walk *walk)
{
    int last = walk->count - 1;
    if (header_word_is(walk, last, IN_WORD_REQUIRES))
        return true;
    if (!header_sign_is(walk, last, '(') || !header_word_is(walk, last - 1, IN_WORD_REQUIRES))
        return false;
    int before = last - 2;
    return header_word_is(walk, before, IN_WORD_REQUIRES) || header_sign_is(walk, before, '=') ||
           header_sign_is(walk, before, '!') || header_sign_is(walk, before, IN_SIGN_AND) ||
           header_sign_is(walk, before, IN_SIGN_OPERATOR);
}

/* The parentheses at AT are the parameters of the function whose name is the item NAME. */
static void header_accept(struct header_walk *walk, int name, int at, bool typed)
{
    walk->parameters = at;
    walk->name = name;
    walk->typed = typed;
    walk->fresh = false;
    walk->type_words = 0;
}

/* Likewise, with the name inside the parentheses at GROUP. False: there is none. */
static bool header_accept_inner(struct header_walk *walk, int group, int at)
{
    if (!in_group_declared_name(walk->source, &walk->items[group], &walk->inner))
        return false;
    header_accept(walk, -1, at, true);
    return true;
}

/*
 * There are parameters already; are those at AT, behind another name, the true ones? With a type
 * before the first name what follows is an attribute macro, unless it begins a declaration of its
 * own. Without one the first was a macro that stands for a type or an attribute.
 */
static bool header_is_better(const struct header_walk *walk, int at)
{
    const struct in_item *first = &walk->items[walk->parameters], *second = &walk->items[at];
    enum in_parameters first_are = in_group_parameters(walk->source, first);
    enum in_parameters second_are = in_group_parameters(walk->source, second);
    if (walk->typed)
        return (walk->fresh && walk->type_words > 1) ||
               (first_are == IN_PARAMETERS_NEVER && second_are != IN_PARAMETERS_NEVER);
    return first_are != IN_PARAMETERS_SURE || second_are == IN_PARAMETERS_SURE ||
           walk->type_words > 1;
}

/* "name (". */
static void header_named_parentheses(struct header_walk *walk, int name, int at)
{
    /* "class EXPORT(x) name". */
    if (walk->class_at >= 0 && walk->class_at == name - 1 &&
        header_sign_is(walk, at + 1, IN_SIGN_WORD))
        return;
    if (walk->parameters < 0 || header_is_better(walk, at))
        header_accept(walk, name, at, walk->type_words > 1);
}

/* "( ... )" where no name can be: a declarator in parentheses, if others follow. */
static void header_declarator(struct header_walk *walk)
{
    int group = walk->at;
    if (walk->parameters >= 0)
        return;
    if (header_sign_is(walk, group + 1, '(')) {
        walk->at++;
        if (!header_accept_inner(walk, group, walk->at))
            header_accept(walk, -1, walk->at, true);
    } else if (group > 0 && header_accept_inner(walk, group, group)) {
        struct in_lexer ahead = *walk->source;
        ahead.at = walk->inner.end;
        ahead.line_start = false;
        /* "(B)" may be an expression, "(f(int))" is not. */
        if (in_lexer_next_code(&ahead).sign != '(')
            walk->parameters = -1;
    }
}

/* "( ) (": a function that returns a pointer to one, a name in parentheses, or MACRO(x)(args). */
static void header_second_parentheses(struct header_walk *walk)
{
    int group = walk->at - 1;
    if (walk->parameters < 0)
        header_declarator(walk); /* behind "typeof(...)" */
    if (walk->parameters != group)
        return;
    uint8_t first = in_group_first_sign(walk->source, &walk->items[group]);
    bool pointer = first == '*' || first == '&' || first == '^';
    if ((pointer || !walk->typed) && header_accept_inner(walk, group, walk->at))
        return;
    walk->parameters = walk->at;
}

/* Result of this and the next: true if the kind is decided. */
static bool header_parentheses(struct header_walk *walk)
{
    int before = walk->at - 1;
    if (header_sign_is(walk, before, '(')) {
        header_second_parentheses(walk);
        return false;
    }
    if (!header_sign_is(walk, before, IN_SIGN_WORD)) {
        if (before < 0 || strchr("*&N>", walk->items[before].sign))
            header_declarator(walk);
        return false;
    }
    switch (walk->items[before].word) {
    case IN_WORD_CONTROL:
    case IN_WORD_CATCH:
    case IN_WORD_ELSE:
        walk->header.kind = IN_HEADER_CODE;
        return true;
    case IN_WORD_TYPE:
    case IN_WORD_STORAGE:
        header_declarator(walk);
        return false;
    case IN_WORD_QUALIFIER:
        if (walk->parameters < 0 && header_sign_is(walk, walk->at + 1, '('))
            header_declarator(walk);
        return false;
    case IN_WORD_TRY:
    case IN_WORD_STATEMENT:
        return false;
    default:
        if (in_word_is_name(walk->items[before].word))
            header_named_parentheses(walk, before, walk->at);
        return false;
    }
}

/* All up to the parameters is the name: "operator std::string", "operator()". */
static void header_operator(struct header_walk *walk)
{
    int end = walk->at + 1;
    if (header_sign_is(walk, end, '('))
        end++;
    while (end < walk->count && !header_sign_is(walk, end, '(')) {
        if (header_sign_is(walk, end, '<'))
            end = header_angle_end(walk->items, walk->count, end);
        end++;
    }
    if (end < walk->count) {
        header_accept(walk, walk->at, end, true);
        walk->header.is_operator = true;
    }
    walk->at = end;
}

/* name<...>, which may be a function's name. */
static void header_angle(struct header_walk *walk)
{
    int name = walk->at - 1;
    int end = header_angle_end(walk->items, walk->count, walk->at);
    if (!walk->source->cplusplus || !header_sign_is(walk, name, IN_SIGN_WORD) || end == walk->at)
        return;
    walk->at = end;
    if (header_sign_is(walk, end + 1, '(') && walk->parameters < 0 && walk->class_at < 0) {
        walk->at++;
        header_accept(walk, name, end + 1, walk->type_words > 1);
    }
}

static bool header_word(struct header_walk *walk)
{
    int at = walk->at;
    bool parentheses = header_sign_is(walk, at + 1, '(');
    switch (walk->items[at].word) {
    case IN_WORD_NAMESPACE:
        walk->header.kind = IN_HEADER_NAMESPACE;
        return true;
    case IN_WORD_EXTERN:
        if (header_sign_is(walk, at + 1, IN_SIGN_STRING))
            walk->at++;
        walk->fresh = true;
        walk->header.kind =
            walk->at > at && at + 2 == walk->count ? IN_HEADER_LINKAGE : IN_HEADER_OTHER;
        return walk->header.kind == IN_HEADER_LINKAGE;
    case IN_WORD_EXPORT:
        walk->header.kind = walk->count == 1 ? IN_HEADER_LINKAGE : IN_HEADER_OTHER;
        return walk->count == 1;
    case IN_WORD_TEMPLATE:
        if (header_sign_is(walk, at + 1, '<'))
            walk->at = header_angle_end(walk->items, walk->count, at + 1);
        return false;
    case IN_WORD_OPERATOR:
        header_operator(walk);
        return false;
    case IN_WORD_TYPEOF:
        walk->type_words++;
        walk->at += parentheses;
        return false;
    case IN_WORD_ASM:
        walk->at += parentheses;
        return !parentheses && walk->parameters < 0;
    case IN_WORD_ATTRIBUTE:
    case IN_WORD_SPECIFIER:
    case IN_WORD_REQUIRES:
        walk->at += parentheses;
        return false;
    case IN_WORD_CLASS:
        /* An "enum class" is no class. */
        if (!header_word_is(walk, at - 1, IN_WORD_ENUM))
            walk->class_at = at;
        return false;
    case IN_WORD_ENUM:
        walk->enum_at = at;
        return false;
    case IN_WORD_TYPE:
        walk->fresh = true;
        walk->type_words++;
        return false;
    case IN_WORD_STORAGE:
        walk->fresh = true;
        return false;
    default:
        walk->type_words += in_word_is_name(walk->items[at].word);
        return false;
    }
}

/* Result: true if the walk is over. */
static bool header_step(struct header_walk *walk)
{
    switch (walk->items[walk->at].sign) {
    case IN_SIGN_WORD:
        return header_word(walk);
    case '(':
        return header_parentheses(walk);
    case '<':
        header_angle(walk);
        return false;
    case '=':
        walk->parameters = walk->class_at = -1;
        return true;
    case ',':
        /* Of several declarators none has a body; elements of a list may be macros. */
        walk->parameters = -1;
        walk->type_words = 0;
        return false;
    case IN_SIGN_ARROW:
        walk->arrow = walk->parameters >= 0;
        return walk->arrow;
    case ':':
        walk->colon = walk->parameters >= 0;
        return walk->colon || walk->class_at >= 0 || walk->enum_at >= 0;
    default:
        return false;
    }
}

/* The last item of a member's name before the brace that initialises it. */
static bool header_is_member_initialiser(const struct header_walk *walk)
{
    int last = walk->count - 1;
    return walk->colon &&
           (header_sign_is(walk, last, '>') || header_sign_is(walk, last, IN_SIGN_WORD));
}

static void header_name(struct header_walk *walk)
{
    struct in_header *header = &walk->header;
    int name = walk->name, first = 0;
    if (name < 0) {
        header->name_start = walk->inner.start;
        header->name_end = walk->inner.end;
        return;
    }
    header->name_start = walk->items[name].start;
    header->name_end =
        header->is_operator ? walk->items[walk->parameters - 1].end : walk->items[name].end;
    if (header_sign_is(walk, name - 1, '~'))
        header->name_start = walk->items[--name].start;
    header->qualified = header_sign_is(walk, name - 1, IN_SIGN_SCOPE);
    while (header_word_is(walk, first, IN_WORD_STORAGE))
        first++;
    header->bare = name == first;
}

static void header_conclude(struct header_walk *walk)
{
    struct in_header *header = &walk->header;
    int parameters = walk->parameters;
    header->kind = IN_HEADER_OTHER;
    if (parameters >= 0 && !walk->arrow &&
        (walk->class_at > parameters || walk->enum_at > parameters)) {
        if (walk->class_at > walk->enum_at)
            header->kind = IN_HEADER_CLASS;
    } else if (parameters >= 0) {
        if (header_is_member_initialiser(walk))
            return;
        header->kind = IN_HEADER_FUNCTION;
        header->enumerator_type = walk->enum_at >= 0;
        header_name(walk);
        uint32_t end = walk->at < walk->count ? (uint32_t)walk->at : (uint32_t)walk->count;
        header->reasons |= in_header_reasons(walk->source, walk->items, end,
                                             walk->name < 0 ? end : (uint32_t)walk->name);
    } else if (walk->class_at >= 0 && walk->class_at > walk->enum_at) {
        header->kind = IN_HEADER_CLASS;
    }
}

struct in_header in_header_read(const struct in_lexer *source, struct in_item *items,
                                uint32_t count)
{
    struct header_walk walk = {.source = source,
                               .items = items,
                               .parameters = -1,
                               .name = -1,
                               .class_at = -1,
                               .enum_at = -1};
    walk.count = (int)header_drop_attributes(source, items, count, &walk.header.reasons);
    if (walk.count == 0 || header_ends_in_requires(&walk))
        return walk.header;
    for (; walk.at < walk.count; walk.at++) {
        if (header_step(&walk))
            break;
    }
    if (walk.header.kind == IN_HEADER_OTHER)
        header_conclude(&walk);
    return walk.header;
}
