/*
 * scan.h -- the functions of a source, and what a tool must know to annotate them.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_SCAN_H
#define THAG_IN_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "instrument/frames.h"
#include "instrument/language.h"
#include "instrument/reasons.h"

/* A function with a body in the source. */
struct in_function {
    uint32_t brace, brace_end;     /* its body's opening brace: { or <% */
    uint32_t name_start, name_end; /* equal if the name could not be told */
    uint16_t reasons;              /* enum in_reason bits */
    bool is_operator;
    bool qualified; /* defined as CLASS::NAME */
    bool member;    /* defined in its class */
    bool global;    /* declared in the global namespace */
    bool bare;      /* no type before the name */
    bool marked;    /* one of the macros is in its body */
    bool dropped;   /* turned out to be no function */
};

/* A statement "THAG_PROFILED;", or with arguments, or of THAG_ENABLE_PROFILING. */
struct in_mark {
    uint32_t start, end; /* from the name to behind the semicolon */
    uint32_t function;   /* the one in whose body it is */
};

/* An #include of thag_profiler.h. */
struct in_header_include {
    uint32_t start, end;
    uint32_t depth;      /* how many #if are open around it */
    uint32_t branch_end; /* where the innermost #if around it ends, the source's end if none */
};

/* A name that is said to be none to annotate, away from its definition. */
struct in_noted_name {
    uint32_t start, end;
    uint16_t reasons;
};

/* Which branch of an #if the code behind the #endif belongs to. */
enum in_policy {
    IN_POLICY_FIRST,  /* the first that may be compiled */
    IN_POLICY_LAST,   /* the last */
    IN_POLICY_LEVEL,  /* the last, if it closes what it opens; else the first */
    IN_POLICY_COLUMN, /* the last; and a } in the first column closes the function */
    IN_POLICY_COUNT,
};

struct in_scan {
    const char *text;
    uint32_t bytes;
    bool cplusplus;
    enum in_policy policy;
    uint32_t errors; /* brackets that did not fit */

    struct in_function *functions; /* in the order of their braces */
    struct in_mark *marks;
    struct in_header_include *includes;
    struct in_noted_name *names;
    uint32_t function_count, function_room;
    uint32_t mark_count, mark_room;
    uint32_t include_count, include_room;
    uint32_t name_count, name_room;
    uint32_t macro_words; /* names that begin with THAG_ or thag_ */
};

/*
 * Find the functions: with each policy in turn until the brackets fit, else with the best of them.
 *
 * Inputs:   TEXT[BYTES] is a NUL that is not part of the source; TEXT stays until the release.
 * Result:   RET_SCAN, ended by in_scan_release().
 */
void in_scan_source(const char *text, uint32_t bytes, enum in_language language,
                    struct in_scan *ret_scan);
void in_scan_release(struct in_scan *scan);

#endif
