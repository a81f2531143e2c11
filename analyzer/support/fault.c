/*
 * fault.c -- the one sentence that says why an input cannot be used.
 */
#include "analyzer/support/fault.h"

#include <stdarg.h>
#include <stdio.h>

int an_fault_set(struct an_fault *fault, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof(fault->text), format, arguments);
    va_end(arguments);
    return error;
}
