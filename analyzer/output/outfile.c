/*
 * outfile.c -- a file that appears whole or not at all.
 */
#include "analyzer/output/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/support/memory.h"

#define OUTFILE_BUFFER_BYTES (256u * 1024)

/* DIR/.NAME.XXXXXX */
static char *outfile_temporary_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t directory = slash ? (size_t)(slash + 1 - path) : 0;
    size_t name = strlen(path + directory);
    /* Long names leave no room for the suffix. */
    if (name > 200)
        name = 200;
    char *temporary = an_memory_array(directory + name + sizeof("..XXXXXX"), 1);
    memcpy(temporary, path, directory);
    temporary[directory] = '.';
    memcpy(temporary + directory + 1, path + directory, name);
    strcpy(temporary + directory + 1 + name, ".XXXXXX");
    return temporary;
}

static int outfile_open_temporary(struct an_outfile *file)
{
    file->temporary = outfile_temporary_name(file->path);
    int descriptor = mkostemp(file->temporary, O_CLOEXEC);
    if (descriptor < 0)
        return -errno;
    /* mkostemp() makes it private; what a user asks for is as public as the umask says. */
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    file->stream = fdopen(descriptor, "w");
    return file->stream ? 0 : -errno;
}

static int outfile_open_named(struct an_outfile *file)
{
    struct stat status;
    bool exists = stat(file->path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return -EISDIR;
    if (exists && !S_ISREG(status.st_mode)) {
        file->stream = fopen(file->path, "we");
        return file->stream ? 0 : -errno;
    }
    if (!file->replace && (exists || lstat(file->path, &status) == 0))
        return -EEXIST;
    return outfile_open_temporary(file);
}

static void outfile_release(struct an_outfile *file)
{
    free(file->path);
    free(file->temporary);
    *file = (struct an_outfile){NULL, NULL, NULL, false};
}

int an_outfile_open(const char *path, bool replace, struct an_outfile *ret_file)
{
    struct an_outfile file = {.replace = replace};
    if (!path || strcmp(path, "-") == 0) {
        file.stream = stdout;
    } else {
        file.path = an_memory_text(path);
        int failed = outfile_open_named(&file);
        if (failed) {
            outfile_release(&file);
            return failed;
        }
        setvbuf(file.stream, NULL, _IOFBF, OUTFILE_BUFFER_BYTES);
    }
    *ret_file = file;
    return 0;
}

/* Without RENAME_NOREPLACE (old file systems) a hard link refuses an existing name just as well. */
static int outfile_rename(const struct an_outfile *file)
{
    if (file->replace)
        return rename(file->temporary, file->path) == 0 ? 0 : -errno;
    if (renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    if (link(file->temporary, file->path) != 0)
        return -errno;
    unlink(file->temporary);
    return 0;
}

int an_outfile_commit(struct an_outfile *file)
{
    int failed = fflush(file->stream) == 0 && !ferror(file->stream) ? 0 : errno ? -errno : -EIO;
    if (file->path && fclose(file->stream) != 0 && !failed)
        failed = -errno;
    if (file->temporary) {
        if (!failed)
            failed = outfile_rename(file);
        if (failed)
            unlink(file->temporary);
    }
    outfile_release(file);
    return failed;
}

void an_outfile_abandon(struct an_outfile *file)
{
    if (file->path)
        fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
    outfile_release(file);
}
