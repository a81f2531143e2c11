/*
 * uninstrument_main.c -- thag_uninstrument.
 */
#include "instrument/tool.h"

int main(int argc, char **argv)
{
    return in_tool_run(argc, argv, true);
}
