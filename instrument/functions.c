/*
 * functions.c -- what is to be done with each function that was found.
 */
#include "instrument/functions.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/lexer.h"
#include "instrument/memory.h"
#include "instrument/trivia.h"

static const struct {
    uint16_t reason;
    const char *word;
    const char *text;
} functions_reasons[] = {
    {IN_REASON_NAKED, "naked", "it is naked: it has no frame for a guard"},
    {IN_REASON_NO_INSTRUMENT, "no_instrument", "its author asked for no instrumentation"},
    {IN_REASON_INTERRUPT, "interrupt", "it is an interrupt handler"},
    {IN_REASON_IFUNC, "ifunc", "it is an ifunc resolver: it runs during relocation"},
    {IN_REASON_CONSTEXPR, "constexpr", "it is constexpr: it cannot have a guard"},
    {IN_REASON_COROUTINE, "coroutine", "it is a coroutine: its guard would outlive suspensions"},
    {IN_REASON_MUSTTAIL, "musttail", "it has a musttail call: nothing can run after that"},
    {IN_REASON_ALLOCATOR, "allocator", "it is an allocator: the guard itself may call it"},
    {IN_REASON_HOOK, "hook", "the guard itself may call it"},
    {IN_REASON_SIGNAL, "signal", "it is a signal handler: it may interrupt a guard"},
    {IN_REASON_GPU, "gpu", "it does not run on the host"},
    {IN_REASON_FILTER, "filter", "--include or --exclude leaves it out"},
};

#define REASON_COUNT (sizeof(functions_reasons) / sizeof(functions_reasons[0]))

const char *in_functions_reason_word(uint16_t reasons)
{
    for (size_t i = 0; i < REASON_COUNT; i++) {
        if (reasons & functions_reasons[i].reason)
            return functions_reasons[i].word;
    }
    return "";
}

const char *in_functions_reason_text(uint16_t reasons)
{
    for (size_t i = 0; i < REASON_COUNT; i++) {
        if (reasons & functions_reasons[i].reason)
            return functions_reasons[i].text;
    }
    return "";
}

/* --- what a name says --- */

static const char *const functions_allocators[] = {
    "malloc",   "calloc", "realloc", "reallocarray",  "free",           "cfree",
    "memalign", "valloc", "pvalloc", "aligned_alloc", "posix_memalign", "malloc_usable_size"};

static const char *const functions_hooks[] = {
    "memcpy", "memmove", "memset", "memcmp", "strlen",  "__stack_chk_fail",
    "_start", "_init",   "_fini",  "mcount", "_mcount", "__fentry__"};

static bool functions_name_is_in(const struct in_scan *scan, const struct in_function *function,
                                 const char *const *names, size_t count)
{
    size_t bytes = function->name_end - function->name_start;
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) == bytes &&
            memcmp(names[i], scan->text + function->name_start, bytes) == 0)
            return true;
    }
    return false;
}

static bool functions_name_begins(const struct in_scan *scan, const struct in_function *function,
                                  const char *prefix)
{
    size_t bytes = strlen(prefix);
    return function->name_end - function->name_start > bytes &&
           memcmp(scan->text + function->name_start, prefix, bytes) == 0;
}

/* operator new and delete, in any class. */
static bool functions_is_operator_new(const struct in_scan *scan,
                                      const struct in_function *function)
{
    struct in_lexer lexer = {scan->text, scan->bytes, function->name_start, false, true};
    in_lexer_next(&lexer);
    struct in_token token = in_lexer_next(&lexer);
    return in_lexer_is(&lexer, &token, "new") || in_lexer_is(&lexer, &token, "delete");
}

static uint16_t functions_reasons_of_name(const struct in_scan *scan,
                                          const struct in_function *function)
{
    size_t allocators = sizeof(functions_allocators) / sizeof(functions_allocators[0]);
    size_t hooks = sizeof(functions_hooks) / sizeof(functions_hooks[0]);
    if (function->is_operator)
        return functions_is_operator_new(scan, function) ? IN_REASON_ALLOCATOR : 0;
    /* A class may call its methods as it likes. */
    if (function->member || function->qualified)
        return 0;
    if (functions_name_is_in(scan, function, functions_allocators, allocators))
        return IN_REASON_ALLOCATOR;
    if (functions_name_is_in(scan, function, functions_hooks, hooks) ||
        functions_name_begins(scan, function, "thag_") ||
        functions_name_begins(scan, function, "__cyg_profile_func_"))
        return IN_REASON_HOOK;
    return 0;
}

