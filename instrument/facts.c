/*
 * facts.c -- what single words and includes say about functions.
 */
#include <string.h>
#include <strings.h>

#include "instrument/memory.h"
#include "instrument/scanner.h"

uint32_t in_facts_function(struct in_scanner *scanner, const struct in_token *token,
                           const struct in_function *function)
{
    struct in_scan *scan = scanner->scan;
    scan->functions = in_memory_grow(scan->functions, scan->function_count, &scan->function_room,
                                     sizeof(struct in_function));
    scan->functions[scan->function_count] = *function;
    scan->functions[scan->function_count].brace = token->start;
    scan->functions[scan->function_count].brace_end = token->end;
    return scan->function_count++;
}

void in_facts_note(struct in_scanner *scanner, uint32_t start, uint32_t end, uint16_t reasons)
{
    struct in_scan *scan = scanner->scan;
    scan->names = in_memory_grow(scan->names, scan->name_count, &scan->name_room,
                                 sizeof(struct in_noted_name));
    scan->names[scan->name_count++] = (struct in_noted_name){start, end, reasons};
}

/* --- the macros --- */

/* Behind the semicolon of the macro's statement, or 0: it is not a statement. */
static uint32_t facts_mark_end(struct in_lexer ahead)
{
    unsigned depth = 0;
    for (;;) {
        struct in_token token = in_lexer_next(&ahead);
        if (token.sign == '(')
            depth++;
        else if (token.sign == ')' && depth > 0)
            depth--;
        else if (depth == 0)
            return token.sign == ';' ? token.end : 0;
        else if (token.sign == IN_SIGN_END || token.sign == ';' || token.sign == IN_SIGN_DIRECTIVE)
            return 0;
    }
}

static void facts_mark(struct in_scanner *scanner, const struct in_token *token)
{
    struct in_scan *scan = scanner->scan;
    const struct in_frame *top = &scanner->frames.top;
    if (top->kind != IN_FRAME_CODE || top->item_count > 0)
        return;
    uint32_t end = facts_mark_end(scanner->lexer);
    if (end == 0)
        return;
    scan->marks =
        in_memory_grow(scan->marks, scan->mark_count, &scan->mark_room, sizeof(struct in_mark));
    scan->marks[scan->mark_count++] = (struct in_mark){token->start, end, top->owner};
}

/* What a word in a body says about the function. */
static void facts_in_body(struct in_scanner *scanner, const struct in_token *token)
{
    struct in_function *owner = &scanner->scan->functions[scanner->frames.top.owner];
    switch (token->word) {
    case IN_WORD_COROUTINE:
        owner->reasons |= IN_REASON_COROUTINE;
        break;
    case IN_WORD_MUSTTAIL:
        owner->reasons |= IN_REASON_MUSTTAIL;
        break;
    case IN_WORD_MARK:
        owner->marked = true;
        facts_mark(scanner, token);
        break;
    case IN_WORD_CONDITIONAL_MARK:
        owner->marked = true;
        break;
    default:
        break;
    }
}

/* --- names that stand somewhere else --- */

/* "&", a cast: what may stand before a function's name where it is a value. */
static struct in_token facts_value_name(struct in_lexer *ahead)
{
    struct in_token token = in_lexer_next_code(ahead);
    if (token.sign == '(') {
        for (unsigned depth = 1; depth > 0 && token.sign != IN_SIGN_END;) {
            token = in_lexer_next_code(ahead);
            if (token.sign == ';')
                return token;
            depth += (unsigned)(token.sign == '(') - (unsigned)(token.sign == ')');
        }
        token = in_lexer_next_code(ahead);
    }
    return token.sign == '&' ? in_lexer_next_code(ahead) : token;
}

