/*
 * main.c -- thag_profile: hands the command line to a command.
 */
#include <stdio.h>
#include <string.h>

#include "analyzer/version.h"

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("thag_profile " THAG_VERSION);
        return 0;
    }
    fputs("usage: thag_profile --version\n", argc > 1 ? stderr : stdout);
    return argc > 1 ? 2 : 0;
}
