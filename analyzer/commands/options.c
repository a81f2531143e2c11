/*
 * options.c -- every option of every command, parsed and explained from one table.
 */
#include "analyzer/commands/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/commands/command.h"
#include "analyzer/launch/request.h"
#include "analyzer/support/memory.h"

struct option_row {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: takes none */
    /* NULL: explained by the row before it. */
    const char *help;
};

static const struct option_row option_rows[AN_OPTION_COUNT] = {
    [AN_OPTION_VALUE] = {"value", 0, "NAME",
                         "time inclusive calls on_cpu off_cpu sample_time samples\n"
                         "bytes allocations frees live_bytes live_blocks\n"
                         "peak_bytes temporary; by default time, else bytes"},
    [AN_OPTION_UNIT] = {"unit", 0, "UNIT", "of a folded file's numbers: us ns bytes count"},
    [AN_OPTION_BY] = {"by", 0, "WHAT",
                      "per function, stack, file, module or process; process\n"
                      "keeps several files apart in other views too"},
    [AN_OPTION_SORT] = {"sort", 0, "COLUMN", "self, total, calls, average, min, max or name"},
    [AN_OPTION_TOP] = {"top", 0, "N", "only the first N (of each level); 0: all"},
    [AN_OPTION_DEPTH] = {"depth", 0, "N", "only N levels; 0: all"},
    [AN_OPTION_ORDER] = {"order", 0, "ORDER", "of siblings: name, value or time (first seen)"},
    [AN_OPTION_LINES] = {"lines", 0, NULL, "frames with file and line, or without (recordings)"},
    [AN_OPTION_NO_LINES] = {"no-lines", 0, NULL, NULL},
    [AN_OPTION_NO_INLINE] = {"no-inline", 0, NULL,
                             "no inlined frames; times as recorded (recordings)"},
    [AN_OPTION_RAW] = {"raw", 0, NULL, NULL},
    [AN_OPTION_THREAD] = {"thread", 0, "NAME", "only threads of this name (recordings)"},
    [AN_OPTION_INCLUDE] = {"include", 0, "REGEX", "stacks with such a function; --focus: with all"},
    [AN_OPTION_FOCUS] = {"focus", 0, "REGEX", NULL},
    [AN_OPTION_EXCLUDE] = {"exclude", 0, "REGEX", "no stacks with such a function"},
    [AN_OPTION_EXCLUDE_SELF] = {"exclude-self", 0, "REGEX",
                                "not the function's own value; what it calls stays"},
    [AN_OPTION_SHOW_FROM] = {"show-from", 0, "REGEX", "cut the frames above the outermost such"},
    [AN_OPTION_HIDE] = {"hide", 0, "REGEX", "take such frames out, callees move up"},
    [AN_OPTION_IGNORE_CASE] = {"ignore-case", 'i', NULL, "in all of these expressions"},
    [AN_OPTION_TO] = {"to", 0, "FORMAT", "folded json csv speedscope chrome pprof"},
    [AN_OPTION_FORMAT] = {"format", 0, "FORMAT", "text, csv or json; of pages: html or svg"},
    [AN_OPTION_OUTPUT] = {"output", 'o', "FILE",
                          "write there (- is standard output); -f: replace it"},
    [AN_OPTION_FORCE] = {"force", 'f', NULL, NULL},
    [AN_OPTION_DIRECTORY] = {"output", 'o', "DIR", "where the files go; made if it is not there"},
    [AN_OPTION_TITLE] = {"title", 0, "TEXT", "heading"},
    [AN_OPTION_PALETTE] = {"palette", 0, "NAME",
                           "aqua blue green hot mem orange purple red yellow rust"},
    [AN_OPTION_OPEN] = {"open", 0, NULL, "show the result in a browser, or do not"},
    [AN_OPTION_NO_OPEN] = {"no-open", 0, NULL, NULL},
    [AN_OPTION_WIDTH] = {"width", 0, "SIDE", "of frames: max, after or before"},
    [AN_OPTION_NORMALIZE] = {"normalize", 0, NULL, "scale before to the total of after"},
    [AN_OPTION_FAIL_ABOVE] = {"fail-above", 0, "PERCENT", "exit 1 if the total grew by more"},
    [AN_OPTION_FAIL_ABOVE_BYTES] = {"fail-above-bytes", 0, "N", "exit 1 if the total is more"},
    [AN_OPTION_SUPPRESS] = {"suppress", 0, "FILE",
                            "leave out stacks that match an expression in it"},
    [AN_OPTION_FOLLOW] = {"follow", 0, NULL, "again and again until the program ends"},
    [AN_OPTION_EVERY] = {"every", 0, "SECONDS", "between two rounds of --follow, 1 by default"},
    [AN_OPTION_FAMILY] = {"family", 0, NULL, "also what the program's children recorded beside it"},
    [AN_OPTION_SYSROOT] = {"sysroot", 0, "DIR", "look for modules below DIR"},
    [AN_OPTION_DEBUG_DIR] = {"debug-dir", 0, "DIR", "look there for debug data too"},
    [AN_OPTION_DEBUGINFOD] = {"debuginfod", 0, NULL, "ask the servers in DEBUGINFOD_URLS"},
    [AN_OPTION_NO_DEMANGLE] = {"no-demangle", 0, NULL, "names as the linker has them"},
    [AN_OPTION_ALL_INLINES] = {"all-inlines", 0, NULL,
                               "inlined functions of packed system libraries too (slow)"},
    [AN_OPTION_CUT_HASHES] = {"cut-hashes", 0, NULL, "Rust names without their hash"},
    [AN_OPTION_TYPE] = {"type", 0, "TYPE",
                        "both memory time none sample sample+memory sample+time\n"
                        "sample+both; by default both"},
    [AN_OPTION_DETAIL] = {"detail", 0, NULL, "every single allocation and free, in their order"},
    [AN_OPTION_SET] = {"set", 0, "KEY=VALUE", "a key of THAG_PROFILER, see libthagpreload(7)"},
    [AN_OPTION_HELP] = {"help", 'h', NULL, "this text"},
};

