/*
 * coroutine.c -- see the header.
 */
#include "analyzer/symbols/coroutine.h"

#include <stdbool.h>
#include <string.h>

#include "analyzer/support/memory.h"

static bool cut_end(const char *name, size_t *bytes, const char *end)
{
    size_t length = strlen(end);
    if (*bytes <= length || memcmp(name + *bytes - length, end, length) != 0)
        return false;
    *bytes -= length;
    return true;
}

/* Of "f(f(int)::_Z1fi.Frame*)" the part "f(int)". */
static bool cut_frame(const char **name, size_t *bytes)
{
    size_t left = *bytes;
    const char *open = memchr(*name, '(', left);
    if (open == NULL || !cut_end(*name, &left, ".Frame*)"))
        return false;
    const char *inner = open + 1, *end = *name + left;
    for (const char *at = end; at-- > inner + 1;) {
        if (end - at > 4 && memcmp(at, "::_Z", 4) == 0) {
            *name = inner;
            *bytes = (size_t)(at - inner);
            return true;
        }
    }
    return false;
}

char *an_coroutine_name(const char *name, size_t bytes)
{
    static const char *const clones[] = {" [clone .actor]", " [clone .resume]", " [clone .destroy]",
                                         " [clone .cleanup]"};
    static const char prefix[] = "async::";
    bool is_coroutine = false;
    for (size_t i = 0; i < sizeof(clones) / sizeof(clones[0]) && !is_coroutine; i++)
        is_coroutine = cut_end(name, &bytes, clones[i]);
    if (!cut_frame(&name, &bytes) && !is_coroutine)
        return NULL;
    char *text = an_memory_array(sizeof(prefix) + bytes, 1);
    memcpy(text, prefix, sizeof(prefix) - 1);
    memcpy(text + sizeof(prefix) - 1, name, bytes);
    text[sizeof(prefix) - 1 + bytes] = '\0';
    return text;
}
