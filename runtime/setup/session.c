/*
 * session.c -- see the header.
 */
#include "runtime/setup/session.h"

struct rt_session rt_session;

void rt_session_say(struct rt_text *line)
{
    rt_text_add(line, "\n");
    os_stderr_write(&rt_session.error_file, line->at, line->bytes);
}