/* "signal(SIGINT, handler)". */
static void facts_signal(struct in_scanner *scanner)
{
    struct in_lexer ahead = scanner->lexer;
    if (in_lexer_next_code(&ahead).sign != '(')
        return;
    struct in_token token = in_lexer_next_code(&ahead);
    if (token.sign != IN_SIGN_WORD && token.sign != IN_SIGN_NUMBER)
        return;
    if (in_lexer_next_code(&ahead).sign != ',')
        return;
    token = facts_value_name(&ahead);
    if (token.sign == IN_SIGN_WORD && in_lexer_next_code(&ahead).sign == ')')
        in_facts_note(scanner, token.start, token.end, IN_REASON_SIGNAL);
}

/* "action.sa_handler = handler". */
static void facts_handler_field(struct in_scanner *scanner)
{
    struct in_lexer ahead = scanner->lexer;
    if (in_lexer_next_code(&ahead).sign != '=')
        return;
    struct in_token token = facts_value_name(&ahead);
    if (token.sign == IN_SIGN_WORD)
        in_facts_note(scanner, token.start, token.end, IN_REASON_SIGNAL);
}

/* ifunc("resolver"), in C++ with the mangled name: what it is made of counts. */
static void facts_ifunc(struct in_scanner *scanner)
{
    struct in_lexer ahead = scanner->lexer;
    const char *text = scanner->lexer.text;
    if (in_lexer_next_code(&ahead).sign != '(')
        return;
    struct in_token token = in_lexer_next_code(&ahead);
    if (token.sign != IN_SIGN_STRING || token.end - token.start < 3)
        return;
    uint32_t start = token.start + 1, end = token.end - 1;
    if (text[start] != '_' || text[start + 1] != 'Z') {
        in_facts_note(scanner, start, end, IN_REASON_IFUNC);
        return;
    }
    for (uint32_t at = start; at < end; at++) {
        uint32_t length = 0;
        while (at < end && text[at] >= '0' && text[at] <= '9' && length < end)
            length = length * 10 + (uint32_t)(text[at++] - '0');
        if (length > 0 && length <= end - at)
            in_facts_note(scanner, at, at + length, IN_REASON_IFUNC);
        at += length > 0 && length <= end - at ? length - 1 : 0;
    }
}

void in_facts_word(struct in_scanner *scanner, const struct in_token *token)
{
    const char *text = scanner->lexer.text + token->start;
    if (token->end - token->start > 5 && text[4] == '_' && strncasecmp(text, "thag", 4) == 0)
        scanner->scan->macro_words++;
    if (token->word == IN_WORD_NONE)
        return;
    if (scanner->frames.top.owner != IN_NONE)
        facts_in_body(scanner, token);
    if (token->word == IN_WORD_SIGNAL)
        facts_signal(scanner);
    else if (token->word == IN_WORD_HANDLER_FIELD)
        facts_handler_field(scanner);
    else if (token->word == IN_WORD_IFUNC)
        facts_ifunc(scanner);
}

/* --- includes --- */

void in_facts_include(struct in_scanner *scanner, const struct in_token *token)
{
    static const char name[] = "thag_profiler.h";
    struct in_scan *scan = scanner->scan;
    const char *line = scanner->lexer.text + token->start;
    const char *found = memmem(line, token->end - token->start, name, sizeof(name) - 1);
    if (!found || found == line || !strchr("<\"/", found[-1]) ||
        !strchr(">\"", found[sizeof(name) - 1]) || found[sizeof(name) - 1] == '\0')
        return;
    scan->includes = in_memory_grow(scan->includes, scan->include_count, &scan->include_room,
                                    sizeof(struct in_header_include));
    scan->includes[scan->include_count++] =
        (struct in_header_include){token->start, token->end, scanner->conditions.count, 0};
}

void in_facts_branch_end(struct in_scanner *scanner, uint32_t depth, uint32_t at)
{
    struct in_scan *scan = scanner->scan;
    for (uint32_t i = scan->include_count; i > 0; i--) {
        struct in_header_include *include = &scan->includes[i - 1];
        if (include->branch_end == 0 && include->depth >= depth)
            include->branch_end = at;
    }
}