static const char *const format_names[] = {"text", "csv", "json", "html", "svg", NULL};
static const char *const width_names[] = {"max", "after", "before", NULL};
static const char *const order_names[] = {"name", "value", "time", NULL};
static const char *const target_names[] = {"folded", "json",  "csv", "speedscope",
                                           "chrome", "pprof", NULL};

/* Expressions are compiled once it is known whether case counts. */
struct option_pattern {
    enum an_filter_kind kind;
    const char *text;
};

struct option_parse {
    const struct an_command *command;
    struct an_options *options;
    struct option_pattern *pattern;
    size_t pattern_count;
};

static int option_wrong(const struct option_parse *parse, enum an_option option, const char *word,
                        const char *wanted)
{
    fprintf(stderr, "thag_profile %s: --%s: '", parse->command->name, option_rows[option].name);
    an_command_print_name(stderr, word);
    fprintf(stderr, "' is not %s\n", wanted);
    return 2;
}

/* Result: the place of WORD in NAMES, or -1. */
static int option_choose(const char *const *names, const char *word)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], word) == 0)
            return i;
    }
    return -1;
}

static bool option_number(const char *word, uint64_t *ret_number)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(word, &end, 10);
    if (errno || end == word || *end || word[0] < '0' || word[0] > '9')
        return false;
    *ret_number = number;
    return true;
}

/* PERCENT, of which the first digit behind the point counts. */
static bool option_percent(const char *word, uint64_t *ret_permille)
{
    char *end;
    errno = 0;
    double percent = strtod(word, &end);
    if (*end == '%')
        end++;
    if (errno || end == word || *end || !(percent >= 0 && percent <= 1e9))
        return false;
    *ret_permille = (uint64_t)(percent * 10 + 0.5);
    return true;
}

static bool option_seconds(const char *word, uint64_t *ret_ns)
{
    char *end;
    errno = 0;
    double seconds = strtod(word, &end);
    if (errno || end == word || *end || !(seconds >= 0.1 && seconds <= 1e6))
        return false;
    *ret_ns = (uint64_t)(seconds * 1e9);
    return true;
}

