/*
 * instrument_main.c -- thag_instrument.
 */
#include "instrument/tool.h"

int main(int argc, char **argv)
{
    return in_tool_run(argc, argv, false);
}
