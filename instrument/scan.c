/*
 * scan.c -- the functions of a source: the walk over its tokens.
 */
#include "instrument/scan.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/memory.h"
#include "instrument/scanner.h"

/* Of a statement no more than its first tokens matter; an initialiser may have millions. */
#define STATEMENT_ITEMS 64

static bool scan_has_items(const struct in_frame *frame)
{
    return frame->kind != IN_FRAME_PAREN && frame->kind != IN_FRAME_BRACKET;
}

static void scan_add(struct in_scanner *scanner, const struct in_item *item)
{
    struct in_frame *top = &scanner->frames.top;
    if (!scan_has_items(top) || (top->kind == IN_FRAME_CODE && top->item_count >= STATEMENT_ITEMS))
        return;
    top->attributed |= item->word == IN_WORD_ATTRIBUTE || item->sign == '[' ||
                       (item->word >= IN_WORD_BARE_NAKED && item->word <= IN_WORD_GPU);
    in_frames_add(&scanner->frames, item);
}

/* --- brackets other than braces --- */

/* In C++ a [ where an operand may begin opens a lambda; behind a name it is an index. */
static bool scan_begins_lambda(const struct in_scanner *scanner)
{
    const struct in_token *before = &scanner->before;
    struct in_lexer ahead = scanner->lexer;
    if (!scanner->lexer.cplusplus || in_lexer_next_code(&ahead).sign == '[')
        return false;
    if (before->sign == IN_SIGN_WORD)
        return before->word == IN_WORD_STATEMENT || before->word == IN_WORD_COROUTINE ||
               before->word == IN_WORD_ELSE || before->word == IN_WORD_CONTROL;
    return before->sign == IN_SIGN_END || !strchr(")]>snc[", before->sign);
}

static void scan_open(struct in_scanner *scanner, const struct in_token *token)
{
    bool bracket = token->sign == '[';
    if (bracket && scan_begins_lambda(scanner))
        scanner->frames.top.lambda_begun = true;
    in_frames_push(&scanner->frames, bracket ? IN_FRAME_BRACKET : IN_FRAME_PAREN, token->start);
}

static void scan_close(struct in_scanner *scanner, const struct in_token *token)
{
    uint8_t kind = token->sign == ')' ? IN_FRAME_PAREN : IN_FRAME_BRACKET;
    if (scanner->frames.top.kind != kind) {
        scanner->scan->errors++;
        return;
    }
    struct in_frame closed = in_frames_pop(&scanner->frames);
    struct in_item item = {
        .start = closed.open, .end = token->end, .sign = token->sign == ')' ? '(' : '['};
    scan_add(scanner, &item);
}

/* --- what separates declarations and statements --- */

static void scan_semicolon(struct in_scanner *scanner)
{
    if (!scan_has_items(&scanner->frames.top))
        return;
    if (scanner->frames.top.kind == IN_FRAME_DECLARATIONS)
        in_declarations_end(scanner);
    in_frames_clear(&scanner->frames);
}

/* Does the colon end a label, or "public:"? Not in a class's bases, after ?, in a constructor. */
static bool scan_is_label(struct in_scanner *scanner)
{
    const struct in_frame *top = &scanner->frames.top;
    if (top->kind != IN_FRAME_CODE && top->kind != IN_FRAME_CLASS)
        return false;
    uint32_t count = in_frames_items(&scanner->frames, scanner->items, IN_ITEMS_LIMIT);
    for (uint32_t i = 0; i < count; i++) {
        const struct in_item *item = &scanner->items[i];
        if (item->sign == '?' || (item->sign == '(' && top->kind == IN_FRAME_CLASS))
            return false;
        if (item->sign == IN_SIGN_WORD &&
            (item->word == IN_WORD_CLASS || item->word == IN_WORD_ENUM ||
             item->word == IN_WORD_OPERATOR))
            return false;
    }
    return true;
}

static void scan_plain(struct in_scanner *scanner, const struct in_token *token)
{
    struct in_item item = {
        .start = token->start, .end = token->end, .sign = token->sign, .word = token->word};
    /* "auto &[a, b] = ..." was no lambda. */
    if (token->sign == '=')
        scanner->frames.top.lambda_begun = false;
    scan_add(scanner, &item);
}

