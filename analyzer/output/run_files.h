/*
 * run_files.h -- the folded files of a run: which there are, their names, writing them whole.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_RUN_FILES_H
#define THAG_AN_RUN_FILES_H

#include "analyzer/model/profile.h"
#include "analyzer/support/fault.h"

/* One kind of folded file: BASE followed by SUFFIX holds VALUE. */
struct an_run_file {
    const char *suffix; /* "-memory.folded" */
    enum an_value value;
};

/* All kinds that are made from a call tree. */
#define AN_RUN_FILES 4
extern const struct an_run_file an_run_files[AN_RUN_FILES];

/* What was written. */
struct an_run_written {
    uint32_t count;
    const struct an_run_file *file[AN_RUN_FILES];
};

/*
 * Write the folded files of a profile as STEM + suffix; a value of which there is nothing gets no
 * file. Each is written to a temporary name beside it and renamed, with mode 0600: a reader never
 * sees half a file. Lines are in the order of their names.
 *
 * Inputs:   STEM is directory and BASE. RET_WRITTEN may be NULL.
 * Result:   0, or -errno with FAULT set; files that were written before stay.
 */
int an_run_files_write(const struct an_profile *profile, const char *stem,
                       struct an_run_written *ret_written, struct an_fault *fault);

/* True if there is any folded file of STEM. */
bool an_run_files_exist(const char *stem);

#endif
