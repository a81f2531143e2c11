/*
 * name_filter.h -- --include and --exclude: regular expressions on names of functions.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_NAME_FILTER_H
#define THAG_IN_NAME_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct in_name_pattern;

struct in_name_filter {
    struct in_name_pattern *patterns;
    uint32_t count, room;
};

/*
 * One more expression (PCRE2; it may match anywhere in a name).
 * Result:   true; or false, and RET_MESSAGE says what is wrong with it.
 */
bool in_name_filter_add(struct in_name_filter *filter, const char *expression, bool excludes,
                        char *ret_message, size_t room);
void in_name_filter_release(struct in_name_filter *filter);

/* True unless an exclusion matches, or there are inclusions and none does. */
bool in_name_filter_passes(const struct in_name_filter *filter, const char *name);

#endif
