/*
 * input_several.c -- reads several files into one profile.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/input/input.h"
#include "analyzer/support/memory.h"

#define SEVERAL_RANKS 4

struct several {
    char *const *paths;
    size_t count;
    const struct an_input_options *options;
    struct an_profile all;
    uint32_t *values; /* of each path a bit per value that was taken from it */
};

/* True if both files belong to the run of one BASE. */
static bool several_is_same_run(const char *a, const char *b)
{
    int stamp;
    const char *a_slash = strrchr(a, '/'), *b_slash = strrchr(b, '/');
    size_t a_directory = a_slash ? (size_t)(a_slash - a) : 0;
    size_t b_directory = b_slash ? (size_t)(b_slash - b) : 0;
    char *a_base = an_input_base(a, &stamp), *b_base = an_input_base(b, &stamp);
    bool same =
        a_directory == b_directory && memcmp(a, b, a_directory) == 0 && strcmp(a_base, b_base) == 0;
    free(a_base);
    free(b_base);
    return same;
}

/* "program-pid" or, where that is not known, BASE. */
static void several_process_name(const struct an_profile *profile, char *ret_text, size_t room)
{
    const char *program = profile->program ? profile->program : profile->path;
    const char *slash = strrchr(program, '/');
    if (profile->pid)
        snprintf(ret_text, room, "[%s %u]", slash ? slash + 1 : program, profile->pid);
    else
        snprintf(ret_text, room, "[%s]",
                 profile->base_name ? profile->base_name
                 : slash            ? slash + 1
                                    : program);
}

static int several_add(struct an_profile *all, const struct an_profile *one,
                       const struct an_input_options *options)
{
    char name[300];
    several_process_name(one, name, sizeof(name));
    return an_profile_merge(all, one, options->by_process ? name : NULL);
}

/* The first file's facts stay, and its stacks go under a frame like those of the others. */
static int several_begin_processes(struct an_profile *all, const struct an_input_options *options)
{
    struct an_profile first = *all;
    all->tree = an_tree_new();
    /* What adding it would count or note again. */
    all->sizes = NULL;
    all->file_count = 0;
    all->good_lines = 0;
    all->bad.count = 0;
    all->note = NULL;
    all->note_count = 0;
    int failed = several_add(all, &first, options);
    an_tree_free(first.tree);
    free(first.sizes);
    for (uint32_t i = 0; i < first.note_count; i++)
        free(first.note[i]);
    free(first.note);
    return failed;
}

/* What one has of VALUES is known already from another file of its run. */
static bool several_is_counted(const struct several *several, size_t i, uint32_t values)
{
    for (size_t other = 0; other < several->count; other++) {
        if (several->values[other] & values &&
            several_is_same_run(several->paths[other], several->paths[i]))
            return true;
    }
    return false;
}

static uint32_t several_values(const struct an_profile *profile)
{
    uint32_t values = 0;
    for (int value = 0; value < AN_VALUE_COUNT; value++)
        values |= (uint32_t)an_tree_has(profile->tree, (enum an_value)value) << value;
    return values;
}

/* What is left out was asked for as well: it must not look as if only ALL's kind had been. */
static void several_widen_kind(struct an_profile *all, const struct an_profile *one)
{
    if (an_kind_value(all->kind) != an_kind_value(one->kind))
        all->kind = AN_KIND_UNKNOWN;
}

static int several_take(struct several *several, size_t i, const struct an_profile *one)
{
    struct an_profile *all = &several->all;
    uint32_t values = several_values(one);
    /* A unit that contradicts the name: then the name says nothing about the run either. */
    if (one->kind != AN_KIND_UNKNOWN && one->kind != AN_KIND_DEALLOC &&
        several_is_counted(several, i, values)) {
        several_widen_kind(all, one);
        return 0;
    }
    if (one->kind == AN_KIND_DEALLOC && all->kind != AN_KIND_DEALLOC &&
        an_tree_has(all->tree, AN_BYTES)) {
        an_profile_note(all, "%s: bytes freed do not add to bytes allocated; name it alone",
                        one->path);
        return 0;
    }
    several->values[i] = values;
    return several_add(all, one, several->options);
}

static int several_open_next(struct several *several, size_t i, struct an_fault *fault)
{
    struct an_profile one;
    int failed = an_input_open(several->paths[i], several->options, &one, fault);
    if (failed)
        return failed;
    failed = several_take(several, i, &one);
    an_profile_release(&one);
    return failed ? an_input_fault(fault, failed, several->paths[i]) : 0;
}

static int several_open_first(struct several *several, size_t i, struct an_fault *fault)
{
    int failed = an_input_open(several->paths[i], several->options, &several->all, fault);
    if (failed)
        return failed;
    several->values[i] = several_values(&several->all);
    if (several->options->by_process &&
        several_begin_processes(&several->all, several->options) != 0) {
        an_profile_release(&several->all);
        return an_input_fault(fault, -EOVERFLOW, several->paths[i]);
    }
    return 0;
}

/*
 * Of files that hold the same the one that is read first counts: the recording, which knows most;
 * of the two of a run's allocations the one that has what is asked for. Frees come last, when it is
 * known whether there is anything that they do not add to.
 */
static int several_rank(const struct an_input_options *options, const char *path)
{
    bool detail = options->lines || options->sizes;
    switch (an_input_kind(path)) {
    case AN_KIND_RECORDING:
        return 0;
    case AN_KIND_MEMORY:
        return detail ? 2 : 1;
    case AN_KIND_MEMORY_DETAIL:
        return detail ? 1 : 2;
    case AN_KIND_DEALLOC:
        return SEVERAL_RANKS - 1;
    default:
        return 1;
    }
}

int an_input_open_all(char *const *paths, size_t count, const struct an_input_options *options,
                      struct an_profile *ret_profile, struct an_fault *fault)
{
    struct several several = {.paths = paths, .count = count, .options = options};
    bool first = true;
    int failed = 0;
    several.values = an_memory_zeroed(count, sizeof(*several.values));
    for (int rank = 0; rank < SEVERAL_RANKS; rank++) {
        for (size_t i = 0; i < count && !failed; i++) {
            if (several_rank(options, paths[i]) != rank)
                continue;
            failed = first ? several_open_first(&several, i, fault)
                           : several_open_next(&several, i, fault);
            if (failed && !first)
                an_profile_release(&several.all);
            first = false;
        }
    }
    free(several.values);
    if (!failed)
        *ret_profile = several.all;
    return failed;
}