static void option_add_pattern(struct option_parse *parse, enum an_filter_kind kind,
                               const char *text)
{
    parse->pattern =
        an_memory_resize(parse->pattern, parse->pattern_count + 1, sizeof(*parse->pattern));
    parse->pattern[parse->pattern_count++] = (struct option_pattern){kind, text};
}

/* Options whose word is one of a list. Result: 0, 2 if the word is wrong, -1 if not such an option.
 */
static int option_take_choice(struct option_parse *parse, enum an_option option, const char *word)
{
    struct an_options *options = parse->options;
    const char *help = option_rows[option].help;
    int chosen = 0;
    switch (option) {
    case AN_OPTION_VALUE:
        return an_value_find(word, &options->value)
                   ? 0
                   : option_wrong(parse, option, word, "the name of a value, see --help");
    case AN_OPTION_UNIT:
        options->input.unit_given = true;
        return an_unit_find(word, &options->input.unit)
                   ? 0
                   : option_wrong(parse, option, word, "one of us ns bytes count");
    case AN_OPTION_BY:
        if (!an_by_find(word, &options->by))
            return option_wrong(parse, option, word, "function, stack, file, module or process");
        options->input.by_process = options->by == AN_BY_PROCESS;
        return 0;
    case AN_OPTION_SORT:
        return an_sort_find(word, &options->sort) ? 0 : option_wrong(parse, option, word, help);
    case AN_OPTION_PALETTE:
        return an_palette_find(word, &options->palette)
                   ? 0
                   : option_wrong(parse, option, word, "a palette, see --help");
    case AN_OPTION_ORDER:
        if ((chosen = option_choose(order_names, word)) >= 0)
            options->order = (enum an_order_by)chosen;
        return chosen >= 0 ? 0 : option_wrong(parse, option, word, "name, value or time");
    case AN_OPTION_TO:
        if ((chosen = option_choose(target_names, word)) >= 0)
            options->to = (enum an_target)chosen;
        break;
    case AN_OPTION_FORMAT:
        if ((chosen = option_choose(format_names, word)) >= 0)
            options->format = (enum an_format)chosen;
        break;
    case AN_OPTION_WIDTH:
        if ((chosen = option_choose(width_names, word)) >= 0)
            options->width = (enum an_width)chosen;
        break;
    case AN_OPTION_TYPE:
        if ((chosen = option_choose(an_request_types, word)) >= 0)
            options->type = an_request_types[chosen];
        return chosen >= 0 ? 0 : option_wrong(parse, option, word, "a type, see --help");
    default:
        return -1;
    }
    return chosen >= 0 ? 0 : option_wrong(parse, option, word, help);
}

static int option_take_number(struct option_parse *parse, enum an_option option, const char *word)
{
    struct an_options *options = parse->options;
    uint64_t *number;
    switch (option) {
    case AN_OPTION_TOP:
        number = &options->top;
        break;
    case AN_OPTION_DEPTH:
        number = &options->depth;
        break;
    case AN_OPTION_FAIL_ABOVE_BYTES:
        number = &options->fail_above_bytes;
        break;
    case AN_OPTION_EVERY:
        return option_seconds(word, &options->every_ns)
                   ? 0
                   : option_wrong(parse, option, word, "a number of seconds from 0.1 on");
    case AN_OPTION_FAIL_ABOVE:
        return option_percent(word, &options->fail_above_permille)
                   ? 0
                   : option_wrong(parse, option, word, "a percentage");
    default:
        return -1;
    }
    return option_number(word, number) ? 0 : option_wrong(parse, option, word, "a number");
}

