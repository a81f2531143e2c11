/*
 * names.h -- interned texts: each distinct name is kept once and known by a number.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_NAMES_H
#define THAG_AN_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct an_names;

/* A new, empty set. Freed by an_names_free(). */
struct an_names *an_names_new(void);
void an_names_free(struct an_names *names);

/*
 * The number of a text, which is added if it is new. Numbers are dense, from 0, in the order of
 * first sight. TEXT holds BYTES bytes of any value and is copied.
 */
uint32_t an_names_intern(struct an_names *names, const char *text, size_t bytes);

/*
 * The text of a number, NUL-terminated; its length lands in RET_BYTES unless that is NULL.
 * Lifetime: until an_names_free().
 */
const char *an_names_text(const struct an_names *names, uint32_t name, size_t *ret_bytes);

uint32_t an_names_count(const struct an_names *names);

#endif
