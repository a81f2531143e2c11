/*
 * profile.c -- what was read from one or several files.
 */
#include "analyzer/model/profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

void an_profile_init(struct an_profile *profile)
{
    memset(profile, 0, sizeof(*profile));
    profile->tree = an_tree_new();
    for (int value = 0; value < AN_VALUE_COUNT; value++)
        profile->scale[value] = 1;
}

void an_profile_release(struct an_profile *profile)
{
    an_tree_free(profile->tree);
    free(profile->path);
    free(profile->base_name);
    free(profile->program);
    free(profile->arguments);
    free(profile->directory);
    free(profile->host);
    free(profile->config);
    free(profile->title);
    free(profile->sizes);
    free(profile->moment);
    for (uint32_t i = 0; i < profile->note_count; i++)
        free(profile->note[i]);
    free(profile->note);
    memset(profile, 0, sizeof(*profile));
}

void an_profile_note(struct an_profile *profile, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    profile->note =
        an_memory_resize(profile->note, (size_t)profile->note_count + 1, sizeof(*profile->note));
    profile->note[profile->note_count++] = an_memory_text(text);
}

void an_profile_bad_line(struct an_profile *profile, uint64_t number)
{
    if (profile->bad.count < AN_BAD_LINES_KEPT)
        profile->bad.number[profile->bad.count] = number;
    profile->bad.count++;
}

bool an_profile_default_value(const struct an_profile *profile, enum an_value *ret_value)
{
    static const enum an_value preferred[] = {AN_TIME, AN_SAMPLE_TIME, AN_BYTES};
    for (unsigned i = 0; i < sizeof(preferred) / sizeof(preferred[0]); i++) {
        if (an_tree_has(profile->tree, preferred[i])) {
            *ret_value = preferred[i];
            return true;
        }
    }
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        if (an_tree_has(profile->tree, (enum an_value)value)) {
            *ret_value = (enum an_value)value;
            return true;
        }
    }
    return false;
}