static void scan_step(struct in_scanner *scanner, const struct in_token *token)
{
    switch (token->sign) {
    case '(':
    case '[':
        scan_open(scanner, token);
        break;
    case ')':
    case ']':
        scan_close(scanner, token);
        break;
    case '{':
        in_braces_open(scanner, token);
        break;
    case '}':
        in_braces_close(scanner);
        break;
    case ';':
        scan_semicolon(scanner);
        break;
    case ':':
        if (scan_is_label(scanner))
            in_frames_clear(&scanner->frames);
        else
            scan_plain(scanner, token);
        break;
    case IN_SIGN_WORD:
        in_facts_word(scanner, token);
        scan_plain(scanner, token);
        break;
    default:
        scan_plain(scanner, token);
        break;
    }
}

/* A } in the first column: whatever is open inside the function is left open by mistake. */
static void scan_close_function(struct in_scanner *scanner)
{
    struct in_frames *frames = &scanner->frames;
    uint32_t depth = frames->top.depth;
    uint32_t outer = frames->top.outer;
    bool found = frames->top.function != IN_NONE;
    while (!found && depth > 1) {
        found = frames->outer[outer].function != IN_NONE;
        outer = frames->outer[outer].outer;
        depth--;
    }
    if (!found || depth == frames->top.depth)
        return;
    scanner->scan->errors++;
    while (frames->top.depth > depth)
        in_frames_pop(frames);
    in_frames_clear(frames);
}

static void scan_directive(struct in_scanner *scanner, const struct in_token *token)
{
    switch (token->directive) {
    case IN_DIRECTIVE_OTHER:
        break;
    case IN_DIRECTIVE_INCLUDE:
        if (!in_conditions_is_dead(&scanner->conditions))
            in_facts_include(scanner, token);
        break;
    default:
        /* An #endif too many ends nothing. */
        if (token->directive != IN_DIRECTIVE_IF && scanner->conditions.count > 0)
            in_facts_branch_end(scanner, scanner->conditions.count, token->start);
        in_conditions_step(&scanner->conditions, &scanner->frames, scanner->scan->policy, token);
        break;
    }
}

static void scan_walk(struct in_scanner *scanner)
{
    for (;;) {
        struct in_token token = in_lexer_next(&scanner->lexer);
        if (token.sign == IN_SIGN_END)
            break;
        if (token.sign == IN_SIGN_DIRECTIVE) {
            scan_directive(scanner, &token);
            continue;
        }
        if (in_conditions_is_dead(&scanner->conditions))
            continue;
        if (token.sign == '}' && token.first_column && scanner->scan->policy == IN_POLICY_COLUMN)
            scan_close_function(scanner);
        scan_step(scanner, &token);
        scanner->before = token;
    }
    scanner->scan->errors += scanner->frames.top.depth;
    in_facts_branch_end(scanner, 0, scanner->lexer.bytes);
}

static void scan_with(struct in_scan *scan)
{
    struct in_scanner *scanner = in_memory_resize(NULL, 1, sizeof(struct in_scanner));
    memset(scanner, 0, sizeof(*scanner));
    scanner->scan = scan;
    in_lexer_start(&scanner->lexer, scan->text, scan->bytes, scan->cplusplus);
    in_frames_start(&scanner->frames);
    scan_walk(scanner);
    in_frames_release(&scanner->frames);
    in_conditions_release(&scanner->conditions);
    free(scanner);
}

void in_scan_source(const char *text, uint32_t bytes, enum in_language language,
                    struct in_scan *ret_scan)
{
    bool cplusplus = language == IN_LANGUAGE_GUESS ? in_language_is_cplusplus(text, bytes)
                                                   : language == IN_LANGUAGE_CPLUSPLUS;
    struct in_scan best = {.errors = UINT32_MAX};
    for (unsigned policy = 0; policy < IN_POLICY_COUNT && best.errors > 0; policy++) {
        struct in_scan scan = {
            .text = text, .bytes = bytes, .cplusplus = cplusplus, .policy = policy};
        scan_with(&scan);
        bool better = scan.errors < best.errors;
        in_scan_release(better ? &best : &scan);
        if (better)
            best = scan;
    }
    *ret_scan = best;
}

void in_scan_release(struct in_scan *scan)
{
    free(scan->functions);
    free(scan->marks);
    free(scan->includes);
    free(scan->names);
}
