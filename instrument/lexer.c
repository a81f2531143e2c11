/*
 * lexer.c -- C and C++ source as a stream of tokens, before any preprocessing.
 */
#include "instrument/lexer.h"

#include <string.h>

#include "instrument/trivia.h"

void in_lexer_start(struct in_lexer *lexer, const char *text, uint32_t bytes, bool cplusplus)
{
    *lexer = (struct in_lexer){text, bytes, in_trivia_script_end(text, bytes), true, cplusplus};
}

/* The length of the comment at AT, or 0. */
static uint32_t lexer_comment(const struct in_lexer *lexer, uint32_t at)
{
    if (lexer->text[at] != '/')
        return 0;
    if (lexer->text[at + 1] == '/')
        return in_trivia_line_end(lexer->text, lexer->bytes, at) - at;
    if (lexer->text[at + 1] == '*')
        return in_trivia_block_end(lexer->text, lexer->bytes, at) - at;
    return 0;
}

static void lexer_skip_blanks(struct in_lexer *lexer)
{
    for (;;) {
        while (in_trivia_is(lexer->text[lexer->at], IN_BYTE_BLANK))
            lexer->at++;
        char byte = lexer->text[lexer->at];
        uint32_t skipped = 0;
        if (byte == '\n') {
            lexer->line_start = true;
            skipped = 1;
        } else if (byte == '/') {
            skipped = lexer_comment(lexer, lexer->at);
        } else if (byte == '\\') {
            skipped = in_trivia_splice(lexer->text, lexer->bytes, lexer->at);
        }
        if (skipped == 0)
            return;
        lexer->at += skipped;
    }
}

/* --- directives --- */

/* The length of the # that a directive begins with, or 0. */
static uint32_t lexer_hash(const char *at)
{
    if (at[0] == '#')
        return 1;
    if (at[0] == '%' && at[1] == ':')
        return 2;
    return at[0] == '?' && at[1] == '?' && at[2] == '=' ? 3 : 0;
}

/* Blanks, splices and comments inside a directive. */
static uint32_t lexer_skip_in_directive(const struct in_lexer *lexer, uint32_t at)
{
    for (;;) {
        uint32_t skipped = in_trivia_splice(lexer->text, lexer->bytes, at);
        if (lexer->text[at] == ' ' || lexer->text[at] == '\t')
            skipped = 1;
        else if (lexer->text[at] == '/' && lexer->text[at + 1] == '*')
            skipped = lexer_comment(lexer, at);
        if (skipped == 0 || at >= lexer->bytes)
            return at;
        at += skipped;
    }
}

static uint32_t lexer_directive_end(const struct in_lexer *lexer, uint32_t at)
{
    while (at < lexer->bytes && lexer->text[at] != '\n') {
        char byte = lexer->text[at];
        uint32_t end = at + 1;
        if (byte == '/') {
            uint32_t comment = lexer_comment(lexer, at);
            end = at + (comment ? comment : 1);
        } else if (byte == '\\') {
            uint32_t splice = in_trivia_splice(lexer->text, lexer->bytes, at);
            end = at + (splice ? splice : 1);
        } else if (byte == '"' || byte == '\'') {
            uint32_t quoted = in_trivia_quoted_end(lexer->text, lexer->bytes, at);
            end = quoted > at ? quoted : end;
        }
        at = end;
    }
    return at;
}

static enum in_directive lexer_directive_kind(const char *name, size_t bytes)
{
    static const struct {
        const char *name;
        enum in_directive kind;
    } kinds[] = {{"if", IN_DIRECTIVE_IF},          {"ifdef", IN_DIRECTIVE_IF},
                 {"ifndef", IN_DIRECTIVE_IF},      {"elif", IN_DIRECTIVE_ELIF},
                 {"elifdef", IN_DIRECTIVE_ELIF},   {"elifndef", IN_DIRECTIVE_ELIF},
                 {"else", IN_DIRECTIVE_ELSE},      {"endif", IN_DIRECTIVE_ENDIF},
                 {"include", IN_DIRECTIVE_INCLUDE}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strlen(kinds[i].name) == bytes && memcmp(kinds[i].name, name, bytes) == 0)
            return kinds[i].kind;
    }
    return IN_DIRECTIVE_OTHER;
}

