/*
 * browser.h -- shows a file in a web browser.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_BROWSER_H
#define THAG_AN_BROWSER_H

#include <stdbool.h>

#define AN_BROWSER_NAME_MAX 128

/*
 * Start a browser on a file: what $BROWSER names (a list with colons, "%s" stands for the address),
 * else the one that was chosen on the desktop, else the system's. No shell is involved, and nobody
 * waits for it.
 *
 * Result:   true if one was started, RET_NAME is then its command; false also where there is no
 *           display to show it on.
 */
bool an_browser_open(const char *path, char ret_name[AN_BROWSER_NAME_MAX]);

/* "file://" and the absolute path, percent-encoded; freed by free(). NULL if PATH is not there. */
char *an_browser_address(const char *path);

#endif
