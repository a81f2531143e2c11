/*
 * page_policy.c -- the content security policy under which a page works.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/page_parts.h"
#include "analyzer/support/memory.h"
#include "analyzer/support/sha256.h"

#define BASE64_BYTES (AN_SHA256_BYTES / 3 * 4 + 5)

static void base64_write(const uint8_t digest[AN_SHA256_BYTES], char ret_text[BASE64_BYTES])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *end = ret_text;

    for (unsigned i = 0; i < AN_SHA256_BYTES; i += 3) {
        unsigned left = AN_SHA256_BYTES - i;
        uint32_t three = (uint32_t)digest[i] << 16 | (left > 1 ? (uint32_t)digest[i + 1] << 8 : 0) |
                         (left > 2 ? digest[i + 2] : 0);
        *end++ = digits[three >> 18];
        *end++ = digits[three >> 12 & 63];
        *end++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *end++ = left > 2 ? digits[three & 63] : '=';
    }
    *end = '\0';
}

char *an_page_policy(enum an_page_kind kind, enum an_page_format format)
{
    const char *mark = format == AN_PAGE_SVG ? "//" : ""; /* what is left of the CDATA marks */
    char *script = an_page_script_text(kind == AN_PAGE_TIMELINE);
    char *text = an_memory_array(strlen(script) + 5, 1);
    char hash[BASE64_BYTES];
    char *policy = an_memory_array(200, 1);
    uint8_t digest[AN_SHA256_BYTES];
    int bytes = sprintf(text, "%s%s%s", mark, script, mark);

    an_sha256(text, (size_t)bytes, digest);
    base64_write(digest, hash);
    /* Styles are set on single elements: lengths of bars, colours of samples. */
    snprintf(policy, 200,
             "default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; "
             "img-src data: blob:",
             hash);
    free(script);
    free(text);
    return policy;
}
