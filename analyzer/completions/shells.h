/*
 * shells.h -- completion scripts for shells, printed at build time from the tables of commands and
 * options.
 *
 * Context of all functions: tool, while building. They print on standard output.
 */
#ifndef THAG_AN_SHELLS_H
#define THAG_AN_SHELLS_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/commands/command.h"
#include "analyzer/commands/option_table.h"

/* What the operands of a command are. */
enum an_operands { AN_OPERANDS_PROFILES, AN_OPERANDS_DIRECTORY, AN_OPERANDS_PROGRAM };

enum an_operands an_operands_of(const struct an_command *command);

/* The next option of COMMAND from OPTION on, AN_OPTION_COUNT behind the last. */
int an_option_next(const struct an_command *command, int option);

/* Print the keys of THAG_PROFILER, "KEY=", a blank between two. */
void an_keys_print(void);

/* Print TEXT with a backslash before each byte of SPECIAL, and with each ' as '\'' . */
void an_quoted_print(const char *text, const char *special);

void an_bash_print(void);
void an_zsh_print(void);
void an_fish_print(void);

/* For scripts: "command NAME OPERANDS", then "option NAME LETTER ARGUMENT" for each of its options,
 * separated by tabs, "-" for what there is not. */
void an_list_print(void);

#endif
