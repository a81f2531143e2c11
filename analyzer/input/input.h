/*
 * input.h -- opens whatever the user names: a recording or a folded file, plain or compressed.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_INPUT_H
#define THAG_AN_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/input/recording_profile.h"
#include "analyzer/model/filter.h"
#include "analyzer/model/profile.h"
#include "analyzer/support/fault.h"

/* All zero is a sensible request: functions without lines, inlined frames kept, all threads. */
struct an_input_options {
    /* For folded files. */
    bool unit_given; /* UNIT overrides what the file's name says */
    enum an_unit unit;
    bool by_process; /* of several files: each one's stacks under a frame for its process */
    bool in_order;   /* merge adjacent stacks only, so that AN_BY_TIME is the file's order */

    /* For recordings. */
    bool lines;                       /* frames read "function (file.c:LINE)" */
    bool no_inline;                   /* frames that were inlined are left out */
    bool raw;                         /* times as they were recorded, our own cost not taken out */
    const char *thread;               /* only threads of this name; NULL: all */
    const char *sysroot;              /* where modules are looked up; NULL: here */
    const char *debug_dir;            /* more debug data, beside the usual places; NULL: none */
    bool debuginfod;                  /* servers may be asked */
    bool no_demangle;                 /* names as the linker has them */
    bool short_names;                 /* readable ones without arguments and parameters */
    bool all_inlines;                 /* inlined functions of packed system libraries too */
    bool cut_hashes;                  /* Rust names without their hash */
    bool sizes;                       /* fill the profile's sizes too */
    bool sizes_aside;                 /* the same, but neither files nor success hang on them */
    const struct an_filter *sizes_of; /* of what it leaves; NULL: of all */
    bool node_sizes;                  /* fill the tree's sizes of single allocations too */
    bool timeline;                    /* fill the profile's timeline too */
    bool timeline_sampled;            /* with samples, also where calls were recorded */
    bool folded_only; /* a folded file is read even if its recording lies beside it */
    bool quiet;       /* no progress on the terminal */
};

/*
 * Read one file. "-" is standard input. What it is, and whether it is compressed, is told by its
 * first bytes; its unit by its name. A folded file with its recording beside it is read from the
 * recording, which knows more.
 *
 * Result: 0, or -errno with FAULT saying why, the file's name included. RET_PROFILE is filled
 *         after 0 and released by an_profile_release(). Lines that could
 *         not be used are listed in it.
 *         -ENODATA     there is no line in it that could be used;
 *         -EBADMSG     a damaged recording, or damaged compressed data;
 *         -EOVERFLOW   the sum of a value passes 2^64 - 1;
 *         -ENOTSUP     a recording of another version;
 *         -EFBIG       a line of more than 256 MiB;
 *         -ECANCELED   the task of this thread is not wanted any more, see task.h;
 *         or what the system said. RET_PROFILE is then untouched.
 */
int an_input_open(const char *path, const struct an_input_options *options,
                  struct an_profile *ret_profile, struct an_fault *fault);

/*
 * Read COUNT files (1 or more) into one profile; amounts add up. What several files of one run hold
 * counts once: of a recording and its folded files the recording, of a run's allocations the file
 * with LINES (or SIZES) if these are asked for. Bytes freed are left out beside bytes allocated,
 * with a note. What is known of the file that was read first stays.
 * Result: as above.
 */
int an_input_open_all(char *const *paths, size_t count, const struct an_input_options *options,
                      struct an_profile *ret_profile, struct an_fault *fault);

/*
 * Read both columns of a differential folded file.
 * Result: as above; -EINVAL if the file has one column.
 */
int an_input_open_pair(const char *path, const struct an_input_options *options,
                       struct an_profile *ret_before, struct an_profile *ret_after,
                       struct an_fault *fault);

/* The same as options of the recording reader. They point into OPTIONS. */
struct an_recording_options an_input_recording_options(const struct an_input_options *options);

/*
 * Open a recording as such: plain, compressed, "-", or the one beside a folded file.
 * Result: 0, or -errno with FAULT set.
 */
int an_input_open_recording(const char *path, const struct an_recording_select *select,
                            struct an_recording *ret_recording, struct an_fault *fault);

/* Set FAULT to what ERROR means for the file PATH. Result: ERROR. */
int an_input_fault(struct an_fault *fault, int error, const char *path);

/* What the name of a folded file says about it. .gz and .zst do not count. */
enum an_kind an_input_kind(const char *path);

/*
 * The part of a path that belongs to BASE: without directory, kind and suffixes. Freed by free().
 * RET_STAMP is the place of the time stamp "-YYYYMMDD-HHMMSS" in it, or -1.
 */
char *an_input_base(const char *path, int *ret_stamp);

#endif
