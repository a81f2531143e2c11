/*
 * trivia.h -- where comments, literals and logical lines end.
 *
 * Of all functions: TEXT[BYTES] is a NUL that is not part of the source, AT <= BYTES, and the
 * result is an offset of at most BYTES. Context: tool.
 */
#ifndef THAG_IN_TRIVIA_H
#define THAG_IN_TRIVIA_H

#include <stdbool.h>
#include <stdint.h>

/* The length of a line splice at AT (a backslash, blanks, the end of the line), or 0. */
uint32_t in_trivia_splice(const char *text, uint32_t bytes, uint32_t at);

/* Behind the block comment that begins at AT; the end of the source if it does not close. */
uint32_t in_trivia_block_end(const char *text, uint32_t bytes, uint32_t at);

/* At the newline that ends the logical line of AT, or at the end of the source. */
uint32_t in_trivia_line_end(const char *text, uint32_t bytes, uint32_t at);

/* Behind the literal whose opening quote is at AT, or AT if it does not close on its line. */
uint32_t in_trivia_quoted_end(const char *text, uint32_t bytes, uint32_t at);

/* Behind the raw string whose opening quote is at AT, or AT if it is none or does not close. */
uint32_t in_trivia_raw_end(const char *text, uint32_t bytes, uint32_t at);

/* What a byte may be, a set. */
enum in_byte {
    IN_BYTE_NAME = 1, /* letters, digits, the underscore, the dollar and whatever is not ASCII */
    IN_BYTE_DIGIT = 2,
    IN_BYTE_BLANK = 4,       /* but a newline */
    IN_BYTE_PUNCTUATION = 8, /* a token of its own */
    IN_BYTE_PAIR = 16,       /* may be a token with the next byte */
};

extern const uint8_t in_trivia_bytes[256];

static inline bool in_trivia_is(char byte, enum in_byte what)
{
    return in_trivia_bytes[(unsigned char)byte] & what;
}

/* Behind a byte-order mark at the start of the source, and a line that begins with #!. */
uint32_t in_trivia_script_end(const char *text, uint32_t bytes);

/* Behind the newline that ends the line of AT, as an editor counts lines; or BYTES. */
uint32_t in_trivia_next_line(const char *text, uint32_t bytes, uint32_t at);

#endif
