/*
 * info_folded.h -- what a folded file without its recording says about its run.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_INFO_FOLDED_H
#define THAG_AN_INFO_FOLDED_H

#include "analyzer/commands/command.h"

/* True if the name of a file is that of a folded one, with or without a program's time stamp. */
bool an_info_is_folded(const char *path);

/* Print it. Result: the exit status. */
int an_info_folded(const struct an_options *options);

#endif
