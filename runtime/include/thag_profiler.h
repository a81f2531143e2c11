/*
 * thag_profiler.h -- marks functions and sections to be profiled.
 *
 *   #include <thag_profiler.h>
 *   int main(void) {
 *       THAG_ENABLE_PROFILING;              the root: recorded is what runs from here to its end
 *       f();
 *   }
 *   int f(void) {
 *       THAG_PROFILED;                      the whole function
 *       THAG_SECTION(parse, mem_summary);   from here ...
 *       THAG_END(parse);                    ... to here, or to the end of the block
 *   }
 *
 * Compile with -DTHAG_PROFILING, or all of it is nothing. There is nothing to link: the references
 * are weak, and without the preloaded library each mark costs one predicted branch.
 *
 * Flags, in any order: time, mem_summary, mem_detail, both, global, test; of sections also
 * async_fn (its name gets the prefix async::) and unbounded (there is no THAG_END, it ends with its
 * block). They can narrow what the run records, never widen it.
 *
 * THAG_ENABLE_PROFILING(mode, function(flags...)): the mode is both, memory, time, yes (the
 * default, the same as both), no, or runtime (only if THAG_PROFILER is set); function() takes the
 * flags of a function and none (the root has no frame of its own). Each part may be left out.
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

/* The words of functions, of sections, of the root, and modes. One without a word stands for an
 * empty list; one that ends in S_ for a bare mark: as the name of a function-like macro it takes
 * words as well. */
enum thag_flags_ {
    THAG_FLAG_time = 1,
    THAG_FLAG_mem_summary = 2,
    THAG_FLAG_both = 3,
    THAG_FLAG_mem_detail = 4,
    THAG_FLAG_global = 8,
    THAG_FLAG_test = 16,
    THAG_FLAG_ = 8,
    THAG_FLAGS_ = 8,

    THAG_PART_time = 1,
    THAG_PART_mem_summary = 2,
    THAG_PART_both = 3,
    THAG_PART_mem_detail = 4,
    THAG_PART_global = 8,
    THAG_PART_test = 16,
    THAG_PART_async_fn = 32,
    THAG_PART_unbounded = 64,

    THAG_ROOT_time = 1,
    THAG_ROOT_mem_summary = 2,
    THAG_ROOT_both = 3,
    THAG_ROOT_mem_detail = 4,
    THAG_ROOT_global = 8,
    THAG_ROOT_test = 16,
    THAG_ROOT_none = 128,
    THAG_ROOT_ = 8,

    THAG_MODE_time = 256,
    THAG_MODE_memory = 512,
    THAG_MODE_both = 768,
    THAG_MODE_yes = 768,
    THAG_MODE_no = 1024,
    THAG_MODE_runtime = 2048,
    THAG_MODE_ = 768,
    THAG_MODES_ = 768
};

/* One mark in the source. */
struct thag_site_ {
    const char *name; /* of the section; 0: the function */
    const char *function;
    unsigned line;
    unsigned noted;   /* the library's own, as is the rest */
    void *library[2];
};

/* A mark that is open. */
struct thag_guard_ {
    struct thag_site_ *site;
    unsigned flags;
    unsigned node; /* the library's own */
};

struct thag_task; /* made by thag_task_create() */

/* What thag_current() tells of a function, section or task, as this thread has it now. */
struct thag_view {
    const char *name;          /* 0: known by its address alone */
    const void *function;      /* 0: a section or task */
    unsigned long calls;       /* those that are open included */
    unsigned long time_ns;     /* inclusive, up to now, raw */
    unsigned long allocations; /* booked on it, without what it calls */
    unsigned long bytes;       /* of those allocations */
};

#ifdef THAG_PROFILING

