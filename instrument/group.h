/*
 * group.h -- a look into a pair of brackets that an item of a declaration stands for.
 *
 * SOURCE of all functions is any lexer of the source; it is not moved. GROUP is an item whose sign
 * is an opening bracket. Context: tool.
 */
#ifndef THAG_IN_GROUP_H
#define THAG_IN_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "instrument/frames.h"
#include "instrument/lexer.h"

/* A lexer behind the opening bracket. The group is over with the token that ends at GROUP->end. */
struct in_lexer in_group_inside(const struct in_lexer *source, const struct in_item *group);

/* The sign of the first token inside; the closing bracket's if there is none. */
uint8_t in_group_first_sign(const struct in_lexer *source, const struct in_item *group);

/* Is it the identifiers of a K&R parameter list? RET_COUNT: how many. */
bool in_group_is_name_list(const struct in_lexer *source, const struct in_item *group,
                           uint32_t *ret_count);

/*
 * The name that a declarator in parentheses declares, as in "(*f(int))" and "(main)".
 * Result:   false if there is none.
 */
bool in_group_declared_name(const struct in_lexer *source, const struct in_item *group,
                            struct in_token *ret_name);

enum in_parameters { IN_PARAMETERS_NEVER, IN_PARAMETERS_MAYBE, IN_PARAMETERS_SURE };

/* Are these parentheses a list of parameters? Names alone may be arguments of a macro. */
enum in_parameters in_group_parameters(const struct in_lexer *source, const struct in_item *group);

/* The enum in_reason bits that attributes inside give. */
uint16_t in_group_attributes(const struct in_lexer *source, const struct in_item *group);

#endif