static bool option_take_pattern(struct option_parse *parse, enum an_option option, const char *word)
{
    switch (option) {
    case AN_OPTION_INCLUDE:
        option_add_pattern(parse, AN_FILTER_INCLUDE, word);
        return true;
    case AN_OPTION_FOCUS:
        option_add_pattern(parse, AN_FILTER_FOCUS, word);
        return true;
    case AN_OPTION_EXCLUDE:
        option_add_pattern(parse, AN_FILTER_EXCLUDE, word);
        return true;
    case AN_OPTION_EXCLUDE_SELF:
        option_add_pattern(parse, AN_FILTER_EXCLUDE_SELF, word);
        return true;
    case AN_OPTION_SHOW_FROM:
        option_add_pattern(parse, AN_FILTER_SHOW_FROM, word);
        return true;
    case AN_OPTION_HIDE:
        option_add_pattern(parse, AN_FILTER_HIDE, word);
        return true;
    default:
        return false;
    }
}

/* Options that keep the user's word as it is. Result: false if OPTION is none of them. */
static bool option_take_text(struct an_options *options, enum an_option option, const char *word)
{
    switch (option) {
    case AN_OPTION_THREAD:
        options->input.thread = word;
        return true;
    case AN_OPTION_OUTPUT:
    case AN_OPTION_DIRECTORY:
        options->output = word;
        return true;
    case AN_OPTION_TITLE:
        options->title = word;
        return true;
    case AN_OPTION_SUPPRESS:
        options->suppress = word;
        return true;
    case AN_OPTION_SYSROOT:
        options->input.sysroot = word;
        return true;
    case AN_OPTION_DEBUG_DIR:
        options->input.debug_dir = word;
        return true;
    default:
        return false;
    }
}

static void option_take_flag(struct an_options *options, enum an_option option)
{
    switch (option) {
    case AN_OPTION_LINES:
    case AN_OPTION_NO_LINES:
        options->input.lines = option == AN_OPTION_LINES;
        break;
    case AN_OPTION_NO_INLINE:
        options->input.no_inline = true;
        break;
    case AN_OPTION_RAW:
        options->input.raw = true;
        break;
    case AN_OPTION_FORCE:
        options->force = true;
        break;
    case AN_OPTION_OPEN:
    case AN_OPTION_NO_OPEN:
        options->open = option == AN_OPTION_OPEN;
        break;
    case AN_OPTION_NORMALIZE:
        options->normalize = true;
        break;
    case AN_OPTION_FOLLOW:
        options->follow = true;
        break;
    case AN_OPTION_FAMILY:
        options->family = true;
        break;
    case AN_OPTION_NO_DEMANGLE:
        options->input.no_demangle = true;
        break;
    case AN_OPTION_ALL_INLINES:
        options->input.all_inlines = true;
        break;
    case AN_OPTION_CUT_HASHES:
        options->input.cut_hashes = true;
        break;
    case AN_OPTION_DEBUGINFOD:
        options->input.debuginfod = true;
        break;
    case AN_OPTION_DETAIL:
        options->detail = true;
        break;
    default:
        break;
    }
}

static int option_take_key(struct option_parse *parse, const char *word)
{
    struct an_options *options = parse->options;
    struct an_fault fault;
    if (an_request_check_key(word, &fault) != 0)
        return an_command_fail(parse->command, AN_EXIT_USAGE, "--set: %s", fault.text);
    options->keys = an_memory_resize(options->keys, options->key_count + 1, sizeof(*options->keys));
    options->keys[options->key_count++] = word;
    return 0;
}

static int option_take(struct option_parse *parse, enum an_option option, const char *word)
{
    parse->options->given |= UINT64_C(1) << option;
    if (option == AN_OPTION_SET)
        return option_take_key(parse, word);
    int taken = option_take_choice(parse, option, word);
    if (taken < 0)
        taken = option_take_number(parse, option, word);
    if (taken < 0) {
        if (!option_take_pattern(parse, option, word) &&
            !option_take_text(parse->options, option, word))
            option_take_flag(parse->options, option);
        taken = 0;
    }
    return taken;
}

