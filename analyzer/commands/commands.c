/*
 * commands.c -- the table of all commands.
 */
#include "analyzer/commands/command.h"

#include <stddef.h>

const struct an_command *const an_commands[] = {
    /* clang-format off */
    &an_command_record,
    &an_command_list,
    &an_command_info,
    &an_command_graph,
    &an_command_chart,
    &an_command_diff,
    &an_command_stats,
    &an_command_tree,
    &an_command_sizes,
    &an_command_resolve,
    &an_command_convert,
    &an_command_doctor,
    NULL,
    /* clang-format on */
};
