/*
 * tool.c -- what both tools do with each of their files.
 */
#include "instrument/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instrument/annotate.h"
#include "instrument/diff.h"
#include "instrument/functions.h"
#include "instrument/include_line.h"
#include "instrument/list.h"
#include "instrument/memory.h"
#include "instrument/options.h"
#include "instrument/outfile.h"
#include "instrument/source.h"

/* One run over all files. */
struct tool_run {
    const struct in_options *options;
    char profiled[160], enable[192]; /* what is inserted */
    uint32_t files, functions, skipped, files_changed;
    int status; /* the highest so far */
};

/* One file of it. */
struct tool_job {
    struct in_source source;
    struct in_scan scan;
    struct in_include_line line;
    struct in_edits edits;
    struct in_annotate_counts counts;
};

static void tool_status(struct tool_run *run, int status)
{
    if (status > run->status)
        run->status = status;
}

static void tool_error(struct tool_run *run, const char *name, int error)
{
    fprintf(stderr, "%s: %s: %s\n", run->options->tool, name, strerror(error));
    tool_status(run, IN_EXIT_BAD_INPUT);
}

static void tool_make_texts(struct tool_run *run)
{
    const char *flags = run->options->flags;
    if (flags[0] == '\0') {
        strcpy(run->profiled, " THAG_PROFILED;");
        strcpy(run->enable, " THAG_ENABLE_PROFILING;");
    } else {
        snprintf(run->profiled, sizeof(run->profiled), " THAG_PROFILED(%s);", flags);
        snprintf(run->enable, sizeof(run->enable), " THAG_ENABLE_PROFILING(function(%s));", flags);
    }
}

/* --- what is found --- */

static void tool_filter(const struct in_options *options, struct in_scan *scan)
{
    if (options->filter.count == 0)
        return;
    for (uint32_t i = 0; i < scan->function_count; i++) {
        char *name = in_functions_name(scan, &scan->functions[i]);
        if (!in_name_filter_passes(&options->filter, name))
            scan->functions[i].reasons |= IN_REASON_FILTER;
        free(name);
    }
}

static void tool_explain(const struct tool_run *run, const struct tool_job *job)
{
    const struct in_scan *scan = &job->scan;
    struct in_position position = {0, 0, 0};
    for (uint32_t i = 0; i < scan->function_count; i++) {
        const struct in_function *function = &scan->functions[i];
        if (in_functions_action(scan, function) != IN_ACTION_SKIP)
            continue;
        char *name = in_functions_name(scan, function);
        in_position_move(&position, scan->text, function->brace);
        fprintf(stderr, "%s: %s:%u:%u: %s is left alone: %s\n", run->options->tool,
                job->source.name, position.line, function->brace - position.line_start + 1, name,
                in_functions_reason_text(function->reasons));
        free(name);
    }
}

static void tool_warn(const struct tool_run *run, const struct tool_job *job)
{
    const char *tool = run->options->tool, *name = job->source.name;
    if (job->scan.errors > 0)
        fprintf(stderr, "%s: %s: brackets do not balance in %u place%s; %s\n", tool, name,
                job->scan.errors, job->scan.errors == 1 ? "" : "s",
                run->options->strict ? "nothing is written" : "the rest is done as well as can be");
    if (job->counts.no_place)
        fprintf(stderr,
                "%s: %s: the line of \"module;\" holds other code, so that the #include "
                "has no place: nothing is changed\n",
                tool, name);
    if (run->options->removes && job->counts.left > 0 && run->options->verbose)
        fprintf(stderr, "%s: %s: other uses of thag_profiler.h stay: %u words\n", tool, name,
                job->counts.left);
    if (!run->options->removes && run->options->verbose)
        tool_explain(run, job);
}

static void tool_find(struct tool_run *run, struct tool_job *job)
{
    const struct in_options *options = run->options;
    const struct in_source *source = &job->source;
    in_scan_source(source->text, source->bytes, options->language, &job->scan);
    in_functions_settle(&job->scan);
    tool_filter(options, &job->scan);
    if (options->removes) {
        in_unannotate(&job->scan, &job->edits, &job->counts);
    } else {
        job->line = in_include_line_make(source->text, source->bytes, options->keep_lines);
        struct in_annotate_texts texts = {run->profiled, run->enable, job->line.text};
        in_annotate(&job->scan, &texts, job->line.at, job->line.possible, &job->edits,
                    &job->counts);
    }
}

/* --- where it goes --- */