/* getopt's two tables for the options that a command takes. Codes are 256 + enum an_option. */
static void option_make_tables(const struct an_command *command, struct option *ret_long,
                               char *ret_short)
{
    size_t count = 0;
    if (command->runs_operands)
        *ret_short++ = '+'; /* stop at the first operand */
    *ret_short++ = ':';     /* "missing argument" is told apart, and nothing is printed */
    for (int i = 0; i < AN_OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        if (!(command->options >> i & 1))
            continue;
        ret_long[count++] = (struct option){
            row->name, row->argument ? required_argument : no_argument, NULL, 256 + i};
        if (row->letter) {
            *ret_short++ = row->letter;
            if (row->argument)
                *ret_short++ = ':';
        }
    }
    ret_long[count] = (struct option){NULL, 0, NULL, 0};
    *ret_short = '\0';
}

static int option_of_code(const struct an_command *command, int code)
{
    if (code >= 256)
        return code - 256;
    for (int i = 0; i < AN_OPTION_COUNT; i++) {
        if (command->options >> i & 1 && option_rows[i].letter == code)
            return i;
    }
    return -1;
}

static int option_unknown(const struct an_command *command, int code, const char *word)
{
    fprintf(stderr, "thag_profile %s: ", command->name);
    fputs(code == ':' ? "an argument is missing behind '" : "unknown option '", stderr);
    an_command_print_name(stderr, word);
    fprintf(stderr, "'; see thag_profile %s --help\n", command->name);
    return 2;
}

static int option_parse_all(struct option_parse *parse, int argc, char **argv)
{
    struct option long_options[AN_OPTION_COUNT + 1];
    char short_options[2 * AN_OPTION_COUNT + 3];
    int code;
    option_make_tables(parse->command, long_options, short_options);
    optind = 0; /* glibc: begin anew */
    while ((code = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
        int option = option_of_code(parse->command, code);
        if (code == '?' || code == ':' || option < 0)
            return option_unknown(parse->command, code, argv[optind - 1]);
        if (option == AN_OPTION_HELP) {
            an_options_print_help(parse->command);
            return 0;
        }
        int wrong = option_take(parse, (enum an_option)option, optarg);
        if (wrong)
            return wrong;
    }
    parse->options->files = argv + optind;
    parse->options->file_count = (size_t)(argc - optind);
    return -1;
}

static int option_check_files(const struct option_parse *parse)
{
    const struct an_command *command = parse->command;
    size_t count = parse->options->file_count;
    if (count >= command->files_min && count <= command->files_max)
        return -1;
    const char *noun = command->operand ? command->operand : "file";
    fprintf(stderr, "thag_profile %s: ", command->name);
    fprintf(stderr, count < command->files_min ? "a %s is missing" : "too many %ss", noun);
    fprintf(stderr, "; usage: thag_profile %s [OPTION...] %s\n", command->name, command->operands);
    return 2;
}

/* What the name behind -o asks for, where --format says nothing and the command can write it. */
static void option_format_by_name(const struct option_parse *parse)
{
    struct an_options *options = parse->options;
    bool draws = parse->command->options & AN_OPTION_BIT(PALETTE);
    bool prints = !draws || parse->command->options & AN_OPTION_BIT(TOP);
    const char *dot = options->output ? strrchr(options->output, '.') : NULL;
    if (!dot || !(parse->command->options & AN_OPTION_BIT(FORMAT)) ||
        an_options_given(options, AN_OPTION_FORMAT))
        return;
    int format = option_choose(format_names, strcmp(dot, ".txt") == 0 ? "text" : dot + 1);
    if (format < 0 || !(format >= AN_FORMAT_HTML ? draws : prints))
        return;
    options->format = (enum an_format)format;
    options->given |= AN_OPTION_BIT(FORMAT);
}

/* Commands that draw have other formats than those that print. */
static int option_check_format(const struct option_parse *parse)
{
    bool draws = parse->command->options & AN_OPTION_BIT(PALETTE);
    bool prints = !draws || parse->command->options & AN_OPTION_BIT(TOP);
    enum an_format format = parse->options->format;
    if (!an_options_given(parse->options, AN_OPTION_FORMAT) ||
        (format >= AN_FORMAT_HTML ? draws : prints))
        return -1;
    return option_wrong(parse, AN_OPTION_FORMAT, format_names[format],
                        draws ? "html or svg" : "text, csv or json");
}

static int option_compile_patterns(const struct option_parse *parse)
{
    struct an_options *options = parse->options;
    options->filter = an_filter_new(an_options_given(options, AN_OPTION_IGNORE_CASE));
    for (size_t i = 0; i < parse->pattern_count; i++) {
        struct an_fault fault;
        if (an_filter_add(options->filter, parse->pattern[i].kind, parse->pattern[i].text,
                          &fault) != 0) {
            fprintf(stderr, "thag_profile %s: %s\n", parse->command->name, fault.text);
            return 2;
        }
    }
    return -1;
}

/* --suppress: an expression per line, for stacks that are known and accepted. */
static int option_read_suppressions(const struct option_parse *parse)
{
    const char *path = parse->options->suppress;
    struct an_fault fault = {""};
    char *line = NULL;
    size_t room = 0;
    int status = -1;
    if (!path)
        return -1;
    FILE *file = fopen(path, "re");
    if (!file)
        return an_command_fail(parse->command, AN_EXIT_INPUT, "%s: %s", path, strerror(errno));
    while (status < 0 && getline(&line, &room, file) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '\0' || line[0] == '#')
            continue;
        if (an_filter_add(parse->options->filter, AN_FILTER_EXCLUDE, line, &fault) != 0)
            status = an_command_fail(parse->command, AN_EXIT_USAGE, "%s: %s", path, fault.text);
    }
    free(line);
    fclose(file);
    return status;
}

