/*
 * main.c -- thag_completions SHELL: prints the completion script of thag_profile for bash, zsh or
 * fish; "list" prints the commands and their options for other scripts of the build.
 */
#include <string.h>

#include "analyzer/completions/shells.h"

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {
    {"bash", an_bash_print},
    {"zsh", an_zsh_print},
    {"fish", an_fish_print},
    {"list", an_list_print},
};

int main(int count, char **arguments)
{
    for (size_t i = 0; count == 2 && i < sizeof(shells) / sizeof(shells[0]); i++) {
        if (strcmp(arguments[1], shells[i].name) == 0) {
            shells[i].print();
            return fflush(stdout) == 0 ? 0 : 1;
        }
    }
    fputs("usage: thag_completions bash|zsh|fish|list\n", stderr);
    return 2;
}
