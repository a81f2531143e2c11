/*
 * recording_profile.h -- the one model, filled from a recording.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_RECORDING_PROFILE_H
#define THAG_AN_RECORDING_PROFILE_H

#include "analyzer/input/recording_reader.h"
#include "analyzer/model/filter.h"
#include "analyzer/model/profile.h"
#include "analyzer/symbols/symbols.h"

struct an_recording_options {
    struct an_symbols_options symbols;
    const char *thread;               /* only this thread's share; NULL: all */
    bool sizes;                       /* also fill profile->sizes */
    bool sizes_if_readable;           /* the same, but a note tells if they cannot be read */
    const struct an_filter *sizes_of; /* of what it leaves; NULL: of all */
    bool node_sizes;                  /* also fill the tree's sizes of single allocations */
    bool timeline;                    /* also fill profile->timeline */
    bool timeline_sampled;            /* with samples, also where calls were recorded */
    bool raw; /* times as they were recorded, the recorder's own cost not taken out */
};

/*
 * Read a recording and name its frames.
 *
 * Inputs:   RET_PROFILE was made by an_profile_init() and holds nothing yet.
 * Result:   0; or -errno with FAULT set, RET_PROFILE is then to be released like a filled one.
 *           The tree has AN_BYTES, AN_ALLOCATIONS, AN_FREES, AN_LIVE_BYTES, AN_LIVE_BLOCKS,
 *           AN_PEAK_BYTES and AN_TEMPORARY if the heap was recorded; AN_TIME, AN_INCLUSIVE,
 *           AN_CALLS, AN_ON_CPU and AN_OFF_CPU if there are calls. Inclusive times are the sums of
 *           the exclusive ones, of which none is below 0. What ran on fibres stands at the root
 *           with "async::" before its name. Frames that were inlined are children of their caller
 *           with AN_NODE_INLINED. With lines a frame reads "function (file.c:LINE)".
 */
int an_recording_load(const char *path, const struct an_recording_options *options,
                      struct an_profile *ret_profile, struct an_fault *fault);

/*
 * The same for a recording that is open as FD, which is taken over; PATH is for messages and for
 * profile->path. Such a file is nobody's and stays as it is, a named one may be trimmed.
 */
int an_recording_load_descriptor(int fd, const char *path,
                                 const struct an_recording_options *options,
                                 struct an_profile *ret_profile, struct an_fault *fault);

/*
 * The same for a recording that is open, with names that are kept from one reading to the next:
 * what SYMBOLS has resolved is not resolved again.
 */
int an_recording_fill(const struct an_recording *recording,
                      const struct an_recording_options *options, struct an_symbols *symbols,
                      struct an_profile *ret_profile, struct an_fault *fault);

/*
 * The same, also for stacks that own no values, and with the place of each stack in the tree.
 * RET_NODE has room for stack_count tree nodes; none of them is the root.
 */
int an_recording_fill_places(const struct an_recording *recording,
                             const struct an_recording_options *options, struct an_symbols *symbols,
                             struct an_profile *ret_profile, uint32_t *ret_node,
                             struct an_fault *fault);

/*
 * For each module record of the recording its number among the module files of SYMBOLS.
 * RET_MODULE has room for module_count numbers.
 */
void an_recording_modules(const struct an_recording *recording, struct an_symbols *symbols,
                          uint32_t *ret_module);

/*
 * For each node of the recording the number of the module record that it lies in, or UINT32_MAX.
 * RET_RECORD has room for node_count numbers.
 */
void an_recording_node_modules(const struct an_recording *recording, uint32_t *ret_record);

/* The arguments of the program as a shell takes them; NULL if they are not known. Freed by free().
 */
char *an_recording_arguments(const struct an_recording *recording);

#endif
