/*
 * list.c -- the table of functions that --list prints.
 */
#include "instrument/list.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/functions.h"

void in_position_move(struct in_position *position, const char *text, uint32_t at)
{
    if (position->line == 0)
        position->line = 1;
    while (position->at < at) {
        const char *newline = memchr(text + position->at, '\n', at - position->at);
        if (!newline)
            break;
        position->line++;
        position->line_start = position->at = (uint32_t)(newline + 1 - text);
    }
    position->at = at;
}

void in_list_write(const struct in_scan *scan, FILE *stream)
{
    static const char *const words[] = {[IN_ACTION_ANNOTATE] = "annotate",
                                        [IN_ACTION_ENABLE] = "enable",
                                        [IN_ACTION_ALREADY] = "already",
                                        [IN_ACTION_SKIP] = "skip:"};
    struct in_position position = {0, 0, 0};
    fputs("# line:col of {, byte offset, function, action\n", stream);
    for (uint32_t i = 0; i < scan->function_count; i++) {
        const struct in_function *function = &scan->functions[i];
        enum in_action action = in_functions_action(scan, function);
        if (action == IN_ACTION_NONE)
            continue;
        char *name = in_functions_name(scan, function);
        in_position_move(&position, scan->text, function->brace);
        fprintf(stream, "%u:%u\t%u\t%s\t%s%s\n", position.line,
                function->brace - position.line_start + 1, function->brace, name, words[action],
                action == IN_ACTION_SKIP ? in_functions_reason_word(function->reasons) : "");
        free(name);
    }
}
