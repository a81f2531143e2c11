/*
 * graph.c -- thag_profile graph and chart: a flamegraph or flamechart as one self-contained page.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/commands/graph.h"
#include "analyzer/model/cap.h"
#include "analyzer/output/browser.h"
#include "analyzer/support/memory.h"

struct graph {
    const struct an_command *command;
    const char *kind; /* "flamegraph", as in the file's name */
    enum an_order_by order;
};

char *an_graph_default_path(const struct an_options *options, const char *input, const char *kind)
{
    static const char *const endings[] = {".gz", ".zst", ".folded", ".thag"};
    const char *suffix = options->format == AN_FORMAT_SVG ? "svg" : "html";
    size_t bytes = strlen(input);
    if (strcmp(input, "-") == 0) {
        input = "stdin";
        bytes = strlen(input);
    }
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t ending = strlen(endings[i]);
        if (bytes > ending && memcmp(input + bytes - ending, endings[i], ending) == 0)
            bytes -= ending;
    }
    char *path = an_memory_array(bytes + 80, 1);
    memcpy(path, input, bytes);
    char *end = path + bytes;
    /* A recording has many pictures. */
    if (an_options_given(options, AN_OPTION_VALUE))
        end += sprintf(end, "-%s", an_value_name(options->value));
    sprintf(end, "-%s.%s", kind, suffix);
    return path;
}

enum an_page_format an_graph_format(const struct an_options *options)
{
    return options->format == AN_FORMAT_SVG ? AN_PAGE_SVG : AN_PAGE_HTML;
}

/* The file and the start of the program: what does not change with the value that is shown. */
static void graph_subtitle(const struct an_profile *profile, char *ret_text, size_t room)
{
    char start[40] = "";
    if (profile->start_realtime_ns) {
        time_t seconds = (time_t)(profile->start_realtime_ns / 1000000000) + profile->utc_offset_s;
        struct tm then;
        if (gmtime_r(&seconds, &then))
            strftime(start, sizeof(start), ", %Y-%m-%d %H:%M:%S", &then);
    }
    snprintf(ret_text, room, "%.300s%s", profile->path, start);
}

/* The path on standard output, and the page in a browser where that is wanted. */
static void graph_show(const struct an_options *options, const char *path)
{
    bool wanted =
        an_options_given(options, AN_OPTION_OPEN) || an_options_given(options, AN_OPTION_NO_OPEN)
            ? options->open
            : isatty(STDOUT_FILENO) == 1;
    fprintf(an_command_out(), "%s\n", path);
    char browser[AN_BROWSER_NAME_MAX];
    if (wanted && !an_browser_open(path, browser) && an_options_given(options, AN_OPTION_OPEN))
        fputs("thag_profile: no browser could be started\n", stderr);
}

/* Behind the path, or where the page itself is not. */
static void graph_print_policy(const struct an_page_options *page, bool to_file)
{
    char *policy = an_page_policy(page->kind, page->format);
    fprintf(to_file ? an_command_out() : stderr, "Content-Security-Policy: %s\n", policy);
    free(policy);
}

int an_graph_make(const struct an_command *command, const struct an_options *options,
                  const char *default_path, const struct an_tree *tree,
                  const struct an_page_options *page)
{
    struct an_outfile file;
    int status = an_command_open_output(command, options, default_path, &file);
    if (status)
        return status;
    bool to_file = file.path != NULL;
    if (an_page_write(tree, page, file.stream) == -EINVAL) {
        an_outfile_abandon(&file);
        return an_command_fail(command, AN_EXIT_USAGE,
                               "'%s' does not add up and cannot be drawn; see stats",
                               an_value_name(page->value));
    }
    status = an_command_close_output(command, &file, AN_EXIT_FINE);
    if (status == AN_EXIT_FINE && to_file)
        graph_show(options, options->output ? options->output : default_path);
    if (status == AN_EXIT_FINE && an_options_given(options, AN_OPTION_CSP))
        graph_print_policy(page, to_file);
    return status;
}

