/*
 * annotate.h -- the edits that put the macros into a source, and those that take them out.
 *
 * Of any source x without them: taking out what was put in gives x again, to the byte.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_ANNOTATE_H
#define THAG_IN_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "instrument/edit.h"
#include "instrument/scan.h"

struct in_annotate_texts {
    const char *profiled; /* as in " THAG_PROFILED;" */
    const char *enable;
    const char *include_line;
};

struct in_annotate_counts {
    uint32_t functions; /* that change */
    uint32_t skipped;   /* by instrument */
    uint32_t already;
    uint32_t left; /* uses of the header that uninstrument does not take out */
    bool no_place; /* nothing was annotated: there is no line for the include */
};

/*
 * The edits that annotate a settled scan.
 *
 * Inputs:   PLACE is where TEXTS->include_line goes, POSSIBLE if it can. TEXTS outlive RET_EDITS.
 */
void in_annotate(const struct in_scan *scan, const struct in_annotate_texts *texts, uint32_t place,
                 bool possible, struct in_edits *ret_edits, struct in_annotate_counts *ret_counts);

/* The edits that take annotations out of a settled scan. */
void in_unannotate(const struct in_scan *scan, struct in_edits *ret_edits,
                   struct in_annotate_counts *ret_counts);

#endif
