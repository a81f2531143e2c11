/*
 * browser.h -- shows a file in a web browser.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_BROWSER_H
#define THAG_AN_BROWSER_H

#include <stdbool.h>

/*
 * Start a browser on a file: what $BROWSER names (a list with colons, "%s" stands for the address),
 * else the system's. No shell is involved, and nobody waits for it.
 *
 * Result:   true if one was started; false also where there is no display to show it on.
 */
bool an_browser_open(const char *path);

/* "file://" and the absolute path, percent-encoded; freed by free(). NULL if PATH is not there. */
char *an_browser_address(const char *path);

#endif
