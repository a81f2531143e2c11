/*
 * fresh_folder.h -- an empty folder for each test, which is the current one while the test runs:
 *
 *   TestSuite(runs, .init = fresh_folder_enter, .fini = fresh_folder_leave);
 *
 * Tests that run at the same time have folders of their own. Setup and teardown fail the test if
 * the folder cannot be made or removed; of a test that crashes it stays, to be looked at.
 */
#ifndef THAG_TEST_FRESH_FOLDER_H
#define THAG_TEST_FRESH_FOLDER_H

/* Its path, from the root; once it was entered. No character in it means anything to a shell. */
extern char fresh_folder[];

void fresh_folder_enter(void);

/* With all that is in it, also what the test has made unreadable for itself. */
void fresh_folder_leave(void);

#endif
