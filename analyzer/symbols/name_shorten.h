/*
 * name_shorten.h -- long readable names without what makes them long.
 *
 * Context: tool.
 */
#ifndef THAG_AN_NAME_SHORTEN_H
#define THAG_AN_NAME_SHORTEN_H

/*
 * NAME, as a demangler writes it, with "<...>" for template arguments and "(...)" for parameters.
 * Empty ones stay, and so do "(anonymous namespace)", operators, and the type that a name of Rust
 * begins with.
 *
 * Result: a text of its own, freed by free(); as it was if its brackets do not match.
 */
char *an_name_shorten(const char *name);

#endif
