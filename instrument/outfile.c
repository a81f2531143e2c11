/*
 * outfile.c -- a file that appears whole or not at all.
 */
#include "instrument/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instrument/memory.h"

static char *outfile_text(const char *text, const char *suffix)
{
    char *copy = in_memory_resize(NULL, strlen(text) + strlen(suffix) + 1, 1);
    return strcat(strcpy(copy, text), suffix);
}

/* What belongs to whom stays so, as far as we may say so. */
static int outfile_take_after(int descriptor, const struct stat *model)
{
    mode_t mask = umask(0);
    umask(mask);
    if (!model)
        return fchmod(descriptor, 0666 & ~mask);
    if (fchown(descriptor, model->st_uid, model->st_gid) != 0 &&
        fchown(descriptor, (uid_t)-1, model->st_gid) != 0 && model->st_gid != getegid())
        return fchmod(descriptor, model->st_mode & 0700);
    return fchmod(descriptor, model->st_mode & 07777);
}

static int outfile_open_temporary(struct in_outfile *file, const struct stat *model)
{
    file->temporary = outfile_text(file->path, ".XXXXXX");
    int descriptor = mkostemp(file->temporary, O_CLOEXEC);
    if (descriptor < 0)
        return -errno;
    if (outfile_take_after(descriptor, model) != 0) {
        int error = errno;
        close(descriptor);
        unlink(file->temporary);
        return -error;
    }
    file->stream = fdopen(descriptor, "w");
    return file->stream ? 0 : -errno;
}

int in_outfile_open(const char *path, const struct stat *model, struct in_outfile *ret_file)
{
    struct in_outfile file = {.stream = stdout};
    struct stat status;
    int failed;
    if (path && strcmp(path, "-") != 0) {
        file.path = outfile_text(path, "");
        if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
            file.stream = fopen(path, "we");
            failed = file.stream ? 0 : -errno;
        } else {
            failed = outfile_open_temporary(&file, model);
        }
        if (failed) {
            free(file.path);
            free(file.temporary);
            return failed;
        }
    }
    *ret_file = file;
    return 0;
}

int in_outfile_commit(struct in_outfile *file)
{
    int failed = fflush(file->stream) == 0 && !ferror(file->stream) ? 0 : errno ? -errno : -EIO;
    if (file->path && fclose(file->stream) != 0 && !failed)
        failed = -errno;
    if (file->temporary) {
        if (!failed && rename(file->temporary, file->path) != 0)
            failed = -errno;
        if (failed)
            unlink(file->temporary);
    }
    free(file->path);
    free(file->temporary);
    *file = (struct in_outfile){NULL, NULL, NULL};
    return failed;
}

int in_outfile_copy(const char *path, const struct stat *model, const char *text, size_t bytes)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!stream)
        return -errno;
    int failed = outfile_take_after(descriptor, model) == 0 ? 0 : -errno;
    if (fwrite(text, 1, bytes, stream) != bytes && !failed)
        failed = -EIO;
    if (fclose(stream) != 0 && !failed)
        failed = -errno;
    if (failed)
        unlink(path);
    return failed;
}
