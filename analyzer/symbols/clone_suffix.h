/*
 * clone_suffix.h -- what compilers add to the names of parts and copies of functions.
 *
 * Context: tool.
 */
#ifndef THAG_AN_CLONE_SUFFIX_H
#define THAG_AN_CLONE_SUFFIX_H

#include <stddef.h>

/*
 * The length of NAME, of BYTES bytes, without such suffixes: "f" of "f.cold", "f.part.0",
 * "f.constprop.0.isra.0" or "f.llvm.123". Who reads a profile wrote f alone.
 */
size_t an_clone_suffix_cut(const char *name, size_t bytes);

#endif
