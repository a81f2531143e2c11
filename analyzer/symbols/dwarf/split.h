/*
 * split.h -- the units of split debug data, wherever they were put.
 *
 * The compiler leaves them in .dwo files where it ran; a package (.dwp) beside the program holds
 * those of all its units.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_DWARF_SPLIT_H
#define THAG_AN_DWARF_SPLIT_H

#include "analyzer/symbols/debug_search.h"
#include "analyzer/symbols/dwarf/unit.h"

struct an_split;

/*
 * PLACES as for debug files: .dwo files are looked up below the sysroot, then beside the program
 * and in the user's directories by their base name. MODULE_PATH is the program's as recorded. All
 * have to live longer.
 */
struct an_split *an_split_new(const struct an_debug_places *places, const char *module_path,
                              const struct an_elf_image *image);
void an_split_free(struct an_split *split);

/*
 * The split unit of a skeleton, ready to be read.
 *
 * Result:   NULL if it is nowhere. Only a unit with the skeleton's own number counts.
 * Lifetime: until an_split_free().
 */
struct an_unit *an_split_find(struct an_split *split, struct an_unit *skeleton);

#endif
