/*
 * detail_files.c -- a line for each allocation or free.
 *
 * There may be hundreds of millions of lines from a few thousand stacks: frames are made fit for a
 * folded line once each, and a stack that comes again at once is not put together again.
 */
#include "analyzer/output/detail_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/output/folded_writer.h"
#include "analyzer/output/outfile.h"
#include "analyzer/support/memory.h"

const char *const an_detail_suffixes[AN_DETAIL_COUNT] = {"-memory_detail.folded",
                                                         "-memory_detail_dealloc.folded"};

struct frame_text {
    char *text; /* NULL: not made yet */
    size_t bytes;
};

struct detail_file {
    struct an_outfile out; /* stream NULL: not begun */
    uint64_t bytes;        /* of its lines so far */
    uint64_t *sum;         /* by node, of what came after the bound was reached; NULL: it was not */
};

struct an_detail_files {
    const struct an_tree *tree;
    char *stem;
    uint64_t most_bytes;
    struct detail_file file[AN_DETAIL_COUNT];
    struct frame_text *frame; /* by name */
    uint32_t line_node;       /* whose stack line[] holds; 0: none */
    char *line;
    size_t line_bytes, line_room;
};

struct an_detail_files *an_detail_files_new(const struct an_tree *tree, const char *stem,
                                            uint64_t most_bytes)
{
    struct an_detail_files *files = an_memory_zeroed(1, sizeof(*files));
    files->tree = tree;
    files->stem = an_memory_text(stem);
    files->most_bytes = most_bytes;
    files->frame = an_memory_zeroed((size_t)an_names_count(tree->names) + 1, sizeof(*files->frame));
    return files;
}

static void files_free(struct an_detail_files *files)
{
    for (uint32_t i = 0; i < an_names_count(files->tree->names); i++)
        free(files->frame[i].text);
    for (int i = 0; i < AN_DETAIL_COUNT; i++)
        free(files->file[i].sum);
    free(files->frame);
    free(files->line);
    free(files->stem);
    free(files);
}

static char *path_of(const struct an_detail_files *files, enum an_detail which)
{
    size_t bytes = strlen(files->stem) + strlen(an_detail_suffixes[which]) + 1;
    char *path = an_memory_array(bytes, 1);
    snprintf(path, bytes, "%s%s", files->stem, an_detail_suffixes[which]);
    return path;
}

static int file_fault(const struct an_detail_files *files, enum an_detail which, int error,
                      struct an_fault *fault)
{
    return an_fault_set(fault, error, "%s%s: %s", files->stem, an_detail_suffixes[which],
                        strerror(-error));
}

static int file_begin(struct an_detail_files *files, enum an_detail which, struct an_fault *fault)
{
    char *path = path_of(files, which);
    struct an_outfile *out = &files->file[which].out;
    int error = an_outfile_open(path, true, out);
    free(path);
    if (error != 0)
        return file_fault(files, which, error, fault);
    if (out->temporary != NULL)
        fchmod(fileno(out->stream), S_IRUSR | S_IWUSR);
    return 0;
}

static const struct frame_text *frame_of(struct an_detail_files *files, uint32_t node)
{
    uint32_t name = files->tree->name[node];
    struct frame_text *frame = &files->frame[name];
    if (frame->text == NULL) {
        size_t bytes = 0;
        const char *text = an_names_text(files->tree->names, name, &bytes);
        FILE *out = open_memstream(&frame->text, &frame->bytes);
        if (out == NULL)
            return NULL;
        an_folded_write_frame(out, text, bytes);
        fclose(out);
    }
    return frame;
}

/* Put the stack of NODE together, from its end to its beginning. */
static bool line_make(struct an_detail_files *files, uint32_t node)
{
    size_t bytes = 0;
    for (uint32_t n = node; n != 0; n = files->tree->parent[n]) {
        const struct frame_text *frame = frame_of(files, n);
        if (frame == NULL)
            return false;
        bytes += frame->bytes + 1;
    }
    if (bytes > files->line_room) {
        files->line_room = bytes * 2;
        files->line = an_memory_resize(files->line, files->line_room, 1);
    }
    files->line_bytes = bytes;
    for (uint32_t n = node; n != 0; n = files->tree->parent[n]) {
        const struct frame_text *frame = frame_of(files, n);
        files->line[--bytes] = n == node ? ' ' : ';';
        bytes -= frame->bytes;
        memcpy(files->line + bytes, frame->text, frame->bytes);
    }
    files->line_node = node;
    return true;
}

static int line_write(struct an_detail_files *files, enum an_detail which, uint32_t node,
                      uint64_t bytes, struct an_fault *fault)
{
    struct detail_file *file = &files->file[which];
    if (node != files->line_node && !line_make(files, node))
        return file_fault(files, which, -ENOMEM, fault);
    fwrite(files->line, 1, files->line_bytes, file->out.stream);
    int digits = fprintf(file->out.stream, "%" PRIu64 "\n", bytes);
    if (ferror(file->out.stream) || digits < 0)
        return file_fault(files, which, errno != 0 ? -errno : -EIO, fault);
    file->bytes += files->line_bytes + (uint64_t)digits;
    return 0;
}

int an_detail_files_add(struct an_detail_files *files, enum an_detail which, uint32_t node,
                        uint64_t bytes, struct an_fault *fault)
{
    struct detail_file *file = &files->file[which];
    if (file->out.stream == NULL) {
        int error = file_begin(files, which, fault);
        if (error != 0)
            return error;
    }
    if (file->sum == NULL && file->bytes >= files->most_bytes)
        file->sum = an_memory_zeroed(files->tree->node_count, sizeof(*file->sum));
    if (file->sum == NULL)
        return line_write(files, which, node, bytes, fault);
    file->sum[node] += bytes;
    return 0;
}

bool an_detail_files_are_summed(const struct an_detail_files *files, enum an_detail which)
{
    return files->file[which].sum != NULL;
}

static int sums_write(struct an_detail_files *files, enum an_detail which, struct an_fault *fault)
{
    const uint64_t *sum = files->file[which].sum;
    int error = 0;
    for (uint32_t node = 1; sum != NULL && error == 0 && node < files->tree->node_count; node++) {
        if (sum[node] != 0)
            error = line_write(files, which, node, sum[node], fault);
    }
    return error;
}

int an_detail_files_commit(struct an_detail_files *files, bool ret_written[AN_DETAIL_COUNT],
                           struct an_fault *fault)
{
    int error = 0;
    for (int i = 0; i < AN_DETAIL_COUNT; i++) {
        struct an_outfile *out = &files->file[i].out;
        ret_written[i] = false;
        if (out->stream == NULL)
            continue;
        if (error == 0)
            error = sums_write(files, (enum an_detail)i, fault);
        if (error != 0) {
            an_outfile_abandon(out);
            continue;
        }
        error = an_outfile_commit(out);
        if (error != 0)
            file_fault(files, (enum an_detail)i, error, fault);
        else
            ret_written[i] = true;
    }
    files_free(files);
    return error;
}

void an_detail_files_abandon(struct an_detail_files *files)
{
    for (int i = 0; i < AN_DETAIL_COUNT; i++) {
        if (files->file[i].out.stream != NULL)
            an_outfile_abandon(&files->file[i].out);
    }
    files_free(files);
}
