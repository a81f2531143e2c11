/*
 * screen.h -- the menu on a terminal that can be drawn on, by ncurses.
 *
 * While it is open, signals are taken one by one between two keys: SIGINT, SIGTERM, SIGHUP and
 * SIGQUIT give the terminal back and end the program as they would have; SIGTSTP gives it back for
 * as long as the program is stopped. A crash gives it back too.
 *
 * Context: tool, the main thread.
 */
#ifndef THAG_AN_SCREEN_H
#define THAG_AN_SCREEN_H

#include "analyzer/menu/front.h"

/*
 * Result: a front, ended by its close(); NULL where this terminal cannot be drawn on: standard
 * input and output are not both a terminal, or it is of a kind that cannot move its cursor.
 */
struct an_front *an_screen_open(void);

#endif
