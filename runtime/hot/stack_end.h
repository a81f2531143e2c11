/*
 * stack_end.h -- the outer end of the stack that the caller runs on.
 *
 * Context: hot. Takes no lock where libgcc finds unwind data without one (_dl_find_object).
 */
#ifndef THAG_RT_STACK_END_H
#define THAG_RT_STACK_END_H

#include <stdint.h>

/* The canonical frame address of the outermost frame: what tells one fibre's stack from another's.
 * 0: the walk gave nothing. */
uintptr_t rt_stack_end(void);

#endif
