/*
 * command.h -- what the commands share: their table, opening input, telling what went wrong.
 *
 * A command's file exports one struct an_command; commands.c lists it.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_COMMAND_H
#define THAG_AN_COMMAND_H

#include <stdio.h>

#include "analyzer/commands/options.h"
#include "analyzer/model/profile.h"
#include "analyzer/output/outfile.h"
#include "analyzer/output/table.h"

/* The exit statuses. */
enum an_exit {
    AN_EXIT_FINE = 0,
    AN_EXIT_EXCEEDED = 1, /* a threshold that the user gave */
    AN_EXIT_USAGE = 2,
    AN_EXIT_INPUT = 3, /* input that cannot be read, output that cannot be written */
};

extern const struct an_command an_command_chart;
extern const struct an_command an_command_convert;
extern const struct an_command an_command_diff;
extern const struct an_command an_command_doctor;
extern const struct an_command an_command_graph;
extern const struct an_command an_command_info;
extern const struct an_command an_command_list;
extern const struct an_command an_command_record;
extern const struct an_command an_command_resolve;
extern const struct an_command an_command_sizes;
extern const struct an_command an_command_stats;
extern const struct an_command an_command_tree;

/* All commands, in the order of the help; ends with NULL. */
extern const struct an_command *const an_commands[];

/*
 * Where the commands that run in this thread speak, in place of standard output and standard error:
 * the menu shows it on its screen. Messages come without the program's name then.
 */
struct an_outlet {
    FILE *out;                   /* results that go to no file */
    FILE *messages;              /* notes, and what went wrong */
    struct an_table_style style; /* of OUT */
};

/* OUTLET stays the caller's and has to live until the next call; NULL: the standard ones again. */
void an_command_speak_to(const struct an_outlet *outlet);

/* The stream for results, and how to write tables to OUT, which is that stream or a file. */
FILE *an_command_out(void);
struct an_table_style an_command_style(FILE *out);

/*
 * Read the files of OPTIONS into one profile, filter it, and choose the value.
 *
 * Result:   0: RET_PROFILE is filled (an_profile_release()), RET_VALUE is in its tree; else the
 * exit status, and stderr says why. Lines that could not be used and notes go to stderr too.
 */
int an_command_read(const struct an_command *command, const struct an_options *options,
                    struct an_profile *ret_profile, enum an_value *ret_value);

/* The same for one file (PATH) and without choosing a value. */
int an_command_read_file(const struct an_command *command, const struct an_options *options,
                         const char *path, struct an_profile *ret_profile);

/* What reading ends with: notes and bad lines are told on stderr, filters applied. */
void an_command_prepare(const struct an_command *command, const struct an_options *options,
                        struct an_profile *profile);

/*
 * Open the output of a command: -o FILE, else DEFAULT_PATH (NULL: standard output).
 * Result: 0, or the exit status, and stderr says why.
 */
int an_command_open_output(const struct an_command *command, const struct an_options *options,
                           const char *default_path, struct an_outfile *ret_file);

/* Result: STATUS if the file could be written whole, else the exit status for that. */
int an_command_close_output(const struct an_command *command, struct an_outfile *file, int status);

/* One line on stderr, "thag_profile COMMAND: ...", or to the outlet. Result: STATUS. */
int an_command_fail(const struct an_command *command, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What an input file is called in a heading: "-" goes by "standard input". */
const char *an_command_input_name(const char *path);

/* Print text of unknown origin so that a terminal shows it and does nothing else. */
void an_command_print_name(FILE *out, const char *text);

#endif