static bool tool_is_same_file(const struct stat *a, const struct stat *b)
{
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Writing there would change the input under our hands, or has lost it already. */
static bool tool_output_is_input(const struct in_options *options, const struct in_source *source)
{
    struct stat status;
    bool named = options->path && strcmp(options->path, "-") != 0;
    int failed = named ? stat(options->path, &status) : fstat(STDOUT_FILENO, &status);
    return failed == 0 && tool_is_same_file(&source->status, &status);
}

/* Result of this and the next two: true if it is written. */
static bool tool_write(struct tool_run *run, struct tool_job *job, const char *path,
                       const struct stat *model)
{
    struct in_outfile file;
    int failed = in_outfile_open(path, model, &file);
    if (!failed) {
        in_edits_write(&job->edits, job->source.text, job->source.bytes, file.stream);
        failed = in_outfile_commit(&file);
    }
    if (failed)
        tool_error(run, path && strcmp(path, "-") != 0 ? path : "standard output", -failed);
    return !failed;
}

/* What a link leads to is changed, the link stays. An unchanged file is not touched. */
static bool tool_write_in_place(struct tool_run *run, struct tool_job *job)
{
    const char *suffix = run->options->suffix;
    if (job->edits.count == 0)
        return true;
    char *path = realpath(job->source.name, NULL);
    if (!path) {
        tool_error(run, job->source.name, errno);
        return false;
    }
    int failed = 0;
    if (suffix) {
        char *copy = in_memory_resize(NULL, strlen(path) + strlen(suffix) + 1, 1);
        strcat(strcpy(copy, path), suffix);
        failed = in_outfile_copy(copy, &job->source.status, job->source.text, job->source.bytes);
        if (failed)
            tool_error(run, copy, -failed);
        free(copy);
    }
    bool written = !failed && tool_write(run, job, path, &job->source.status);
    free(path);
    return written;
}

static bool tool_put(struct tool_run *run, struct tool_job *job)
{
    const struct in_options *options = run->options;
    const struct in_source *source = &job->source;
    switch (options->output) {
    case IN_OUTPUT_STREAM:
        return tool_write(run, job, options->path, NULL);
    case IN_OUTPUT_IN_PLACE:
        return tool_write_in_place(run, job);
    case IN_OUTPUT_DIFF:
        in_diff_write(source->name, &job->edits, source->text, source->bytes, stdout);
        break;
    case IN_OUTPUT_LIST:
        if (options->file_count > 1)
            printf("# %s\n", source->name);
        in_list_write(&job->scan, stdout);
        break;
    case IN_OUTPUT_CHECK:
        break;
    }
    return true;
}

/* --- files --- */

static void tool_do_source(struct tool_run *run, struct tool_job *job)
{
    const struct in_options *options = run->options;
    tool_find(run, job);
    tool_warn(run, job);
    if (options->check && job->edits.count > 0)
        tool_status(run, IN_EXIT_DIFFERENT);
    if (options->strict && job->scan.errors > 0) {
        tool_status(run, IN_EXIT_DIFFERENT);
    } else if (tool_put(run, job)) {
        run->files++;
        run->files_changed += job->edits.count > 0;
        run->functions += job->counts.functions;
        run->skipped += job->counts.skipped;
    }
    in_edits_release(&job->edits);
    in_scan_release(&job->scan);
}

static void tool_do_file(struct tool_run *run, const char *path)
{
    const struct in_options *options = run->options;
    struct tool_job job = {.edits = {NULL, 0, 0}};
    int failed = in_source_load(path, &job.source);
    if (failed) {
        tool_error(run, path && strcmp(path, "-") != 0 ? path : "standard input", -failed);
        return;
    }
    if (options->output != IN_OUTPUT_IN_PLACE && tool_output_is_input(options, &job.source)) {
        fprintf(stderr, "%s: %s is both input and output; -i changes a file\n", options->tool,
                job.source.name);
        tool_status(run, IN_EXIT_USAGE);
    } else {
        tool_do_source(run, &job);
    }
    in_source_release(&job.source);
}

static void tool_summarize(const struct tool_run *run)
{
    const struct in_options *options = run->options;
    if (options->quiet || options->output > IN_OUTPUT_IN_PLACE || run->files == 0)
        return;
    fprintf(stderr, "%s: %u function%s %s", options->tool, run->functions,
            run->functions == 1 ? "" : "s", options->removes ? "freed of marks" : "marked");
    if (options->output == IN_OUTPUT_IN_PLACE)
        fprintf(stderr, " in %u file%s", run->files_changed, run->files_changed == 1 ? "" : "s");
    if (!options->removes && run->skipped > 0)
        fprintf(stderr, ", %u left alone%s", run->skipped,
                options->verbose ? "" : " (-v says why)");
    fputc('\n', stderr);
}

int in_tool_run(int argc, char **argv, bool removes)
{
    struct in_options options;
    struct tool_run run = {.options = &options};
    int status = in_options_parse(argc, argv, removes, &options);
    if (status >= 0)
        return status;
    tool_make_texts(&run);
    if (options.file_count == 0)
        tool_do_file(&run, NULL);
    for (size_t i = 0; i < options.file_count; i++)
        tool_do_file(&run, options.files[i]);
    if (fflush(stdout) != 0 || ferror(stdout))
        tool_error(&run, "standard output", errno ? errno : EIO);
    tool_summarize(&run);
    in_options_release(&options);
    return run.status;
}
