/*
 * demangle.h -- readable names for mangled ones.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_DEMANGLE_H
#define THAG_AN_DEMANGLE_H

#include <stdbool.h>

/*
 * The readable form of a C++ or Rust ("_Z", "_R") or D ("_D" and a digit, "_Dmain") name. Nothing
 * else is even looked at: "f", "i" or "Pv" are C functions, though a demangler would make types of
 * them.
 *
 * Inputs:   CUT_HASH leaves out the hash at the end of Rust's older names ("::h0123456789abcdef").
 * Result:   a text of its own, freed by free(); NULL where RAW is to be shown as it is.
 * Never:    fails for a name's length alone up to 64 KiB; writes a name longer than 1 MiB (a few
 *           bytes of substitutions can stand for gigabytes).
 */
char *an_demangle(const char *raw, bool cut_hash);

#endif
