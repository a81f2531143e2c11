/*
 * input_several.c -- reads several files into one profile.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/input/input.h"
#include "analyzer/support/memory.h"

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

/* True if a file before PATHS[I] was read from the recording that this one was read from too. */
static bool several_is_counted(char *const *paths, const bool *recorded, size_t i)
{
    for (size_t before = 0; before < i && recorded[i]; before++) {
        if (recorded[before] && several_is_same_run(paths[before], paths[i]))
            return true;
    }
    return false;
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

static int several_open_next(char *const *paths, size_t i, const struct an_input_options *options,
                             struct an_profile *all, bool *recorded, struct an_fault *fault)
{
    struct an_profile one;
    int failed = an_input_open(paths[i], options, &one, fault);
    if (failed)
        return failed;
    recorded[i] = one.recorded;
    if (!several_is_counted(paths, recorded, i))
        failed = several_add(all, &one, options);
    an_profile_release(&one);
    return failed ? an_input_fault(fault, failed, paths[i]) : 0;
}

int an_input_open_all(char *const *paths, size_t count, const struct an_input_options *options,
                      struct an_profile *ret_profile, struct an_fault *fault)
{
    struct an_profile all;
    int failed = an_input_open(paths[0], options, &all, fault);
    if (failed)
        return failed;
    bool *recorded = an_memory_zeroed(count, sizeof(*recorded));
    recorded[0] = all.recorded;
    if (options->by_process && several_begin_processes(&all, options) != 0)
        failed = an_input_fault(fault, -EOVERFLOW, paths[0]);
    for (size_t i = 1; i < count && !failed; i++)
        failed = several_open_next(paths, i, options, &all, recorded, fault);
    free(recorded);
    if (failed)
        an_profile_release(&all);
    else
        *ret_profile = all;
    return failed;
}
