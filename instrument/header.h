/*
 * header.h -- what an opening brace belongs to, told from the declaration before it.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_HEADER_H
#define THAG_IN_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "instrument/frames.h"
#include "instrument/lexer.h"

enum in_header_kind {
    IN_HEADER_OTHER,    /* an initialiser, enumerators, ...: the declaration goes on behind it */
    IN_HEADER_FUNCTION, /* a body */
    IN_HEADER_CLASS,
    IN_HEADER_NAMESPACE,
    IN_HEADER_LINKAGE, /* extern "C", export */
    IN_HEADER_CODE,    /* a block of statements where none should be */
};

struct in_header {
    enum in_header_kind kind;
    /* Of a function. */
    uint32_t name_start, name_end; /* equal if it has none that could be told */
    bool is_operator;
    bool qualified;       /* written as CLASS::NAME */
    bool bare;            /* no type before the name: a macro, or a constructor */
    bool enumerator_type; /* there is an "enum" in it */
    uint16_t reasons;     /* enum in_reason bits */
};

/*
 * Inputs:   SOURCE is any lexer of the source. ITEMS: the declaration, changed by this.
 */
struct in_header in_header_read(const struct in_lexer *source, struct in_item *items,
                                uint32_t count);

/* The enum in_reason bits that COUNT items give to the function called as ITEMS[NAME]. */
uint16_t in_header_reasons(const struct in_lexer *source, const struct in_item *items,
                           uint32_t count, uint32_t name);

/* Do these items, in a body, begin a class? */
bool in_header_is_local_class(const struct in_item *items, uint32_t count);

/* Is it the head of a nested function of GNU C? RET_NAME: which item is its name. */
bool in_header_is_nested_function(const struct in_item *items, uint32_t count, uint32_t *ret_name);

/*
 * Is it a K&R definition's head with the first declaration of its parameters?
 * RET_NAME: which item is its name. RET_LEFT: how many more declarations there can be.
 */
bool in_header_is_old_style(const struct in_lexer *source, const struct in_item *items,
                            uint32_t count, uint32_t *ret_name, uint32_t *ret_left);

#endif
