/*
 * stack_end.c -- by libgcc's walk; it is asked once for each stretch of a fibre's stack.
 */
#include "runtime/hot/stack_end.h"

#include <unwind.h>

#include "runtime/hot/rt_forbid.h"

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *argument)
{
    if (_Unwind_GetIP(context)) {
        *(uintptr_t *)argument = _Unwind_GetCFA(context);
    }
    return _URC_NO_REASON;
}

uintptr_t rt_stack_end(void)
{
    uintptr_t end = 0;
    _Unwind_Backtrace(note, &end);
    return end;
}
