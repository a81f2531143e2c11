/*
 * ask.h -- run a command for what it says.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_ASK_H
#define THAG_AN_ASK_H

/* How a command ended and what it said on standard output and standard error, at most 256 KiB. */
struct an_answer {
    char *text; /* owned */
    int pid;
    int status; /* as waitpid() has it */
};

/*
 * Run a command to its end, with nothing to read. It is killed after ten seconds.
 *
 * Inputs:   ARGUMENTS[0] is its path. ENVIRONMENT is all that it gets.
 * Result:   0, and RET_ANSWER, whose text is freed by free(); -errno if it could not be started.
 */
int an_ask(char *const arguments[], char *const environment[], struct an_answer *ret_answer);

/* A copy of ENVIRONMENT with NAME=VALUE for each pair of CHANGES, which a NULL name ends; a NULL
 * value takes the variable out. Freed by an_environment_free(). */
struct an_variable {
    const char *name, *value;
};
char **an_environment_with(char *const environment[], const struct an_variable *changes);
void an_environment_free(char **environment);

#endif
