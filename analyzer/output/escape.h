/*
 * escape.h -- text of unknown origin, made safe to stand inside a page.
 *
 * Names come from the profiled program, which may be hostile. What passes through here is valid
 * UTF-8 without control characters, whatever the bytes were:
 *   - C0 controls and DEL become their pictures (U+2400 + n, U+2421);
 *   - invalid UTF-8, C1 controls, non-characters and marks that reorder text become U+FFFD;
 *   - the rest stays.
 *
 * Context of all functions: tool. Write errors stay in OUT, see ferror().
 */
#ifndef THAG_AN_ESCAPE_H
#define THAG_AN_ESCAPE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define AN_TEXT_BAD 0xFFFDu

/*
 * The safe code point at the start of TEXT, which holds BYTES bytes, at least 1.
 * Result: the number of bytes it stands for, 1..4.
 */
size_t an_escape_next(const char *text, size_t bytes, uint32_t *ret_code);

/* The UTF-8 form of CODE. Result: its length, 1..4. */
size_t an_escape_encode(uint32_t code, char ret_utf8[4]);

/* As element content or a quoted attribute of XML and HTML. */
void an_escape_xml(FILE *out, const char *text, size_t bytes);

/*
 * As a JSON string with its quotes. `<`, `>` and `&` are written as \u escapes: the result can
 * stand in a script element of HTML and of XML, and can end neither the element nor a CDATA
 * section.
 */
void an_escape_json(FILE *out, const char *text, size_t bytes);

#endif
