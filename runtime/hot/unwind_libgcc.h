/*
 * unwind_libgcc.h -- a whole walk by the hidden _Unwind_Backtrace of libgcc_eh.
 *
 * Right wherever .eh_frame can be read, and lock-free with glibc's _dl_find_object; some 100 ns a
 * frame. A back end by itself, and what the native one falls back to.
 *
 * Context: hot.
 */
#ifndef THAG_RT_UNWIND_LIBGCC_H
#define THAG_RT_UNWIND_LIBGCC_H

#include "runtime/hot/unwind.h"

/* Fills WALK as rt_unwind() does, whatever it held before. */
uint32_t rt_unwind_libgcc(struct rt_walk *walk, const struct rt_registers *registers);

#endif
