/*
 * trivia.c -- where comments, literals and logical lines end.
 */
#include "instrument/trivia.h"

#include <string.h>

#define RAW_DELIMITER_LONGEST 16

#define NAME  IN_BYTE_NAME
#define DIGIT (IN_BYTE_NAME | IN_BYTE_DIGIT)
#define BLANK IN_BYTE_BLANK
#define ALONE IN_BYTE_PUNCTUATION
#define PAIR  (IN_BYTE_PUNCTUATION | IN_BYTE_PAIR)

const uint8_t in_trivia_bytes[256] = {
    ['a' ... 'z'] = NAME, ['A' ... 'Z'] = NAME, ['0' ... '9'] = DIGIT, [0x80 ... 0xff] = NAME,
    ['_'] = NAME,         ['$'] = NAME,         [' '] = BLANK,         ['\t'] = BLANK,
    ['\r'] = BLANK,       ['\f'] = BLANK,       ['\v'] = BLANK,        ['('] = ALONE,
    [')'] = ALONE,        ['{'] = ALONE,        ['}'] = ALONE,         ['['] = ALONE,
    [']'] = ALONE,        [';'] = ALONE,        [','] = ALONE,         ['~'] = ALONE,
    ['?'] = ALONE,        ['.'] = ALONE,        ['<'] = PAIR,          ['%'] = PAIR,
    [':'] = PAIR,         ['-'] = PAIR,         ['&'] = PAIR,          ['|'] = PAIR,
    ['='] = PAIR,         ['!'] = PAIR,         ['>'] = PAIR,          ['+'] = PAIR,
    ['*'] = PAIR,         ['/'] = PAIR,         ['^'] = PAIR,
};

uint32_t in_trivia_splice(const char *text, uint32_t bytes, uint32_t at)
{
    uint32_t end = at + 1;
    if (text[at] != '\\')
        return 0;
    /* gcc and clang let blanks stand before the end of the line. */
    while (text[end] == ' ' || text[end] == '\t')
        end++;
    if (text[end] == '\r')
        end++;
    return end < bytes && text[end] == '\n' ? end + 1 - at : 0;
}

uint32_t in_trivia_block_end(const char *text, uint32_t bytes, uint32_t at)
{
    for (at += 2; at < bytes; at++) {
        const char *slash = memchr(text + at, '/', bytes - at);
        if (!slash)
            break;
        bool first = slash == text + at;
        at = (uint32_t)(slash - text);
        if (!first && slash[-1] == '*')
            return at + 1;
    }
    return bytes;
}

uint32_t in_trivia_line_end(const char *text, uint32_t bytes, uint32_t at)
{
    while (at < bytes) {
        const char *newline = memchr(text + at, '\n', bytes - at);
        if (!newline)
            break;
        const char *last = newline;
        while (last > text + at && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r'))
            last--;
        if (last == text + at || last[-1] != '\\' ||
            in_trivia_splice(text, bytes, (uint32_t)(last - 1 - text)) == 0)
            return (uint32_t)(newline - text);
        at = (uint32_t)(newline + 1 - text);
    }
    return bytes;
}

uint32_t in_trivia_quoted_end(const char *text, uint32_t bytes, uint32_t at)
{
    char quote = text[at];
    for (uint32_t end = at + 1; end < bytes; end++) {
        if (text[end] == quote)
            return end + 1;
        if (text[end] == '\n')
            return at;
        if (text[end] != '\\')
            continue;
        uint32_t splice = in_trivia_splice(text, bytes, end);
        end += splice ? splice - 1 : end + 1 < bytes;
    }
    return at;
}

uint32_t in_trivia_raw_end(const char *text, uint32_t bytes, uint32_t at)
{
    const char *delimiter = text + at + 1;
    uint32_t length = 0;
    while (length <= RAW_DELIMITER_LONGEST && !strchr(" ()\\\n\"", delimiter[length]))
        length++;
    /* strchr() finds the NUL, too; the source may hold NULs, no delimiter does. */
    if (delimiter[length] != '(' || length > RAW_DELIMITER_LONGEST)
        return at;
    for (uint32_t end = at + 2 + length; end < bytes; end++) {
        const char *close = memchr(text + end, ')', bytes - end);
        if (!close)
            break;
        end = (uint32_t)(close - text);
        if (bytes - end < length + 2)
            break;
        if (memcmp(close + 1, delimiter, length) == 0 && close[1 + length] == '"')
            return end + length + 2;
    }
    return at;
}

uint32_t in_trivia_next_line(const char *text, uint32_t bytes, uint32_t at)
{
    const char *newline = memchr(text + at, '\n', bytes - at);
    return newline ? (uint32_t)(newline + 1 - text) : bytes;
}

uint32_t in_trivia_script_end(const char *text, uint32_t bytes)
{
    uint32_t start = bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    if (text[start] == '#' && text[start + 1] == '!')
        return in_trivia_next_line(text, bytes, start);
    return start;
}
