/*
 * options.c -- every option of every command, parsed by the one table.
 */
#include "analyzer/commands/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/commands/command.h"
#include "analyzer/commands/option_table.h"
#include "analyzer/launch/request.h"
#include "analyzer/support/memory.h"

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

/* "--OPTION: 'WORD' is PHRASE LEGAL". Result: the exit status. */
static int option_wrong(const struct option_parse *parse, enum an_option option, const char *word,
                        const char *phrase, const char *legal)
{
    fprintf(stderr, "thag_profile %s: --%s: '", parse->command->name, an_option_rows[option].name);
    an_command_print_name(stderr, word);
    fprintf(stderr, "' is %s %s\n", phrase, legal);
    return 2;
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
    const char *words = an_option_words(parse->command, option);
    if (!words)
        return -1;
    bool known = an_words_find(words, word) >= 0;
    int chosen = an_words_find(an_option_rows[option].words, word);
    switch (known ? option : AN_OPTION_COUNT) {
    case AN_OPTION_VALUE:
        known = an_value_find(word, &options->value);
        break;
    case AN_OPTION_UNIT:
        options->input.unit_given = true;
        known = an_unit_find(word, &options->input.unit);
        break;
    case AN_OPTION_BY:
        known = an_by_find(word, &options->by);
        options->input.by_process = options->by == AN_BY_PROCESS;
        break;
    case AN_OPTION_SORT:
        known = an_sort_find(word, &options->sort);
        break;
    case AN_OPTION_PALETTE:
        known = an_palette_find(word, &options->palette);
        break;
    case AN_OPTION_FACT:
        options->keep_facts |= 1u << chosen;
        break;
    case AN_OPTION_NO_FACT:
        options->drop_facts |= 1u << chosen;
        break;
    case AN_OPTION_ORDER:
        options->order = (enum an_order_by)chosen;
        break;
    case AN_OPTION_TO:
        options->to = (enum an_target)chosen;
        break;
    case AN_OPTION_FORMAT:
        options->format = (enum an_format)chosen;
        break;
    case AN_OPTION_WIDTH:
        options->width = (enum an_width)chosen;
        break;
    case AN_OPTION_TYPE:
        options->type = word;
        break;
    default:
        break;
    }
    return known ? 0 : option_wrong(parse, option, word, "none of", words);
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
                   : option_wrong(parse, option, word, "not", "a number of seconds from 0.1 on");
    case AN_OPTION_FAIL_ABOVE:
        return option_percent(word, &options->fail_above_permille)
                   ? 0
                   : option_wrong(parse, option, word, "not", "a percentage");
    default:
        return -1;
    }
    return option_number(word, number) ? 0 : option_wrong(parse, option, word, "not", "a number");
}

static bool option_take_pattern(struct option_parse *parse, enum an_option option, const char *word)
{
    switch (option) {
    case AN_OPTION_INCLUDE:
        option_add_pattern(parse, AN_FILTER_INCLUDE, word);
        return true;
    case AN_OPTION_ONLY:
        option_add_pattern(parse, AN_FILTER_INCLUDE, word);
        return true;
    case AN_OPTION_EXCEPT:
        option_add_pattern(parse, AN_FILTER_EXCLUDE, word);
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
    case AN_OPTION_SHORT_NAMES:
        options->input.short_names = true;
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

static bool option_accepted(const struct an_command *command, int option)
{
    return (command->options | command->ignores) >> option & 1;
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
        const struct an_option_row *row = &an_option_rows[i];
        if (!option_accepted(command, i))
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
        if (option_accepted(command, i) && an_option_rows[i].letter == code)
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

/* Say what would be missed; what only tells how to show something is not. */
static void option_report_ignored(const struct option_parse *parse)
{
    uint64_t ignored = parse->options->given & parse->command->ignores & ~parse->command->options;
    ignored &= ~AN_OPTIONS_SHOW;
    for (int i = 0; i < AN_OPTION_COUNT; i++) {
        if (ignored >> i & 1)
            an_command_fail(parse->command, 0, "note: --%s changes nothing here",
                            an_option_rows[i].name);
    }
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
    const char *dot = options->output ? strrchr(options->output, '.') : NULL;
    if (!dot || !an_command_takes(parse->command, AN_OPTION_FORMAT) ||
        an_options_given(options, AN_OPTION_FORMAT))
        return;
    const char *word = strcmp(dot, ".txt") == 0 ? "text" : dot + 1;
    if (an_words_find(an_option_words(parse->command, AN_OPTION_FORMAT), word) < 0)
        return;
    options->format = (enum an_format)an_words_find(an_option_rows[AN_OPTION_FORMAT].words, word);
    options->given |= AN_OPTION_BIT(FORMAT);
}

static int option_compile_patterns(const struct option_parse *parse)
{
    struct an_options *options = parse->options;
    options->filter = an_filter_new(an_options_given(options, AN_OPTION_IGNORE_CASE));
    if (options->keep_facts)
        an_filter_add_facts(options->filter, true, options->keep_facts, NULL);
    if (options->drop_facts)
        an_filter_add_facts(options->filter, false, options->drop_facts, NULL);
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
    if (status < 0) {
        option_report_ignored(&parse);
        option_format_by_name(&parse);
    }
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
