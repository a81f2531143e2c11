/*
 * runs.c -- the runs that were recorded into a directory.
 */
#include "analyzer/input/runs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analyzer/input/input.h"
#include "analyzer/input/source.h"
#include "analyzer/support/memory.h"
#include "runtime/format/recording_format.h"

static const char *const kind_titles[] = {
    [AN_KIND_UNKNOWN] = "unknown",
    [AN_KIND_TIME] = "time",
    [AN_KIND_INCLUSIVE] = "inclusive time",
    [AN_KIND_SAMPLE] = "samples",
    [AN_KIND_MEMORY] = "memory",
    [AN_KIND_MEMORY_DETAIL] = "memory detail",
    [AN_KIND_DEALLOC] = "frees detail",
    [AN_KIND_RECORDING] = "recording",
};

const char *an_kind_title(enum an_kind kind)
{
    return kind_titles[kind];
}

void an_run_time_text(const struct an_run *run, char ret_text[AN_RUN_TIME_MAX])
{
    const char *s = run->stamp;
    if (strlen(s) + 1 != AN_RUN_STAMP_BYTES)
        snprintf(ret_text, AN_RUN_TIME_MAX, "?");
    else
        snprintf(ret_text, AN_RUN_TIME_MAX, "%.4s-%.2s-%.2s %.2s:%.2s:%.2s", s, s + 4, s + 6, s + 9,
                 s + 11, s + 13);
}

void an_run_kinds_text(const struct an_run *run, char ret_text[AN_RUN_KINDS_MAX])
{
    ret_text[0] = '\0';
    for (int kind = AN_KIND_TIME; kind <= AN_KIND_RECORDING; kind++) {
        if (!(run->kinds >> kind & 1))
            continue;
        strcat(ret_text, ret_text[0] ? ", " : "");
        strcat(ret_text, kind_titles[kind]);
    }
}

static void runs_name(struct an_run *run, int stamp, const struct stat *status)
{
    if (stamp >= 0) {
        memcpy(run->stamp, run->base + stamp + 1, AN_RUN_STAMP_BYTES - 1);
        run->program = an_memory_text_part(run->base, (size_t)stamp);
        return;
    }
    struct tm local;
    run->program = an_memory_text(run->base);
    if (localtime_r(&status->st_mtime, &local))
        strftime(run->stamp, sizeof(run->stamp), "%Y%m%d-%H%M%S", &local);
}

/* One entry per file at first; those of one BASE come together by sorting. */
static void runs_add(struct an_runs *runs, const char *name, const struct stat *status)
{
    int stamp;
    enum an_kind kind = an_input_kind(name);
    if (kind == AN_KIND_UNKNOWN || !S_ISREG(status->st_mode))
        return;
    /* Room for 16, then doubled whenever the count is a power of two. */
    if (runs->count == 0 || (runs->count >= 16 && (runs->count & (runs->count - 1)) == 0))
        runs->run = an_memory_resize(runs->run, runs->count ? (size_t)runs->count * 2 : 16,
                                     sizeof(*runs->run));
    struct an_run *run = &runs->run[runs->count++];
    memset(run, 0, sizeof(*run));
    run->base = an_input_base(name, &stamp);
    run->kinds = 1u << kind;
    run->file[kind] = an_memory_text(name);
    run->bytes = (uint64_t)status->st_blocks * 512;
    runs_name(run, stamp, status);
}

static int runs_compare_base(const void *a, const void *b)
{
    return strcmp(((const struct an_run *)a)->base, ((const struct an_run *)b)->base);
}

static void runs_release_one(struct an_run *run)
{
    free(run->base);
    free(run->program);
    for (int kind = 0; kind <= AN_KIND_RECORDING; kind++)
        free(run->file[kind]);
}

/* FROM has one file; the shorter of two names is that of the plain one. */
static void runs_take_file(struct an_run *run, struct an_run *from)
{
    for (int kind = 0; kind <= AN_KIND_RECORDING; kind++) {
        char *file = from->file[kind];
        if (!file || (run->file[kind] && strlen(run->file[kind]) <= strlen(file)))
            continue;
        free(run->file[kind]);
        run->file[kind] = file;
        from->file[kind] = NULL;
    }
}

static void runs_join(struct an_runs *runs)
{
    uint32_t kept = 0;
    if (runs->count)
        qsort(runs->run, runs->count, sizeof(*runs->run), runs_compare_base);
    for (uint32_t i = 0; i < runs->count; i++) {
        struct an_run *last = kept ? &runs->run[kept - 1] : NULL;
        struct an_run *run = &runs->run[i];
        if (!last || strcmp(last->base, run->base) != 0) {
            runs->run[kept++] = *run;
            continue;
        }
        last->kinds |= run->kinds;
        last->bytes += run->bytes;
        if (strcmp(run->stamp, last->stamp) > 0)
            strcpy(last->stamp, run->stamp);
        runs_take_file(last, run);
        runs_release_one(run);
    }
    runs->count = kept;
}