/* --- what was noted elsewhere --- */

struct functions_key {
    const char *text;
    uint32_t bytes;
};

static int functions_compare(const struct functions_key *a, const struct functions_key *b)
{
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return memcmp(a->text, b->text, a->bytes);
}

static int functions_compare_notes(const void *a, const void *b, void *text)
{
    const struct in_noted_name *left = a, *right = b;
    return functions_compare(
        &(struct functions_key){(const char *)text + left->start, left->end - left->start},
        &(struct functions_key){(const char *)text + right->start, right->end - right->start});
}

/* Notes are sorted by name; all of one name count. */
static uint16_t functions_noted(const struct in_scan *scan, const struct in_function *function)
{
    struct functions_key name = {scan->text + function->name_start,
                                 function->name_end - function->name_start};
    uint32_t low = 0, high = scan->name_count;
    uint16_t reasons = 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct in_noted_name *note = &scan->names[middle];
        struct functions_key key = {scan->text + note->start, note->end - note->start};
        if (functions_compare(&key, &name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < scan->name_count; low++) {
        const struct in_noted_name *note = &scan->names[low];
        struct functions_key key = {scan->text + note->start, note->end - note->start};
        if (functions_compare(&key, &name) != 0)
            break;
        reasons |= note->reasons;
    }
    return reasons;
}

void in_functions_settle(struct in_scan *scan)
{
    if (scan->name_count > 1)
        qsort_r(scan->names, scan->name_count, sizeof(scan->names[0]), functions_compare_notes,
                (void *)(uintptr_t)scan->text);
    for (uint32_t i = 0; i < scan->function_count; i++) {
        struct in_function *function = &scan->functions[i];
        function->reasons |= functions_reasons_of_name(scan, function);
        if (!function->member)
            function->reasons |= functions_noted(scan, function);
    }
}

enum in_action in_functions_action(const struct in_scan *scan, const struct in_function *function)
{
    struct in_lexer lexer = {scan->text, scan->bytes, function->name_start, false, true};
    struct in_token name = {.start = function->name_start, .end = function->name_end};
    if (function->dropped)
        return IN_ACTION_NONE;
    if (function->marked)
        return IN_ACTION_ALREADY;
    if (function->reasons != 0)
        return IN_ACTION_SKIP;
    return function->global && !function->qualified && in_lexer_is(&lexer, &name, "main")
               ? IN_ACTION_ENABLE
               : IN_ACTION_ANNOTATE;
}

/* --- names for people --- */

/* Append a token's bytes without its line splices. */
static char *functions_append(const struct in_scan *scan, const struct in_token *token, char *to)
{
    for (uint32_t at = token->start; at < token->end;) {
        uint32_t splice = in_trivia_splice(scan->text, scan->bytes, at);
        if (splice == 0)
            *to++ = scan->text[at];
        at += splice ? splice : 1;
    }
    return to;
}

char *in_functions_name(const struct in_scan *scan, const struct in_function *function)
{
    struct in_lexer lexer = {scan->text, scan->bytes, function->name_start, false, true};
    /* Each token may need a blank before it. */
    char *name = in_memory_resize(NULL, 2 * (function->name_end - function->name_start) + 2, 1);
    char *to = name;
    uint8_t before = IN_SIGN_END;
    for (;;) {
        struct in_token token = in_lexer_next(&lexer);
        if (token.sign == IN_SIGN_END || token.end > function->name_end)
            break;
        if (before == IN_SIGN_WORD && token.sign == IN_SIGN_WORD)
            *to++ = ' ';
        to = functions_append(scan, &token, to);
        before = token.sign;
    }
    if (to == name)
        *to++ = '?';
    *to = '\0';
    return name;
}
