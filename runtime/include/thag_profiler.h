/*
 * thag_profiler.h -- marks functions and sections to be profiled.
 *
 *   #include <thag_profiler.h>
 *   int f(void) {
 *       THAG_PROFILED;                      the whole function
 *       THAG_SECTION(parse, mem_summary);   from here ...
 *       THAG_END(parse);                    ... to here, or to the end of the block
 *   }
 *
 * Compile with -DTHAG_PROFILING, or all of it is nothing. There is nothing to link: the references
 * are weak, and without the preloaded library each mark costs one predicted branch.
 *
 * Flags, in any order: time, mem_summary, mem_detail, both, global, test, async_fn, unbounded. They
 * can narrow what the run records, never widen it.
 *
 * Includes nothing. C90 to C17 and C++11 to C++20, gcc and clang. THAG_SCOPE needs C99 or C++.
 */
#ifndef THAG_PROFILER_H
#define THAG_PROFILER_H

/* The marks are declarations in the middle of the user's code; what a pedantic compiler would say
 * of them is no business of his. */
#pragma GCC system_header

#ifdef __cplusplus
extern "C" {
#endif

enum thag_flags_ {
    THAG_FLAG_time = 1,
    THAG_FLAG_mem_summary = 2,
    THAG_FLAG_both = 3,
    THAG_FLAG_mem_detail = 4,
    THAG_FLAG_global = 8,
    THAG_FLAG_test = 16,
    THAG_FLAG_async_fn = 32,
    THAG_FLAG_unbounded = 64,
    THAG_FLAGS_ = 8 /* bare marks: as the name of a function-like macro it takes flags as well */
};

/* One mark in the source. */
struct thag_site_ {
    const char *name; /* of the section; 0: the function */
    unsigned flags;
    unsigned reserved;
    void *library[2]; /* the library's own */
};

#ifdef THAG_PROFILING

extern unsigned *thag_library_enter(struct thag_site_ *site, unsigned *guard, void *caller)
    __attribute__((weak));
extern void thag_library_leave(unsigned *guard) __attribute__((weak));
extern int thag_library_is_profiling(void) __attribute__((weak));
extern void thag_library_ignore(int change) __attribute__((weak));
extern void thag_library_switch(int on) __attribute__((weak));

#define THAG_INLINE_                                                                               \
    static __inline__ __attribute__((always_inline, unused, no_instrument_function))

/* A macro: in a function, however inlined, the call would be that function's. */
#define THAG_ENTER_(site, guard)                                                                   \
    (__builtin_expect(thag_library_enter != 0, 0)                                                  \
         ? thag_library_enter(site, guard, __builtin_return_address(0))                            \
         : &(site)->flags)

THAG_INLINE_ void thag_leave_(unsigned *guard)
{
    if (__builtin_expect(thag_library_leave != 0, 0)) {
        thag_library_leave(guard);
    }
}

/* Is the program being recorded at this moment? */
THAG_INLINE_ int thag_is_profiling(void)
{
    return thag_library_is_profiling ? thag_library_is_profiling() : 0;
}

/* Nothing is recorded from a stop to the start that belongs to it: stops nest. Safe in handlers. */
THAG_INLINE_ void thag_stop(void)
{
    if (thag_library_switch) {
        thag_library_switch(0);
    }
}

/* Ends the innermost thag_stop(). */
THAG_INLINE_ void thag_start(void)
{
    if (thag_library_switch) {
        thag_library_switch(1);
    }
}

/* Heap use of this thread in between is not recorded. They nest. */
THAG_INLINE_ void thag_ignore_begin(void)
{
    if (thag_library_ignore) {
        thag_library_ignore(1);
    }
}

/* Ends the innermost thag_ignore_begin(). */
THAG_INLINE_ void thag_ignore_end(void)
{
    if (thag_library_ignore) {
        thag_library_ignore(-1);
    }
}

/* --- flags: up to six words --- */

#define THAG_PICK_(a, b, c, d, e, f, g, h, ...) h
#define THAG_F1_(a)                             (THAG_FLAG_##a)
#define THAG_F2_(a, b)                          (THAG_FLAG_##a | THAG_FLAG_##b)
#define THAG_F3_(a, b, c)                       (THAG_F2_(a, b) | THAG_FLAG_##c)
#define THAG_F4_(a, b, c, d)                    (THAG_F3_(a, b, c) | THAG_FLAG_##d)
#define THAG_F5_(a, b, c, d, e)                 (THAG_F4_(a, b, c, d) | THAG_FLAG_##e)
#define THAG_F6_(a, b, c, d, e, f)              (THAG_F5_(a, b, c, d, e) | THAG_FLAG_##f)
#define THAG_FLAGS_(...)                                                                           \
    THAG_PICK_(0, __VA_ARGS__, THAG_F6_, THAG_F5_, THAG_F4_, THAG_F3_, THAG_F2_, THAG_F1_, 0)      \
    (__VA_ARGS__)

/* The same behind a first word that is no flag. */
#define THAG_R1_(n)                      (THAG_FLAG_global)
#define THAG_R2_(n, a)                   THAG_F1_(a)
#define THAG_R3_(n, a, b)                THAG_F2_(a, b)
#define THAG_R4_(n, a, b, c)             THAG_F3_(a, b, c)
#define THAG_R5_(n, a, b, c, d)          THAG_F4_(a, b, c, d)
#define THAG_R6_(n, a, b, c, d, e)       THAG_F5_(a, b, c, d, e)
#define THAG_R7_(n, a, b, c, d, e, f)    THAG_F6_(a, b, c, d, e, f)
#define THAG_REST_(...)                                                                            \
    THAG_PICK_(__VA_ARGS__, THAG_R7_, THAG_R6_, THAG_R5_, THAG_R4_, THAG_R3_, THAG_R2_, THAG_R1_,  \
               0)                                                                                  \
    (__VA_ARGS__)
#define THAG_FIRST_(a, ...) a

/* --- marks --- */

#define THAG_PASTE_(a, b)  a##b
#define THAG_UNIQUE_(a, b) THAG_PASTE_(a, b)

/* A guard: the flags are stored behind the entry, so that they can be what the mark ends with. */
#define THAG_GUARD_(site, guard)                                                                   \
    unsigned guard __attribute__((cleanup(thag_leave_), unused)) = *THAG_ENTER_(&site, &guard)

#define THAG_SITE_(site, name)                                                                     \
    static struct thag_site_ site __attribute__((unused)) = {name, 0, 0, {0, 0}}

#define THAG_FUNCTION_(id)                                                                         \
    THAG_SITE_(THAG_UNIQUE_(thag_site_, id), 0);                                                   \
    THAG_GUARD_(THAG_UNIQUE_(thag_site_, id), THAG_UNIQUE_(thag_guard_, id))

/* THAG_PROFILED;  or  THAG_PROFILED(time, test); */
#define THAG_PROFILED THAG_FUNCTION_(__LINE__) = THAG_FLAGS_

/* THAG_PROFILED_IF(condition);  or with flags behind it. */
#define THAG_PROFILED_IF(...)                                                                      \
    THAG_SITE_(THAG_UNIQUE_(thag_site_, __LINE__), 0);                                             \
    unsigned THAG_UNIQUE_(thag_guard_, __LINE__) __attribute__((cleanup(thag_leave_), unused)) =   \
        *((THAG_FIRST_(__VA_ARGS__, 0)) ? THAG_ENTER_(&THAG_UNIQUE_(thag_site_, __LINE__),         \
                                                      &THAG_UNIQUE_(thag_guard_, __LINE__))        \
                                        : &THAG_UNIQUE_(thag_site_, __LINE__).flags) =             \
            THAG_REST_(__VA_ARGS__)

#define THAG_SECTION_(name)                                                                        \
    THAG_SITE_(thag_section_site_##name, #name);                                                   \
    THAG_GUARD_(thag_section_site_##name, thag_section_##name)
#define THAG_SECTION_NAMED_(name) THAG_SECTION_(name)

/* THAG_SECTION(name);  or  THAG_SECTION(name, flags...);  up to THAG_END(name) or the end of the
 * block. */
#define THAG_SECTION(...)                                                                          \
    THAG_SECTION_NAMED_(THAG_FIRST_(__VA_ARGS__, 0)) = THAG_REST_(__VA_ARGS__)
/* Ends the section here, and what is open inside it. */
#define THAG_END(name) thag_leave_(&thag_section_##name)

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
/* THAG_SCOPE(name) { ... } is a section that the braces end. */
#define THAG_SCOPE(name)                                                                           \
    for (unsigned thag_scope_##name __attribute__((cleanup(thag_leave_))) =                        \
             *__extension__({                                                                      \
                 THAG_SITE_(thag_scope_site_, #name);                                              \
                 THAG_ENTER_(&thag_scope_site_, &thag_scope_##name);                               \
             }) = THAG_FLAG_global,                                                                \
                  thag_scope_once_##name = 1;                                                      \
         thag_scope_once_##name; thag_scope_once_##name = 0)
#endif

#else /* not THAG_PROFILING: declarations of nothing */

#define THAG_PROFILED         extern int THAG_OFF_
#define THAG_OFF_(...)        thag_nothing_
#define THAG_PROFILED_IF(...) extern int thag_nothing_
#define THAG_SECTION(...)     extern int thag_nothing_
#define THAG_END(name)        ((void)0)
#define THAG_SCOPE(name)
#define thag_is_profiling()   0
#define thag_stop()           ((void)0)
#define thag_start()          ((void)0)
#define thag_ignore_begin()   ((void)0)
#define thag_ignore_end()     ((void)0)

#endif

#ifdef __cplusplus
}
#endif

#endif
