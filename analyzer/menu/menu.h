/*
 * menu.h -- the guided menu: from a directory of runs to a picture or a table.
 *
 * Whatever it does is a subcommand too: it fills the same options and calls the same functions.
 *
 * Context: tool, the main thread.
 */
#ifndef THAG_AN_MENU_H
#define THAG_AN_MENU_H

/* Go through the menu for the runs in DIRECTORY. Result: the exit status of the program. */
int an_menu_run(const char *directory);

#endif