int an_options_parse(const struct an_command *command, int argc, char **argv,
                     struct an_options *ret_options)
{
    struct an_options options = {.order = AN_BY_NAME, .open = true, .every_ns = 1000000000};
    struct option_parse parse = {.command = command, .options = &options};
    int status = option_parse_all(&parse, argc, argv);
    if (status < 0)
        status = option_check_files(&parse);
    if (status < 0)
        status = option_check_format(&parse);
    if (status < 0)
        option_format_by_name(&parse);
    if (status < 0)
        status = option_compile_patterns(&parse);
    if (status < 0)
        status = option_read_suppressions(&parse);
    free(parse.pattern);
    if (status >= 0)
        an_options_release(&options);
    else
        *ret_options = options;
    return status;
}

void an_options_release(struct an_options *options)
{
    an_filter_free(options->filter);
    options->filter = NULL;
    free(options->keys);
    options->keys = NULL;
}

/* "--lines, --no-lines": the option and those explained with it. */
static int option_print_names(const struct an_command *command, int option)
{
    int length = 0;
    for (int i = option; i < AN_OPTION_COUNT && (i == option || !option_rows[i].help); i++) {
        const struct option_row *row = &option_rows[i];
        if (!(command->options >> i & 1))
            continue;
        length += printf("%s", length ? ", " : "  ");
        if (row->letter && i != AN_OPTION_IGNORE_CASE && i != AN_OPTION_HELP)
            length += printf("-%c", row->letter);
        else
            length += printf("--%s", row->name);
        /* Said once for options that share a line. */
        bool more = i + 1 < AN_OPTION_COUNT && !option_rows[i + 1].help &&
                    option_rows[i + 1].argument && command->options >> (i + 1) & 1;
        if (row->argument && !more)
            length += printf(" %s", row->argument);
    }
    return length;
}

void an_options_print_help(const struct an_command *command)
{
    const int column = 24;
    printf("usage: thag_profile %s [OPTION...] %s\n%s.\n\n", command->name, command->operands,
           command->summary);
    for (int i = 0; i < AN_OPTION_COUNT; i++) {
        const char *help = option_rows[i].help;
        if (!help || !(command->options >> i & 1))
            continue;
        int length = option_print_names(command, i);
        const char *end;
        for (; (end = strchr(help, '\n')); help = end + 1, length = 0)
            printf("%*s%.*s\n", column - length, "", (int)(end - help), help);
        printf("%*s%s\n", column - length > 1 ? column - length : 2, "", help);
    }
}
