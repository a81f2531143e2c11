/*
 * braces.c -- what an opening brace begins, and what its closing ends.
 */
#include <string.h>

#include "instrument/group.h"
#include "instrument/header.h"
#include "instrument/scanner.h"

static uint32_t braces_items(struct in_scanner *scanner)
{
    return in_frames_items(&scanner->frames, scanner->items, IN_ITEMS_LIMIT);
}

static void braces_push(struct in_scanner *scanner, enum in_frame_kind kind, uint32_t open,
                        bool continues)
{
    struct in_frames *frames = &scanner->frames;
    bool lambda = frames->top.lambda_begun;
    frames->top.lambda_begun = false;
    in_frames_push(frames, kind, open);
    frames->top.continues = continues;
    /* What is said in a lambda is not said of the function that it is written in. */
    if (lambda && kind == IN_FRAME_CODE)
        frames->top.owner = IN_NONE;
}

static void braces_push_function(struct in_scanner *scanner, const struct in_token *token,
                                 const struct in_function *function)
{
    uint32_t number = in_facts_function(scanner, token, function);
    in_frames_push(&scanner->frames, IN_FRAME_CODE, token->start);
    scanner->frames.top.function = scanner->frames.top.owner = number;
}

/* --- in bodies --- */

/* Does the statement go on behind the brace, as in "struct s x = { 1 }, y;"? */
static bool braces_continue_statement(const struct in_item *items, uint32_t count)
{
    if (count == 0)
        return false;
    const struct in_item *last = &items[count - 1];
    if (last->sign != IN_SIGN_WORD)
        return last->sign == '=';
    return last->word == IN_WORD_ENUM || (count > 1 && in_word_is_name(last->word));
}

static void braces_open_in_code(struct in_scanner *scanner, const struct in_token *token)
{
    uint32_t count = braces_items(scanner), name;
    const struct in_item *items = scanner->items;
    if (in_header_is_local_class(items, count)) {
        braces_push(scanner, IN_FRAME_CLASS, token->start, true);
    } else if (!scanner->lexer.cplusplus && in_header_is_nested_function(items, count, &name)) {
        struct in_function function = {.name_start = items[name].start,
                                       .name_end = items[name].end,
                                       .reasons =
                                           in_header_reasons(&scanner->lexer, items, count, name)};
        braces_push_function(scanner, token, &function);
    } else {
        braces_push(scanner, IN_FRAME_CODE, token->start, braces_continue_statement(items, count));
    }
}

/* --- between declarations --- */

/* Enumerators, or the fields of an initialiser: no body begins so. */
static bool braces_hold_values(struct in_lexer ahead, bool enumerators)
{
    struct in_token first = in_lexer_next_code(&ahead);
    struct in_token second = in_lexer_next_code(&ahead);
    if (first.sign == '.')
        return second.sign == IN_SIGN_WORD;
    return enumerators && first.sign == IN_SIGN_WORD &&
           (second.sign == ',' || second.sign == '}' || second.sign == '=');
}

static void braces_open_body(struct in_scanner *scanner, const struct in_token *token,
                             const struct in_header *header)
{
    const struct in_frame *top = &scanner->frames.top;
    struct in_function function = {.name_start = header->name_start,
                                   .name_end = header->name_end,
                                   .reasons = header->reasons,
                                   .is_operator = header->is_operator,
                                   .qualified = header->qualified,
                                   .member = top->kind == IN_FRAME_CLASS,
                                   .global = top->global,
                                   .bare = header->bare};
    braces_push_function(scanner, token, &function);
}

static void braces_open_old_style(struct in_scanner *scanner, const struct in_token *token)
{
    struct in_old_style *old = &scanner->frames.top.old_style;
    struct in_function function = {.name_start = old->name_start,
                                   .name_end = old->name_end,
                                   .reasons = old->reasons,
                                   .global = scanner->frames.top.global};
    *old = (struct in_old_style){0, 0, 0, 0, 0};
    braces_push_function(scanner, token, &function);
}

static void braces_open_in_declarations(struct in_scanner *scanner, const struct in_token *token)
{
    struct in_frame *top = &scanner->frames.top;
    if (top->item_count == 0 && top->old_style.name_end > top->old_style.name_start) {
        braces_open_old_style(scanner, token);
        return;
    }
    top->old_style.name_end = top->old_style.name_start;
    struct in_header header =
        in_header_read(&scanner->lexer, scanner->items, braces_items(scanner));
    bool global = top->global;
    switch (header.kind) {
    case IN_HEADER_FUNCTION:
        if (braces_hold_values(scanner->lexer, header.enumerator_type))
            braces_push(scanner, IN_FRAME_CODE, token->start, true);
        else
            braces_open_body(scanner, token, &header);
        break;
    case IN_HEADER_CLASS:
        braces_push(scanner, IN_FRAME_CLASS, token->start, true);
        break;
    case IN_HEADER_NAMESPACE:
    case IN_HEADER_LINKAGE:
        braces_push(scanner, IN_FRAME_DECLARATIONS, token->start, false);
        scanner->frames.top.global = global && header.kind == IN_HEADER_LINKAGE;
        break;
    case IN_HEADER_CODE:
        braces_push(scanner, IN_FRAME_CODE, token->start, false);
        break;
    case IN_HEADER_OTHER:
        braces_push(scanner, IN_FRAME_CODE, token->start, true);
        break;
    }
}

void in_braces_open(struct in_scanner *scanner, const struct in_token *token)
{
    switch (scanner->frames.top.kind) {
    case IN_FRAME_PAREN:
    case IN_FRAME_BRACKET:
        braces_push(scanner, IN_FRAME_CODE, token->start, true);
        break;
    case IN_FRAME_CODE:
        braces_open_in_code(scanner, token);
        break;
    default:
        braces_open_in_declarations(scanner, token);
        break;
    }
}

/* --- closing --- */

/* "NAME(args) { ... };" between declarations: a structure or the like, made by a macro. */
static bool braces_were_no_body(const struct in_scanner *scanner, const struct in_frame *closed)
{
    struct in_lexer ahead = scanner->lexer;
    if (closed->function == IN_NONE || scanner->frames.top.kind != IN_FRAME_DECLARATIONS)
        return false;
    const struct in_function *function = &scanner->scan->functions[closed->function];
    return function->bare && !function->is_operator && in_lexer_next_code(&ahead).sign == ';';
}

void in_braces_close(struct in_scanner *scanner)
{
    struct in_frames *frames = &scanner->frames;
    while (frames->top.kind == IN_FRAME_PAREN || frames->top.kind == IN_FRAME_BRACKET) {
        scanner->scan->errors++;
        in_frames_pop(frames);
    }
    if (frames->top.depth == 0) {
        scanner->scan->errors++;
        in_frames_clear(frames);
        return;
    }
    struct in_frame closed = in_frames_pop(frames);
    if (braces_were_no_body(scanner, &closed))
        scanner->scan->functions[closed.function].dropped = true;
    if (frames->top.kind == IN_FRAME_PAREN || frames->top.kind == IN_FRAME_BRACKET)
        return;
    if (closed.continues) {
        struct in_item item = {.start = closed.open, .end = scanner->lexer.at, .sign = '{'};
        in_frames_add(frames, &item);
    } else {
        in_frames_clear(frames);
    }
}