/* By program; in a program the newest first. */
static int runs_compare_program(const void *a_pointer, const void *b_pointer)
{
    const struct an_run *a = a_pointer, *b = b_pointer;
    int compared = strcmp(a->program, b->program);
    if (!compared)
        compared = strcmp(b->stamp, a->stamp);
    return compared ? compared : strcmp(a->base, b->base);
}

struct runs_group {
    uint32_t first, count;
    const char *newest;
    const char *program;
};

static int runs_compare_group(const void *a_pointer, const void *b_pointer)
{
    const struct runs_group *a = a_pointer, *b = b_pointer;
    int compared = strcmp(b->newest, a->newest);
    return compared ? compared : strcmp(a->program, b->program);
}

static void runs_sort(struct an_runs *runs)
{
    if (runs->count == 0)
        return;
    qsort(runs->run, runs->count, sizeof(*runs->run), runs_compare_program);
    struct runs_group *group = an_memory_array(runs->count, sizeof(*group));
    uint32_t group_count = 0;
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct an_run *run = &runs->run[i];
        if (i == 0 || strcmp(run->program, runs->run[i - 1].program) != 0)
            group[group_count++] = (struct runs_group){i, 0, run->stamp, run->program};
        group[group_count - 1].count++;
    }
    qsort(group, group_count, sizeof(*group), runs_compare_group);
    struct an_run *sorted = an_memory_array(runs->count, sizeof(*sorted));
    uint32_t at = 0;
    for (uint32_t i = 0; i < group_count; i++) {
        memcpy(sorted + at, runs->run + group[i].first, group[i].count * sizeof(*sorted));
        at += group[i].count;
    }
    free(group);
    free(runs->run);
    runs->run = sorted;
}

int an_runs_scan(const char *path, struct an_runs *ret_runs)
{
    struct an_runs runs = {NULL, 0};
    struct dirent *entry;
    struct stat status;
    DIR *directory = opendir(path);
    if (!directory)
        return -errno;
    while ((entry = readdir(directory))) {
        if (fstatat(dirfd(directory), entry->d_name, &status, 0) == 0)
            runs_add(&runs, entry->d_name, &status);
    }
    closedir(directory);
    runs_join(&runs);
    runs_sort(&runs);
    *ret_runs = runs;
    return 0;
}

void an_runs_release(struct an_runs *runs)
{
    for (uint32_t i = 0; i < runs->count; i++)
        runs_release_one(&runs->run[i]);
    free(runs->run);
    *runs = (struct an_runs){NULL, 0};
}

static unsigned runs_header_sides(const struct rec_header *header)
{
    unsigned sides = 0;
    if (header->magic != REC_MAGIC || header->version != REC_VERSION)
        return 0;
    if (header->content & REC_CONTENT_HEAP)
        sides |= AN_RUN_MEMORY;
    /* Asked for, but a program without hooks and marks has no calls. */
    if (header->content & REC_CONTENT_TIME && header->call_count)
        sides |= AN_RUN_TIME;
    if (header->content & REC_CONTENT_SAMPLE)
        sides |= AN_RUN_SAMPLE;
    return sides;
}

static unsigned runs_recording_sides(const char *directory, const char *name)
{
    struct rec_header header;
    struct an_source *source;
    size_t filled = 0;
    ssize_t got = 1;
    char *path = an_memory_array(strlen(directory) + strlen(name) + 2, 1);
    strcpy(stpcpy(stpcpy(path, directory), "/"), name);
    int failed = an_source_open(path, &source);
    free(path);
    if (failed)
        return 0;
    while (got > 0 && filled < sizeof(header)) {
        got = an_source_read(source, (char *)&header + filled, sizeof(header) - filled);
        filled += got > 0 ? (size_t)got : 0;
    }
    an_source_close(source);
    return filled == sizeof(header) ? runs_header_sides(&header) : 0;
}

unsigned an_run_sides(const char *directory, const struct an_run *run)
{
    static const unsigned side_of_kind[] = {[AN_KIND_TIME] = AN_RUN_TIME,
                                            [AN_KIND_INCLUSIVE] = AN_RUN_TIME,
                                            [AN_KIND_SAMPLE] = AN_RUN_SAMPLE,
                                            [AN_KIND_MEMORY] = AN_RUN_MEMORY,
                                            [AN_KIND_MEMORY_DETAIL] = AN_RUN_MEMORY,
                                            [AN_KIND_DEALLOC] = AN_RUN_MEMORY};
    unsigned sides = 0;
    for (int kind = AN_KIND_TIME; kind < AN_KIND_RECORDING; kind++)
        sides |= run->kinds >> kind & 1 ? side_of_kind[kind] : 0;
    if (run->file[AN_KIND_RECORDING])
        sides |= runs_recording_sides(directory, run->file[AN_KIND_RECORDING]);
    return sides;
}
