/*
 * coroutine.h -- names of what compilers make of C++20 coroutines.
 *
 * A coroutine becomes a function that makes its frame and has its name, and others that resume or
 * destroy it: "f(f(int)::_Z1fi.Frame*) [clone .actor]" in gcc's code, "f(int) [clone .resume]" in
 * clang's.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_COROUTINE_H
#define THAG_AN_COROUTINE_H

#include <stddef.h>

/* "async::f(int)" if NAME, demangled, is that of a coroutine's body; else NULL. Freed by free(). */
char *an_coroutine_name(const char *name, size_t bytes);

#endif
