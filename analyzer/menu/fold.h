/*
 * fold.h -- text made alike, for looking something up in it in any case.
 *
 * Context: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_FOLD_H
#define THAG_AN_FOLD_H

/*
 * TEXT without difference of case, and with one way to write each character that has several (an
 * accent of its own or not). Bytes that are no UTF-8 are taken as U+FFFD. Freed by free().
 */
char *an_fold(const char *text);

#endif
