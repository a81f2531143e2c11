/*
 * list.c -- thag_profile list: the runs in a directory.
 */
#include <string.h>

#include "analyzer/commands/command.h"
#include "analyzer/input/runs.h"
#include "analyzer/output/amount.h"
#include "analyzer/output/json.h"
#include "analyzer/output/table.h"

static void list_print_text(const struct an_runs *runs, FILE *out)
{
    static const struct an_table_column columns[] = {{"  when", AN_ALIGN_LEFT},
                                                     {"on disk", AN_ALIGN_RIGHT},
                                                     {"run", AN_ALIGN_LEFT},
                                                     {"holds", AN_ALIGN_LEFT}};
    struct an_table_style style = an_command_style(out);
    uint32_t first = 0;
    while (first < runs->count) {
        const char *program = runs->run[first].program;
        struct an_table *table = an_table_new(columns, 4);
        uint32_t i = first;
        for (; i < runs->count && strcmp(runs->run[i].program, program) == 0; i++) {
            char when[AN_RUN_TIME_MAX], text[AN_RUN_KINDS_MAX], indented[32];
            an_run_time_text(&runs->run[i], when);
            snprintf(indented, sizeof(indented), "  %s", when);
            an_table_cell(table, indented);
            an_amount_text(runs->run[i].bytes, 1, AN_UNIT_BYTES, text);
            an_table_cell(table, text);
            an_table_name(table, runs->run[i].base, strlen(runs->run[i].base));
            an_run_kinds_text(&runs->run[i], text);
            an_table_cell(table, text);
        }
        fprintf(out, "%s%s", first ? "\n" : "", style.colour ? "\033[1m" : "");
        an_command_print_name(out, program);
        fprintf(out, "%s: %u run%s\n", style.colour ? "\033[0m" : "", i - first,
                i - first == 1 ? "" : "s");
        an_table_print(table, &style, out);
        an_table_free(table);
        first = i;
    }
}

static void list_print_csv(const struct an_runs *runs, FILE *out)
{
    fputs("program,time,run,bytes_on_disk,holds\n", out);
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct an_run *run = &runs->run[i];
        char when[AN_RUN_TIME_MAX], kinds[AN_RUN_KINDS_MAX];
        an_run_time_text(run, when);
        an_run_kinds_text(run, kinds);
        an_csv_text(out, run->program, strlen(run->program));
        fprintf(out, ",%s,", when);
        an_csv_text(out, run->base, strlen(run->base));
        fprintf(out, ",%llu,", (unsigned long long)run->bytes);
        an_csv_text(out, kinds, strlen(kinds));
        putc('\n', out);
    }
}

static void list_print_json(const struct an_runs *runs, FILE *out)
{
    struct an_json json;
    an_json_begin(&json, out);
    an_json_list_open(&json);
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct an_run *run = &runs->run[i];
        char when[AN_RUN_TIME_MAX];
        an_run_time_text(run, when);
        an_json_line(&json);
        an_json_object_open(&json);
        an_json_pair_text(&json, "program", run->program);
        an_json_pair_text(&json, "time", when);
        an_json_pair_text(&json, "run", run->base);
        an_json_pair_number(&json, "bytes_on_disk", run->bytes);
        an_json_key(&json, "holds");
        an_json_list_open(&json);
        for (int kind = AN_KIND_TIME; kind <= AN_KIND_RECORDING; kind++) {
            const char *title = an_kind_title((enum an_kind)kind);
            if (run->kinds >> kind & 1)
                an_json_text(&json, title, strlen(title));
        }
        an_json_list_close(&json);
        an_json_object_close(&json);
    }
    an_json_list_close(&json);
    an_json_end(&json);
}

static int list_run(const struct an_options *options)
{
    const char *path = options->file_count ? options->files[0] : ".";
    struct an_runs runs;
    struct an_outfile file;
    int failed = an_runs_scan(path, &runs);
    if (failed)
        return an_command_fail(&an_command_list, AN_EXIT_INPUT, "%s: %s", path, strerror(-failed));
    int status = an_command_open_output(&an_command_list, options, NULL, &file);
    if (status == 0) {
        if (options->format == AN_FORMAT_CSV)
            list_print_csv(&runs, file.stream);
        else if (options->format == AN_FORMAT_JSON)
            list_print_json(&runs, file.stream);
        else if (runs.count == 0)
            fputs("No recorded runs here.\n", file.stream);
        else
            list_print_text(&runs, file.stream);
        status = an_command_close_output(&an_command_list, &file, AN_EXIT_FINE);
    }
    an_runs_release(&runs);
    return status;
}

const struct an_command an_command_list = {
    .name = "list",
    .operands = "[DIR]",
    .summary = "List the runs in a directory, the newest first",
    .options = AN_OPTION_BIT(FORMAT) | AN_OPTIONS_WRITE | AN_OPTION_BIT(HELP),
    .run = list_run,
    .files_max = 1,
};
