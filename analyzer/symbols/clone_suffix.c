/*
 * clone_suffix.c -- what compilers add to the names of parts and copies of functions.
 */
#include "analyzer/symbols/clone_suffix.h"

#include <stdbool.h>
#include <string.h>

/* Of gcc, but for the last two, which are clang's. A number may follow, or has to. */
static const struct {
    const char *word;
    bool numbered;
} suffixes[] = {
    {"cold", false},     {"part", true},        {"constprop", true}, {"isra", true},
    {"clone", true},     {"lto_priv", true},    {"lto", true},       {"specialized", true},
    {"simdclone", true}, {"localalias", false}, {"llvm", true},      {"__uniq", true},
};

/* The length of NAME without ".123" at its end, or the same if there is none. */
static size_t number_cut(const char *name, size_t bytes)
{
    size_t at = bytes;
    while (at != 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    return at != bytes && at != 0 && name[at - 1] == '.' ? at - 1 : bytes;
}

/* The length without one suffix, or the same if there is none. */
static size_t suffix_cut(const char *name, size_t bytes)
{
    size_t stem = number_cut(name, bytes);
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        size_t word = strlen(suffixes[i].word);
        if (suffixes[i].numbered && stem == bytes)
            continue;
        if (stem > word + 1 && name[stem - word - 1] == '.' &&
            memcmp(name + stem - word, suffixes[i].word, word) == 0)
            return stem - word - 1;
    }
    return bytes;
}

size_t an_clone_suffix_cut(const char *name, size_t bytes)
{
    for (size_t cut; (cut = suffix_cut(name, bytes)) != bytes;)
        bytes = cut;
    return bytes;
}
