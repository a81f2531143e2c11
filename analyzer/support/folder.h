/*
 * folder.h -- folders that an output needs.
 *
 * Context: tool.
 */
#ifndef THAG_AN_FOLDER_H
#define THAG_AN_FOLDER_H

/*
 * Make the folders that PATH, a file, lies in; those that are there stay as they are.
 * Inputs:   MODE is that of new ones, before the umask.
 * Result:   0, or -errno with a part of them made.
 */
int an_folder_make_parents(const char *path, unsigned mode);

#endif