extern unsigned *thag_library_enter(struct thag_guard_ *guard, void *caller) __attribute__((weak));
extern void thag_library_leave(struct thag_guard_ *guard) __attribute__((weak));
extern void thag_library_end(struct thag_guard_ *guard) __attribute__((weak));
extern void thag_library_enable(struct thag_guard_ *guard, void *caller) __attribute__((weak));
extern void thag_library_disable(struct thag_guard_ *guard) __attribute__((weak));
extern void thag_library_mode(unsigned flags) __attribute__((weak));
extern int thag_library_is_profiling(void) __attribute__((weak));
extern void thag_library_ignore(int change) __attribute__((weak));
extern void thag_library_switch(int on) __attribute__((weak));
extern int thag_library_snapshot(void) __attribute__((weak));
extern struct thag_task *thag_library_task_create(const char *name) __attribute__((weak));
extern void thag_library_task_enter(struct thag_task *task) __attribute__((weak));
extern void thag_library_task_leave(struct thag_task *task) __attribute__((weak));
extern void thag_library_task_end(struct thag_task *task) __attribute__((weak));
extern int thag_library_current(struct thag_view *ret_view) __attribute__((weak));

#define THAG_INLINE_                                                                               \
    static __inline__ __attribute__((always_inline, unused, no_instrument_function))

/* A macro: in a function, however inlined, the call would be that function's. */
#define THAG_ENTER_(guard)                                                                         \
    (__builtin_expect(thag_library_enter != 0, 0)                                                  \
         ? thag_library_enter(guard, __builtin_return_address(0))                                  \
         : &(guard)->flags)

THAG_INLINE_ void thag_leave_(struct thag_guard_ *guard)
{
    if (__builtin_expect(thag_library_leave != 0, 0)) {
        thag_library_leave(guard);
    }
}

THAG_INLINE_ void thag_end_(struct thag_guard_ *guard)
{
    if (__builtin_expect(thag_library_end != 0, 0)) {
        thag_library_end(guard);
    }
}

