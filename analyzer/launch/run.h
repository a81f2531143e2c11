/*
 * run.h -- run a program in our place: the terminal, its signals and its end are its own.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_RUN_PROGRAM_H
#define THAG_AN_RUN_PROGRAM_H

#include <sys/types.h>

/*
 * Run a program to its end, found and started as execvp() does it.
 *
 * A terminal's SIGINT and SIGQUIT go to both, and only the program heeds them. SIGTERM and SIGHUP
 * that somebody sends to us alone are passed on; if the program ends within a tenth of a second by
 * itself, it got them too, and nothing is sent. Stopping and continuing are the terminal's
 * business.
 *
 * Inputs:   ARGUMENTS[0] is the program's name. ENVIRONMENT is all that it gets, PATH is looked up
 *           in ours; PID_VARIABLE, if not NULL, is added with the program's process number.
 *           Signals are as they were when this process began.
 * Result:   0, with RET_STATUS as waitpid() has it; -errno if it could not be started.
 */
int an_run_program(char *const arguments[], char *const environment[], const char *pid_variable,
                   pid_t *ret_pid, int *ret_status);

/*
 * The exit status that tells of STATUS. If a signal ended the program, the same one ends this
 * process here, without a second core file.
 */
int an_run_end_like(int status);

#endif