/* Literal 0 and 1 are decided, and 0 whatever is required besides. */
static enum in_condition lexer_condition(const struct in_lexer *lexer, uint32_t at)
{
    at = lexer_skip_in_directive(lexer, at);
    char value = lexer->text[at];
    if (value != '0' && value != '1')
        return IN_CONDITION_OPEN;
    at = lexer_skip_in_directive(lexer, at + 1);
    char next = lexer->text[at];
    if (at >= lexer->bytes || next == '\n' || next == '\r' || next == '/')
        return value == '0' ? IN_CONDITION_NEVER : IN_CONDITION_ALWAYS;
    return value == '0' && next == '&' && lexer->text[at + 1] == '&' ? IN_CONDITION_NEVER
                                                                     : IN_CONDITION_OPEN;
}

static void lexer_directive(struct in_lexer *lexer, uint32_t hash_bytes, struct in_token *token)
{
    uint32_t name = lexer_skip_in_directive(lexer, lexer->at + hash_bytes);
    uint32_t end = name;
    while (end < lexer->bytes && in_trivia_is(lexer->text[end], IN_BYTE_NAME))
        end++;
    token->sign = IN_SIGN_DIRECTIVE;
    token->directive = lexer_directive_kind(lexer->text + name, end - name);
    /* Not #ifdef and its kin, whose names are longer. */
    if ((token->directive == IN_DIRECTIVE_IF && end - name == strlen("if")) ||
        (token->directive == IN_DIRECTIVE_ELIF && end - name == strlen("elif")))
        token->condition = lexer_condition(lexer, end);
    lexer->at = lexer_directive_end(lexer, end);
}

/* --- words, numbers, literals --- */

static void lexer_literal(struct in_lexer *lexer, uint32_t end, struct in_token *token)
{
    token->sign = lexer->text[end - 1] == '"' ? IN_SIGN_STRING : IN_SIGN_CHARACTER;
    lexer->at = end;
}

/* The prefixes of literals: u8, u, U, L, each with R behind it. */
static bool lexer_is_prefix(const char *word, uint32_t bytes, bool *ret_raw)
{
    *ret_raw = word[bytes - 1] == 'R';
    if (*ret_raw && --bytes == 0)
        return true;
    return (bytes == 1 && strchr("uUL", word[0]) != NULL && word[0] != '\0') ||
           (bytes == 2 && memcmp(word, "u8", 2) == 0);
}

/* If the word before the quote at AT is a prefix: behind the literal, else AT. */
static uint32_t lexer_prefixed_end(const struct in_lexer *lexer, uint32_t start, uint32_t at)
{
    bool raw;
    if (at - start > 3 || !lexer_is_prefix(lexer->text + start, at - start, &raw))
        return at;
    if (!raw)
        return in_trivia_quoted_end(lexer->text, lexer->bytes, at);
    return lexer->text[at] == '"' ? in_trivia_raw_end(lexer->text, lexer->bytes, at) : at;
}

static void lexer_word(struct in_lexer *lexer, struct in_token *token)
{
    const char *text = lexer->text;
    uint32_t at = lexer->at;
    for (;;) {
        while (in_trivia_is(text[at], IN_BYTE_NAME))
            at++;
        uint32_t splice = text[at] == '\\' ? in_trivia_splice(text, lexer->bytes, at) : 0;
        if (splice == 0 || !in_trivia_is(text[at + splice], IN_BYTE_NAME))
            break;
        at += splice;
    }
    if (text[at] == '"' || text[at] == '\'') {
        uint32_t end = lexer_prefixed_end(lexer, token->start, at);
        if (end > at) {
            lexer_literal(lexer, end, token);
            return;
        }
    }
    token->sign = IN_SIGN_WORD;
    token->word = in_word_find(text + token->start, at - token->start, lexer->cplusplus);
    lexer->at = at;
}

/* A preprocessing number: 1'000, 0x1p-3, 1.e+5f. */
static void lexer_number(struct in_lexer *lexer, struct in_token *token)
{
    const char *text = lexer->text;
    uint32_t at = lexer->at + 1;
    for (;; at++) {
        char before = text[at - 1];
        bool sign = (text[at] == '+' || text[at] == '-') &&
                    (before == 'e' || before == 'E' || before == 'p' || before == 'P');
        bool separator = text[at] == '\'' && in_trivia_is(before, IN_BYTE_NAME) &&
                         in_trivia_is(text[at + 1], IN_BYTE_NAME);
        if (!sign && !separator && text[at] != '.' && !in_trivia_is(text[at], IN_BYTE_NAME))
            break;
    }
    token->sign = IN_SIGN_NUMBER;
    lexer->at = at;
}

