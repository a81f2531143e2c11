/*
 * run_files.c -- the folded files of a run.
 */
#include "analyzer/output/run_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/output/detail_files.h"
#include "analyzer/output/folded_writer.h"
#include "analyzer/output/outfile.h"
#include "analyzer/support/memory.h"

const struct an_run_file an_run_files[AN_RUN_FILES] = {
    {".folded", AN_TIME},
    {"-inclusive.folded", AN_INCLUSIVE},
    {"-sample.folded", AN_SAMPLE_TIME},
    {"-memory.folded", AN_BYTES},
};

static char *path_of(const char *stem, const char *suffix)
{
    size_t stem_bytes = strlen(stem);
    char *path = an_memory_array(stem_bytes + strlen(suffix) + 1, 1);
    memcpy(path, stem, stem_bytes);
    strcpy(path + stem_bytes, suffix);
    return path;
}

static bool value_present(const struct an_profile *profile, enum an_value value)
{
    return an_tree_has(profile->tree, value) && profile->tree->sum[value] != 0;
}

static int file_write(const struct an_profile *profile, const char *stem,
                      const struct an_run_file *file, struct an_fault *fault)
{
    struct an_outfile out;
    char *path = path_of(stem, file->suffix);
    int error = an_outfile_open(path, true, &out);
    if (error == 0) {
        const struct an_folded_output output = {
            .value = file->value, .scale = profile->scale[file->value], .order = AN_BY_NAME};
        /* Command lines and file names are nobody else's business; /dev/null stays what it is. */
        if (out.temporary != NULL)
            fchmod(fileno(out.stream), S_IRUSR | S_IWUSR);
        an_folded_write(profile->tree, &output, out.stream);
        error = an_outfile_commit(&out);
    }
    if (error != 0)
        an_fault_set(fault, error, "%s: %s", path, strerror(-error));
    free(path);
    return error;
}

int an_run_files_write(const struct an_profile *profile, const char *stem,
                       struct an_run_written *ret_written, struct an_fault *fault)
{
    struct an_run_written written = {0};
    for (int i = 0; i < AN_RUN_FILES; i++) {
        if (!value_present(profile, an_run_files[i].value))
            continue;
        int error = file_write(profile, stem, &an_run_files[i], fault);
        if (error != 0)
            return error;
        written.file[written.count++] = &an_run_files[i];
    }
    if (ret_written != NULL)
        *ret_written = written;
    return 0;
}

static bool suffix_exists(const char *stem, const char *suffix)
{
    char *path = path_of(stem, suffix);
    bool exists = access(path, F_OK) == 0;
    free(path);
    return exists;
}

bool an_run_files_exist(const char *stem)
{
    for (int i = 0; i < AN_RUN_FILES; i++) {
        if (suffix_exists(stem, an_run_files[i].suffix))
            return true;
    }
    for (int i = 0; i < AN_DETAIL_COUNT; i++) {
        if (suffix_exists(stem, an_detail_suffixes[i]))
            return true;
    }
    return false;
}
