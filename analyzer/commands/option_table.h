/*
 * option_table.h -- the one table of options: what is parsed, printed by --help, completed by
 * shells and checked against the man pages.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_OPTION_TABLE_H
#define THAG_AN_OPTION_TABLE_H

#include <stdbool.h>

#include "analyzer/commands/options.h"

struct an_option_row {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* "FILE" and "DIR" are paths; NULL: takes none */
    const char *words;    /* the legal ones, a blank between two; NULL: others than words */
    const char *brief;    /* a few words on this option alone, without a full stop */
    const char *help;     /* what --help says in place of brief and words; NULL: just these */
    bool shares_line;     /* explained by the row before it, if the command takes that one */
};

/* Indexed by enum an_option. */
extern const struct an_option_row an_option_rows[AN_OPTION_COUNT];

static inline bool an_command_takes(const struct an_command *command, int option)
{
    return command->options >> option & 1;
}

/* The words of an option as COMMAND takes them; NULL: it has none. */
const char *an_option_words(const struct an_command *command, int option);

/* The place of WORD in WORDS, -1: it is not there. */
int an_words_find(const char *words, const char *word);

#endif
