/*
 * detail_files.h -- BASE-memory_detail.folded and BASE-memory_detail_dealloc.folded: a line for
 * each allocation or free, in the order of their happening.
 *
 * A line is a hundred times as long as its event: a recording within its bounds could fill a disk
 * with lines. A file that has reached its own bound goes on with sums, which end it: a line for
 * each stack that still came.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_DETAIL_FILES_H
#define THAG_AN_DETAIL_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/model/tree.h"
#include "analyzer/support/fault.h"

enum an_detail { AN_DETAIL_ALLOCATED, AN_DETAIL_FREED, AN_DETAIL_COUNT };

extern const char *const an_detail_suffixes[AN_DETAIL_COUNT];

struct an_detail_files;

/*
 * Begin the files of STEM (directory and BASE). A file comes into being with its first line.
 *
 * Inputs:   TREE has to live until the files are ended, and must not grow. MOST_BYTES: of each
 *           file, its sums not counted.
 */
struct an_detail_files *an_detail_files_new(const struct an_tree *tree, const char *stem,
                                            uint64_t most_bytes);

/* Add a line: the stack of NODE, which is not the root, and BYTES. Result: 0, or -errno with FAULT.
 */
int an_detail_files_add(struct an_detail_files *files, enum an_detail which, uint32_t node,
                        uint64_t bytes, struct an_fault *fault);

/* True if the file ends in sums by stack. */
bool an_detail_files_are_summed(const struct an_detail_files *files, enum an_detail which);

/*
 * Give the files their names; both are mode 0600 and replace what was there.
 * Result:   0, or -errno with FAULT set. FILES is freed in any case. RET_WRITTEN tells which of
 * them have lines.
 */
int an_detail_files_commit(struct an_detail_files *files, bool ret_written[AN_DETAIL_COUNT],
                           struct an_fault *fault);

/* Drop what was written. */
void an_detail_files_abandon(struct an_detail_files *files);

#endif
