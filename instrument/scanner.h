/*
 * scanner.h -- one walk over a source: what the files of the walk share.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_SCANNER_H
#define THAG_IN_SCANNER_H

#include "instrument/conditions.h"
#include "instrument/frames.h"
#include "instrument/lexer.h"
#include "instrument/scan.h"

/* No declaration has more tokens, or the first of them do not matter. */
#define IN_ITEMS_LIMIT 1024

struct in_scanner {
    struct in_scan *scan;
    struct in_lexer lexer;
    struct in_frames frames;
    struct in_conditions conditions;
    struct in_token before; /* the token before the present one */
    struct in_item items[IN_ITEMS_LIMIT];
};

/* An opening brace. */
void in_braces_open(struct in_scanner *scanner, const struct in_token *token);

/* A closing brace. */
void in_braces_close(struct in_scanner *scanner);

/* A semicolon between declarations: is it one that says something about later ones? */
void in_declarations_end(struct in_scanner *scanner);

/* A word, wherever it is. */
void in_facts_word(struct in_scanner *scanner, const struct in_token *token);

/* An #include. */
void in_facts_include(struct in_scanner *scanner, const struct in_token *token);

/* At AT a branch of an #if ends; DEPTH of them were open in it. */
void in_facts_branch_end(struct in_scanner *scanner, uint32_t depth, uint32_t at);

/* A function whose body's brace is TOKEN. Result: its number. */
uint32_t in_facts_function(struct in_scanner *scanner, const struct in_token *token,
                           const struct in_function *function);

/* A name for which REASONS hold. */
void in_facts_note(struct in_scanner *scanner, uint32_t start, uint32_t end, uint16_t reasons);

#endif
