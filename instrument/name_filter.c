/*
 * name_filter.c -- --include and --exclude: regular expressions on names of functions.
 */
#include "instrument/name_filter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/memory.h"

struct in_name_pattern {
    pcre2_code *code;
    pcre2_match_data *match;
    bool excludes;
};

bool in_name_filter_add(struct in_name_filter *filter, const char *expression, bool excludes,
                        char *ret_message, size_t room)
{
    int error;
    PCRE2_SIZE at;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED, 0, &error, &at, NULL);
    if (!code) {
        int used = snprintf(ret_message, room, "expression '%s', at character %zu: ", expression,
                            (size_t)at + 1);
        if (used > 0 && (size_t)used < room)
            pcre2_get_error_message(error, (PCRE2_UCHAR *)ret_message + used, room - (size_t)used);
        return false;
    }
    filter->patterns = in_memory_grow(filter->patterns, filter->count, &filter->room,
                                      sizeof(struct in_name_pattern));
    filter->patterns[filter->count++] =
        (struct in_name_pattern){code, pcre2_match_data_create_from_pattern(code, NULL), excludes};
    return true;
}

void in_name_filter_release(struct in_name_filter *filter)
{
    for (uint32_t i = 0; i < filter->count; i++) {
        pcre2_match_data_free(filter->patterns[i].match);
        pcre2_code_free(filter->patterns[i].code);
    }
    free(filter->patterns);
}

bool in_name_filter_passes(const struct in_name_filter *filter, const char *name)
{
    bool included = false, must_include = false;
    for (uint32_t i = 0; i < filter->count; i++) {
        const struct in_name_pattern *pattern = &filter->patterns[i];
        bool matches = pcre2_match(pattern->code, (PCRE2_SPTR)name, strlen(name), 0, 0,
                                   pattern->match, NULL) >= 0;
        if (matches && pattern->excludes)
            return false;
        must_include |= !pattern->excludes;
        included |= matches;
    }
    return included || !must_include;
}
