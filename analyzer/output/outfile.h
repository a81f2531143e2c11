/*
 * outfile.h -- a file that appears whole or not at all, and never takes another one's place
 * unasked.
 *
 * It is written under a temporary name in the same directory and renamed at the end.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_OUTFILE_H
#define THAG_AN_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct an_outfile {
    FILE *stream;
    char *path;      /* NULL: the stream is standard output */
    char *temporary; /* NULL: written in place, PATH is no regular file */
    bool replace;
};

/*
 * Inputs:   PATH "-" or NULL is standard output. REPLACE: a file of that name may go.
 * Result:   0, or -errno; -EEXIST if there is a file and REPLACE is false. RET_FILE is then
 *           untouched. Ended by one of the two below.
 */
int an_outfile_open(const char *path, bool replace, struct an_outfile *ret_file);

/*
 * Flush and give the file its name.
 * Result:   0, or -errno (also what an earlier write met); the temporary file is then gone.
 */
int an_outfile_commit(struct an_outfile *file);

/* Drop what was written. */
void an_outfile_abandon(struct an_outfile *file);

#endif
