/*
 * tool.h -- what both tools do with each of their files. Context: tool.
 */
#ifndef THAG_IN_TOOL_H
#define THAG_IN_TOOL_H

#include <stdbool.h>

/* Run with the words of a command line. Result: the exit status. */
int in_tool_run(int argc, char **argv, bool removes);

#endif
