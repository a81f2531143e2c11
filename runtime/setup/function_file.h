/*
 * function_file.h -- the list of functions that the variable THAG_FUNCTIONS names.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_FUNCTION_FILE_H
#define THAG_RT_FUNCTION_FILE_H

#include "runtime/setup/session.h"

/*
 * Read the list, if one is named, into memory that stays. One line tells the user of a list that
 * cannot be read; all functions are recorded then.
 */
void rt_function_file_read(const struct rt_session *session);

#endif