/* --- punctuation --- */

/* What FIRST and SECOND are together, or 0. THIRD is the byte behind them. */
static uint8_t lexer_pair(char first, char second, char third)
{
    switch (first) {
    case '<':
        if (second == '%')
            return '{';
        /* As in "vector<::name>". */
        if (second == ':')
            return third == ':' ? 0 : '[';
        return second == '<' || second == '=' ? IN_SIGN_OPERATOR : 0;
    case '%':
        return second == '>' ? '}' : second == '=' ? IN_SIGN_OPERATOR : 0;
    case ':':
        return second == '>' ? ']' : second == ':' ? IN_SIGN_SCOPE : 0;
    case '-':
        return second == '>' ? IN_SIGN_ARROW : second == '=' ? IN_SIGN_OPERATOR : 0;
    case '&':
        return second == '&' ? IN_SIGN_AND : second == '=' ? IN_SIGN_OPERATOR : 0;
    case '|':
        return second == '|' || second == '=' ? IN_SIGN_OPERATOR : 0;
    case '=':
    case '!':
    case '>':
    case '+':
    case '*':
    case '/':
    case '^':
        return second == '=' ? IN_SIGN_OPERATOR : 0;
    default:
        return 0;
    }
}

static void lexer_punctuation(struct in_lexer *lexer, struct in_token *token)
{
    const char *text = lexer->text + lexer->at;
    uint8_t pair = 0;
    if (in_trivia_is(text[0], IN_BYTE_PAIR))
        pair = lexer_pair(text[0], text[1], text[1] ? text[2] : '\0');
    if (pair != 0) {
        token->sign = pair;
        lexer->at += text[0] == '<' && text[1] == '=' && text[2] == '>' ? 3 : 2;
    } else {
        token->sign = in_trivia_is(text[0], IN_BYTE_PUNCTUATION) ? (uint8_t)text[0] : IN_SIGN_STRAY;
        lexer->at++;
    }
}

struct in_token in_lexer_next(struct in_lexer *lexer)
{
    lexer_skip_blanks(lexer);
    struct in_token token = {.start = lexer->at, .end = lexer->at, .sign = IN_SIGN_END};
    if (lexer->at >= lexer->bytes)
        return token;
    char byte = lexer->text[lexer->at];
    uint32_t hash = lexer->line_start ? lexer_hash(lexer->text + lexer->at) : 0;
    token.first_column = lexer->at == 0 || lexer->text[lexer->at - 1] == '\n';
    lexer->line_start = false;
    if (hash != 0) {
        lexer_directive(lexer, hash, &token);
    } else if (in_trivia_is(byte, IN_BYTE_DIGIT) ||
               (byte == '.' && in_trivia_is(lexer->text[lexer->at + 1], IN_BYTE_DIGIT))) {
        lexer_number(lexer, &token);
    } else if (in_trivia_is(byte, IN_BYTE_NAME)) {
        lexer_word(lexer, &token);
    } else if (byte == '"' || byte == '\'') {
        uint32_t end = in_trivia_quoted_end(lexer->text, lexer->bytes, lexer->at);
        lexer_literal(lexer, end > lexer->at ? end : lexer->at + 1, &token);
        if (end == token.start)
            token.sign = IN_SIGN_STRAY;
    } else {
        lexer_punctuation(lexer, &token);
    }
    token.end = lexer->at;
    return token;
}

struct in_token in_lexer_next_code(struct in_lexer *lexer)
{
    struct in_token token;
    do
        token = in_lexer_next(lexer);
    while (token.sign == IN_SIGN_DIRECTIVE);
    return token;
}

bool in_lexer_is(const struct in_lexer *lexer, const struct in_token *token, const char *text)
{
    size_t bytes = strlen(text);
    return token->end - token->start == bytes &&
           memcmp(lexer->text + token->start, text, bytes) == 0;
}
