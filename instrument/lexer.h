/*
 * lexer.h -- C and C++ source as a stream of tokens, before any preprocessing.
 *
 * Bytes, no locale: bytes from 0x80 up belong to identifiers. Comments, blanks and line splices are
 * between tokens or inside them; a preprocessing directive is one token up to its logical end of
 * line. A quote that does not close on its line is a token of its own: in prose under "#if 0" it is
 * an apostrophe.
 *
 * Nothing is stored: whoever wants to look at a part of the source again lexes it again. A copy of
 * the lexer looks ahead.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_LEXER_H
#define THAG_IN_LEXER_H

#include <stdbool.h>
#include <stdint.h>

#include "instrument/words.h"

/*
 * What a token is: the character itself for punctuation of one character (digraphs as what they
 * stand for), else one of these.
 */
enum in_sign {
    IN_SIGN_END = 0,
    IN_SIGN_WORD = 'w',
    IN_SIGN_NUMBER = 'n',
    IN_SIGN_STRING = 's',
    IN_SIGN_CHARACTER = 'c',
    IN_SIGN_DIRECTIVE = '#',
    IN_SIGN_ARROW = 'A',    /* -> */
    IN_SIGN_SCOPE = 'S',    /* :: */
    IN_SIGN_AND = 'N',      /* && */
    IN_SIGN_OPERATOR = 'E', /* any other of more than one character */
    IN_SIGN_STRAY = 'X',    /* # or a byte that no token begins with */
};

enum in_directive {
    IN_DIRECTIVE_OTHER,
    IN_DIRECTIVE_IF, /* #if, #ifdef, #ifndef */
    IN_DIRECTIVE_ELIF,
    IN_DIRECTIVE_ELSE,
    IN_DIRECTIVE_ENDIF,
    IN_DIRECTIVE_INCLUDE,
};

/* What is known about the condition of an #if or #elif. */
enum in_condition { IN_CONDITION_OPEN, IN_CONDITION_NEVER, IN_CONDITION_ALWAYS };

struct in_token {
    uint32_t start, end; /* offsets of its first byte, and behind its last */
    uint8_t sign;        /* enum in_sign */
    uint8_t word;        /* enum in_word, of a word */
    uint8_t directive;   /* enum in_directive, of a directive */
    uint8_t condition;   /* enum in_condition, of an #if or #elif */
    bool first_column;   /* begins in the first column of a line */
};

/* Always true: AT <= BYTES, and TEXT[BYTES] is a NUL that is not part of the source. */
struct in_lexer {
    const char *text;
    uint32_t bytes;
    uint32_t at;
    bool line_start; /* nothing but blanks and comments on this line so far */
    bool cplusplus;
};

/* At the first token of a source, behind a byte-order mark and a line that begins with #!. */
void in_lexer_start(struct in_lexer *lexer, const char *text, uint32_t bytes, bool cplusplus);

/* The next token; at the end one with IN_SIGN_END, again and again. */
struct in_token in_lexer_next(struct in_lexer *lexer);

/* The next one that is no directive. */
struct in_token in_lexer_next_code(struct in_lexer *lexer);

/* True if the token is written just as TEXT, without splices. */
bool in_lexer_is(const struct in_lexer *lexer, const struct in_token *token, const char *text);

#endif
