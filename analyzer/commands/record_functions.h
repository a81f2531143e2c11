/*
 * record_functions.h -- --only and --except: functions by name become the list of address ranges
 * that the recorder reads (runtime/format/function_list.h).
 *
 * Names are those of the program and of the libraries that its loader would load; what it loads
 * later by itself is not in the list.
 *
 * Context: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_RECORD_FUNCTIONS_H
#define THAG_AN_RECORD_FUNCTIONS_H

#include <stdint.h>

#include "analyzer/launch/preload.h"
#include "analyzer/launch/program.h"
#include "analyzer/model/filter.h"
#include "analyzer/support/fault.h"

struct an_record_functions {
    char *path; /* of the list, freed by free(); the file is the caller's to remove */
    uint64_t function_count;
    uint32_t module_count;
    char *unknown; /* a module with hooks and without a build-id, which no list can name; or NULL */
};

/*
 * Write the list for FILTER's inclusions (--only) and exclusions (--except).
 * Result:   0; or -errno of writing it, with FAULT set.
 */
int an_record_functions_write(const struct an_filter *filter, const struct an_program *program,
                              const struct an_loading *loading,
                              struct an_record_functions *ret_functions, struct an_fault *fault);

#endif
