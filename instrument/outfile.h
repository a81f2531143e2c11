/*
 * outfile.h -- a file that appears whole or not at all.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_OUTFILE_H
#define THAG_IN_OUTFILE_H

#include <stdio.h>
#include <sys/stat.h>

struct in_outfile {
    FILE *stream;
    char *path;      /* NULL: standard output */
    char *temporary; /* NULL: PATH is written in place, it is no regular file */
};

/*
 * Inputs:   PATH NULL or "-" is standard output. MODEL: whose mode and owner the file gets; NULL:
 *           those of a new file.
 * Result:   0, or -errno and RET_FILE untouched. Ended by in_outfile_commit().
 */
int in_outfile_open(const char *path, const struct stat *model, struct in_outfile *ret_file);

/* Give it its name. Result: 0, or -errno, also of an earlier write: then nothing has changed. */
int in_outfile_commit(struct in_outfile *file);

/*
 * A copy of BYTES of TEXT with the mode of MODEL.
 * Result:   0, or -errno; -EEXIST if there is a file of that name, which stays.
 */
int in_outfile_copy(const char *path, const struct stat *model, const char *text, size_t bytes);

#endif
