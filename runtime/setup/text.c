/*
 * text.c -- see the header.
 */
#include "runtime/setup/text.h"

#include <errno.h>

void rt_text_clear(struct rt_text *text)
{
    text->bytes = 0;
    text->cut = false;
    text->at[0] = 0;
}

void rt_text_add_bytes(struct rt_text *text, const char *bytes, size_t count)
{
    size_t room = RT_TEXT_BYTES - 1 - text->bytes;
    if (count > room) {
        count = room;
        text->cut = true;
    }
    for (size_t i = 0; i < count; i++) {
        text->at[text->bytes + i] = bytes[i];
    }
    text->bytes += count;
    text->at[text->bytes] = 0;
}

void rt_text_add(struct rt_text *text, const char *string)
{
    rt_text_add_bytes(text, string, __builtin_strlen(string));
}

void rt_text_add_padded(struct rt_text *text, uint64_t number, unsigned width)
{
    char digits[24];
    unsigned at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (at > 0 && (number || sizeof digits - at < width));
    rt_text_add_bytes(text, digits + at, sizeof digits - at);
}

void rt_text_add_number(struct rt_text *text, uint64_t number)
{
    rt_text_add_padded(text, number, 1);
}

void rt_text_add_error(struct rt_text *text, int error)
{
    static const struct {
        int error;
        const char *words;
    } known[] = {
        {EACCES, "permission denied"},      {EPERM, "operation not permitted"},
        {ENOENT, "no such directory"},      {ENOTDIR, "not a directory"},
        {EROFS, "read-only file system"},   {ENOSPC, "no space left"},
        {EDQUOT, "disk quota exceeded"},    {EFBIG, "file size limit"},
        {ENAMETOOLONG, "name too long"},    {ENOMEM, "not enough memory"},
        {EMFILE, "too many open files"},    {ENFILE, "too many open files in the system"},
        {ENODEV, "cannot be mapped"},       {EEXIST, "exists already"},
        {ELOOP, "too many symbolic links"}, {EIO, "input/output error"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].error == error) {
            rt_text_add(text, known[i].words);
            return;
        }
    }
    rt_text_add(text, "error ");
    rt_text_add_number(text, (uint64_t)error);
}

const char *rt_text_base_name(const char *path)
{
    const char *base = path;
    for (const char *p = path; *p; p++) {
        if (*p == '/') {
            base = p + 1;
        }
    }
    return base;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool rt_text_same_word(const char *a, size_t a_bytes, const char *b)
{
    for (size_t i = 0; i < a_bytes; i++) {
        if (!b[i] || lower(a[i]) != lower(b[i])) {
            return false;
        }
    }
    return b[a_bytes] == 0;
}
