/*
 * desktop.h -- which web browser the user has chosen on the desktop, told by its files alone.
 *
 * xdg-settings would say it too, but it is a shell script that asks the desktop over its bus: it
 * can take seconds, or not return.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_DESKTOP_H
#define THAG_AN_DESKTOP_H

#include <stddef.h>

/*
 * The words of the command of a desktop entry's Exec line, with ADDRESS in the place of its field
 * code, else at the end. Quotes and escapes are taken as the specification has them.
 * Result: words ended by NULL, freed by an_desktop_words_free(); NULL if the line has none.
 */
char **an_desktop_exec_words(const char *exec, const char *address);
void an_desktop_words_free(char **words);

/*
 * The same for the browser that handles http addresses, by mimeapps.list and the entry it names.
 * Result: NULL if nothing was chosen.
 */
char **an_desktop_browser_words(const char *address);

#endif