THAG_INLINE_ void thag_disable_(struct thag_guard_ *guard)
{
    if (__builtin_expect(thag_library_disable != 0, 0)) {
        thag_library_disable(guard);
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

/* Copy the recording, as it is at this moment, to BASE-snapN.thag, and have it resolved. N, or 0 if
 * there is no recording or no copy could be written. Safe in handlers. */
THAG_INLINE_ int thag_snapshot(void)
{
    return thag_library_snapshot ? thag_library_snapshot() : 0;
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

/*
 * Tasks: work that a program of its own scheduling takes up and lays down, on whatever thread. What
 * runs between an enter and the leave that belongs to it is below async::NAME instead of the
 * thread's own functions, and what is open at the leave is open again at the next enter. A task
 * runs on one thread at a time; enters of several tasks nest. All of them accept a null task.
 * NAME is copied. 0 if nothing is recorded.
 */
THAG_INLINE_ struct thag_task *thag_task_create(const char *name)
{
    return thag_library_task_create ? thag_library_task_create(name) : 0;
}

/* This thread takes the task up. */
THAG_INLINE_ void thag_task_enter(struct thag_task *task)
{
    if (task) {
        thag_library_task_enter(task);
    }
}

/* This thread lays the task down, and those that it has entered since. */
THAG_INLINE_ void thag_task_leave(struct thag_task *task)
{
    if (task) {
        thag_library_task_leave(task);
    }
}

/* The task is done: what is open in it is closed, and it is gone. It is left first if need be. */
THAG_INLINE_ void thag_task_end(struct thag_task *task)
{
    if (task) {
        thag_library_task_end(task);
    }
}

/*
 * The innermost function, section or task that is open in this thread: 1. After the return of a
 * function with the flag test its last view, once, unless another mark was entered since: 2.
 * Neither: 0, and the view is untouched.
 */
THAG_INLINE_ int thag_current(struct thag_view *ret_view)
{
    return thag_library_current ? thag_library_current(ret_view) : 0;
}

/* --- lists of up to eight words; P is the beginning of their names --- */

#define THAG_PICK_(a, b, c, d, e, f, g, h, i, j, ...) j
#define THAG_F1_(p, a)                                (p##a)
#define THAG_F2_(p, a, b)                             (p##a | p##b)
#define THAG_F3_(p, a, b, c)                          (THAG_F2_(p, a, b) | p##c)
#define THAG_F4_(p, a, b, c, d)                       (THAG_F3_(p, a, b, c) | p##d)
#define THAG_F5_(p, a, b, c, d, e)                    (THAG_F4_(p, a, b, c, d) | p##e)
#define THAG_F6_(p, a, b, c, d, e, f)                 (THAG_F5_(p, a, b, c, d, e) | p##f)
#define THAG_F7_(p, a, b, c, d, e, f, g)              (THAG_F6_(p, a, b, c, d, e, f) | p##g)
#define THAG_F8_(p, a, b, c, d, e, f, g, h)           (THAG_F7_(p, a, b, c, d, e, f, g) | p##h)
#define THAG_WORDS_(p, ...)                                                                        \
    THAG_PICK_(0, __VA_ARGS__, THAG_F8_, THAG_F7_, THAG_F6_, THAG_F5_, THAG_F4_, THAG_F3_,         \
               THAG_F2_, THAG_F1_, 0)                                                              \
    (p, __VA_ARGS__)
#define THAG_FLAGS_(...) THAG_WORDS_(THAG_FLAG_, __VA_ARGS__)

/* The same behind a first word that is none; nothing behind it is "global". */
#define THAG_R1_(p, n)                         (p##global)
#define THAG_R2_(p, n, a)                      THAG_F1_(p, a)
#define THAG_R3_(p, n, a, b)                   THAG_F2_(p, a, b)
#define THAG_R4_(p, n, a, b, c)                THAG_F3_(p, a, b, c)
#define THAG_R5_(p, n, a, b, c, d)             THAG_F4_(p, a, b, c, d)
#define THAG_R6_(p, n, a, b, c, d, e)          THAG_F5_(p, a, b, c, d, e)
#define THAG_R7_(p, n, a, b, c, d, e, f)       THAG_F6_(p, a, b, c, d, e, f)
#define THAG_R8_(p, n, a, b, c, d, e, f, g)    THAG_F7_(p, a, b, c, d, e, f, g)
#define THAG_R9_(p, n, a, b, c, d, e, f, g, h) THAG_F8_(p, a, b, c, d, e, f, g, h)
#define THAG_REST_(p, ...)                                                                         \
    THAG_PICK_(__VA_ARGS__, THAG_R9_, THAG_R8_, THAG_R7_, THAG_R6_, THAG_R5_, THAG_R4_, THAG_R3_,  \
               THAG_R2_, THAG_R1_, 0)                                                              \
    (p, __VA_ARGS__)
#define THAG_FIRST_(a, ...) a

/* --- marks --- */

#define THAG_PASTE_(a, b)  a##b
#define THAG_UNIQUE_(a, b) THAG_PASTE_(a, b) /* b: of a counter, for marks may share a line */

/* In an inline function of C each file has a site and functions of its own, as it should be. */
#if defined(__clang__) && !defined(__cplusplus)
#define THAG_QUIET_                                                                                \
    _Pragma("clang diagnostic push")                                                               \
    _Pragma("clang diagnostic ignored \"-Wstatic-local-in-inline\"")                               \
    _Pragma("clang diagnostic ignored \"-Wstatic-in-inline\"")
#define THAG_ALOUD_ _Pragma("clang diagnostic pop")
#else
#define THAG_QUIET_
#define THAG_ALOUD_
#endif

#define THAG_SITE_(site, name)                                                                     \
    THAG_QUIET_ static struct thag_site_ site __attribute__((unused)) = {                          \
        name, __extension__ __PRETTY_FUNCTION__, __LINE__, 0, {0, 0}} THAG_ALOUD_

#define THAG_GUARD_(site, guard, flags, leave)                                                     \
    THAG_QUIET_ struct thag_guard_ guard __attribute__((cleanup(leave), unused)) = {               \
        &site, flags, 0} THAG_ALOUD_

/* The flags of a bare mark are stored behind its entry, so that they can be what it ends with. */
#define THAG_FUNCTION_(id)                                                                         \
    THAG_SITE_(THAG_UNIQUE_(thag_site_, id), 0);                                                   \
    THAG_GUARD_(THAG_UNIQUE_(thag_site_, id), THAG_UNIQUE_(thag_guard_, id), 0, thag_leave_);      \
    unsigned THAG_UNIQUE_(thag_flags_, id) __attribute__((unused)) =                               \
        *THAG_ENTER_(&THAG_UNIQUE_(thag_guard_, id))

/* THAG_PROFILED;  or  THAG_PROFILED(time, test); */
#define THAG_PROFILED THAG_FUNCTION_(__COUNTER__) = THAG_FLAGS_

/* THAG_PROFILED_IF(condition);  or with flags behind it. */
#define THAG_PROFILED_IF(...)                                                                      \
    THAG_IF_(__COUNTER__, THAG_FIRST_(__VA_ARGS__, 0), THAG_REST_(THAG_FLAG_, __VA_ARGS__))
#define THAG_IF_(id, condition, flags)                                                             \
    THAG_SITE_(THAG_UNIQUE_(thag_site_, id), 0);                                                   \
    THAG_GUARD_(THAG_UNIQUE_(thag_site_, id), THAG_UNIQUE_(thag_guard_, id), flags, thag_leave_);  \
    unsigned THAG_UNIQUE_(thag_flags_, id) __attribute__((unused)) =                               \
        (condition) ? *THAG_ENTER_(&THAG_UNIQUE_(thag_guard_, id)) : 0

#define THAG_SECTION_(id, flags)                                                                   \
    THAG_SITE_(thag_section_site_##id, #id);                                                       \
    THAG_GUARD_(thag_section_site_##id, thag_section_##id, flags, thag_leave_);                    \
    unsigned thag_section_flags_##id __attribute__((unused)) = *THAG_ENTER_(&thag_section_##id)
#define THAG_SECTION_NAMED_(name, flags) THAG_SECTION_(name, flags)

/* THAG_SECTION(name);  or  THAG_SECTION(name, flags...);  up to THAG_END(name) or the end of the
 * block. */
#define THAG_SECTION(...)                                                                          \
    THAG_SECTION_NAMED_(THAG_FIRST_(__VA_ARGS__, 0), THAG_REST_(THAG_PART_, __VA_ARGS__))
/* Ends the section here, and what is open inside it. */
#define THAG_END(name) THAG_QUIET_ thag_end_(&thag_section_##name) THAG_ALOUD_

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
/* THAG_SCOPE(name) { ... } is a section that the braces end. */
#define THAG_SCOPE(name)                                                                           \
    for (THAG_QUIET_ struct thag_guard_ thag_scope_##name __attribute__((cleanup(thag_leave_))) =  \
                                __extension__({                                                    \
                                    THAG_SITE_(thag_scope_site_, #name);                           \
                                    struct thag_guard_ thag_new_ = {&thag_scope_site_,             \
                                                                    THAG_PART_global, 0};          \
                                    thag_new_;                                                     \
                                }),                                                                \
                            *thag_scope_once_##name =                                              \
                                (THAG_ENTER_(&thag_scope_##name), &thag_scope_##name);             \
         THAG_ALOUD_ thag_scope_once_##name; thag_scope_once_##name = 0)
#endif

/* --- the root --- */

/*
 * A note in the program (type 1), so that the library knows before main that there is a root. One
 * with words has a second note with them; both have the same id. The words come last, so the root
 * is entered without them and set right at once.
 */
#define THAG_NOTE_(id, flags)                                                                      \
    __asm__ volatile(".pushsection .note.thag,\"a\",%%note\n"                                     \
                     ".balign 4\n"                                                                 \
                     ".long 5, 8, 1\n"                                                             \
                     ".asciz \"thag\"\n"                                                           \
                     ".balign 4\n"                                                                 \
                     ".long %c0, %c1\n"                                                            \
                     ".popsection"                                                                 \
                     :                                                                             \
                     : "i"(id), "i"(flags))
#define THAG_ID_ ((int)(__LINE__ + (sizeof(__FILE__) << 20)))

#define THAG_ENABLE_(id)                                                                           \
    THAG_SITE_(THAG_UNIQUE_(thag_root_, id), 0);                                                   \
    THAG_GUARD_(THAG_UNIQUE_(thag_root_, id), THAG_UNIQUE_(thag_root_guard_, id), 0,               \
                thag_disable_);                                                                    \
    unsigned THAG_UNIQUE_(thag_root_flags_, id) __attribute__((unused)) =                          \
        __extension__({                                                                            \
            THAG_NOTE_(THAG_ID_, 0);                                                               \
            if (__builtin_expect(thag_library_enable != 0, 0)) {                                   \
                thag_library_enable(&THAG_UNIQUE_(thag_root_guard_, id),                           \
                                    __builtin_return_address(0));                                  \
            }                                                                                      \
            0;                                                                                     \
        })                                                                                         \
            ? 0                                                                                    \
            :

THAG_INLINE_ unsigned thag_mode_(unsigned flags)
{
    if (__builtin_expect(thag_library_mode != 0, 0)) {
        thag_library_mode(flags);
    }
    return flags;
}

/* function(flags...), one of the words of THAG_ENABLE_PROFILING. */
#define THAG_MODE_function(...) THAG_WORDS_(THAG_ROOT_, __VA_ARGS__)
#define THAG_M1_(a)             (THAG_MODE_##a)
#define THAG_M2_(a, b)          (THAG_MODE_##a | THAG_MODE_##b)
#define THAG_M_(a, b, c, ...)   c
#define THAG_MODES_(...)                                                                           \
    THAG_MODED_(THAG_ID_, THAG_M_(__VA_ARGS__, THAG_M2_, THAG_M1_, 0)(__VA_ARGS__))
#define THAG_MODED_(id, flags)                                                                     \
    __extension__({                                                                                \
        THAG_NOTE_(id, (flags) | 65536);                                                           \
        thag_mode_(flags);                                                                         \
    })

/* THAG_ENABLE_PROFILING;  or  THAG_ENABLE_PROFILING(memory, function(time)); */
#define THAG_ENABLE_PROFILING THAG_ENABLE_(__LINE__) THAG_MODES_

#else /* not THAG_PROFILING: declarations of nothing, of types, as these have no linkage */

#define THAG_PROFILED              struct THAG_OFF_
#define THAG_ENABLE_PROFILING      struct THAG_OFF_
#define THAG_OFF_(...)             thag_nothing_
/* What the condition names counts as used; it is not computed. */
#define THAG_PROFILED_IF(...)      THAG_UNUSED_(__COUNTER__, __VA_ARGS__, 0)
#define THAG_UNUSED_(id, ...)      THAG_UNUSED_TYPE_(id, __VA_ARGS__)
#define THAG_UNUSED_TYPE_(id, condition, ...)                                                      \
    typedef char thag_unused_##id[sizeof((condition) ? 1 : 1)] __attribute__((unused))
#define THAG_SECTION(...)          struct thag_nothing_
#define THAG_END(name)             ((void)0)
#define THAG_SCOPE(name)
#define thag_is_profiling()        0
#define thag_stop()                ((void)0)
#define thag_start()               ((void)0)
#define thag_snapshot()            0
#define thag_ignore_begin()        ((void)0)
#define thag_ignore_end()          ((void)0)
#define thag_task_create(name)     ((void)(name), (struct thag_task *)0)
#define thag_task_enter(task)      ((void)(task))
#define thag_task_leave(task)      ((void)(task))
#define thag_task_end(task)        ((void)(task))
#define thag_current(ret_view)     ((void)(ret_view), 0)

#endif

#ifdef __cplusplus
}
#endif

#endif