static int graph_draw(const struct graph *graph, const struct an_options *options,
                      const struct an_profile *profile, enum an_value value)
{
    char subtitle[400], title[300];
    const char *name = profile->program ? profile->program : profile->path;
    const char *slash = strrchr(name, '/');
    snprintf(title, sizeof(title), "%.250s %s", slash && slash[1] ? slash + 1 : name, graph->kind);
    graph_subtitle(profile, subtitle, sizeof(subtitle));
    struct an_page_options page = {
        .kind = AN_PAGE_FLAMEGRAPH,
        .format = an_graph_format(options),
        .title = options->title ? options->title : title,
        .subtitle = subtitle,
        .rate = profile->rate,
        .note = (const char *const *)profile->note,
        .note_count = profile->note_count,
        .value = value,
        .scale = profile->scale,
        .palette = options->palette,
        .order = graph->order,
    };
    struct an_size_summary sizes;
    if (options->input.sizes_aside && profile->sizes) {
        an_size_summary_make(profile, &sizes);
        page.sizes = &sizes;
    }
    if (an_profile_has_timeline(profile, value)) {
        page.kind = AN_PAGE_TIMELINE;
        page.values = 1u << value;
        page.timeline = profile->timeline;
        page.duration_ns = profile->duration_ns;
        page.moment = profile->moment;
        page.moment_count = profile->moment_count;
    }
    char *path = an_graph_default_path(options, options->files[0], graph->kind);
    int status = an_graph_make(graph->command, options, path, profile->tree, &page);
    free(path);
    return status;
}

/* --top: no more than so many callees of each frame. */
static void graph_cap(struct an_profile *profile, enum an_value value, uint64_t most)
{
    struct an_tree *tree = profile->tree;
    if (most == 0)
        return;
    uint64_t *total = an_memory_array(tree->node_count, sizeof(*total));
    an_tree_totals(tree, value, total);
    profile->tree = an_cap_apply(tree, total, most);
    an_tree_free(tree);
    free(total);
}

static int graph_run_kind(const struct graph *graph, const struct an_options *options)
{
    struct an_profile profile;
    enum an_value value;
    int status = an_command_read(graph->command, options, &profile, &value);
    if (status)
        return status;
    if (options->input.in_order && !profile.recorded)
        an_profile_note(&profile, "from left to right: the order in which the lines were written, "
                                  "which is the order in which calls ended");
    if (profile.timeline != NULL && profile.timeline->sampled && value == AN_SAMPLE_TIME)
        an_profile_note(&profile, "a bar is what neighbouring samples have in common, and may be "
                                  "several calls");
    graph_cap(&profile, value, options->top);
    status = graph_draw(graph, options, &profile, value);
    an_profile_release(&profile);
    return status;
}

static int graph_run(const struct an_options *options)
{
    struct graph graph = {&an_command_graph, "flamegraph", options->order};
    struct an_options with_sizes = *options;
    with_sizes.input.sizes_aside = true;
    if (!an_filter_is_empty(options->filter))
        with_sizes.input.sizes_of = options->filter;
    return graph_run_kind(&graph, &with_sizes);
}

static int chart_run(const struct an_options *options)
{
    struct graph graph = {&an_command_chart, "flamechart", AN_BY_TIME};
    struct an_options ordered = *options;
    ordered.input.in_order = true;
    ordered.input.timeline = true;
    ordered.input.by_process = false;
    ordered.top = 0; /* frames that are left out would have no place in time */
    ordered.input.timeline_sampled = options->value == AN_SAMPLE_TIME;
    return graph_run_kind(&graph, &ordered);
}

#define GRAPH_OPTIONS                                                                              \
    (AN_OPTIONS_READ | AN_OPTIONS_WRITE | AN_OPTION_BIT(FORMAT) | AN_OPTION_BIT(TITLE) |           \
     AN_OPTION_BIT(PALETTE) | AN_OPTION_BIT(OPEN) | AN_OPTION_BIT(NO_OPEN) | AN_OPTION_BIT(CSP))

const struct an_command an_command_graph = {
    .name = "graph",
    .operands = "FILE...",
    .summary = "Draw a flamegraph as a page for the browser",
    .options = GRAPH_OPTIONS | AN_OPTION_BIT(BY) | AN_OPTION_BIT(TOP) | AN_OPTION_BIT(ORDER),
    .ignores = AN_OPTIONS_COMMON,
    .run = graph_run,
    .files_min = 1,
    .files_max = UINT32_MAX,
};

const struct an_command an_command_chart = {
    .name = "chart",
    .operands = "FILE",
    .summary = "Draw a flamechart: stacks in their order in time",
    .options = GRAPH_OPTIONS,
    .ignores = AN_OPTIONS_COMMON,
    .run = chart_run,
    .files_min = 1,
    .files_max = 1,
};
