/*
 * options.c -- the command lines of thag_instrument and thag_uninstrument.
 */
#include "instrument/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum {
    OPTION_DIFF = 256,
    OPTION_CHECK,
    OPTION_LIST,
    OPTION_LANG,
    OPTION_KEEP_LINES,
    OPTION_STRICT,
    OPTION_INCLUDE,
    OPTION_EXCLUDE,
    OPTION_FLAGS,
    OPTION_VERSION,
};

static const struct option options_rows[] = {
    {"in-place", optional_argument, NULL, 'i'},
    {"output", required_argument, NULL, 'o'},
    {"verbose", no_argument, NULL, 'v'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {"diff", no_argument, NULL, OPTION_DIFF},
    {"check", no_argument, NULL, OPTION_CHECK},
    {"list", no_argument, NULL, OPTION_LIST},
    {"lang", required_argument, NULL, OPTION_LANG},
    {"strict", no_argument, NULL, OPTION_STRICT},
    {"include", required_argument, NULL, OPTION_INCLUDE},
    {"exclude", required_argument, NULL, OPTION_EXCLUDE},
    /* Of thag_instrument alone. */
    {"keep-lines", no_argument, NULL, OPTION_KEEP_LINES},
    {"flags", required_argument, NULL, OPTION_FLAGS},
    {NULL, 0, NULL, 0},
};

static void options_print_help(const struct in_options *options)
{
    printf("usage: %s [OPTION...] [FILE...]\n", options->tool);
    puts(options->removes ? "Take the marks of thag_profiler.h out of C or C++ source, as "
                            "thag_instrument put them in."
                          : "Mark every function of C or C++ source to be profiled. What cannot be "
                            "marked is left alone.");
    puts("Without FILE, or with -, standard input is read. The result goes to standard output.\n\n"
         "  -i, --in-place[=SUFFIX]  change the files; with SUFFIX (-iSUFFIX) keep a copy\n"
         "  -o, --output FILE        write there\n"
         "      --diff               show what would change as a unified diff\n"
         "      --check              exit 1 if something would change\n"
         "      --list               the functions: line:column, offset, name, action\n"
         "      --lang c|c++         do not guess the language\n"
         "      --include REGEX      only functions whose name matches; may be repeated\n"
         "      --exclude REGEX      no functions whose name matches; may be repeated");
    if (!options->removes)
        puts("      --flags FLAGS        of the macro, as in 'time, mem_detail'\n"
             "      --keep-lines         add a #line, so that line numbers stay");
    puts("      --strict             if the brackets do not balance exit 1, write nothing\n"
         "  -v, --verbose            say what was left alone, and why\n"
         "  -q, --quiet              no summary\n"
         "  -h, --help, --version\n\n"
         "Exit status: 0 fine, 1 --check or --strict, 2 wrong usage, 3 bad input.");
}

static int options_wrong(const struct in_options *options, const char *what, const char *word)
{
    fprintf(stderr, "%s: %s%s; see %s --help\n", options->tool, what, word, options->tool);
    return IN_EXIT_USAGE;
}

/* --- values --- */

static int options_language(struct in_options *options, const char *word)
{
    if (strcmp(word, "c") == 0)
        options->language = IN_LANGUAGE_C;
    else if (strcmp(word, "c++") == 0)
        options->language = IN_LANGUAGE_CPLUSPLUS;
    else
        return options_wrong(options, "--lang is c or c++, not ", word);
    return -1;
}

/* "time,mem_detail" becomes "time, mem_detail": words that the macro takes for a function. */
static int options_flags(struct in_options *options, const char *text)
{
    static const char *const words[] = {"time", "mem_summary", "mem_detail",
                                        "both", "global",      "test"};
    const size_t word_count = sizeof(words) / sizeof(words[0]);
    size_t count = 0;
    options->flags[0] = '\0';
    for (text += strspn(text, " \t"); *text; count++) {
        size_t length = strcspn(text, ", \t"), word = 0;
        while (word < word_count &&
               (strlen(words[word]) != length || memcmp(words[word], text, length) != 0))
            word++;
        if (word == word_count || count == word_count)
            return options_wrong(options,
                                 "--flags takes at most six of "
                                 "time mem_summary mem_detail both global test, not ",
                                 text);
        strcat(strcat(options->flags, count ? ", " : ""), words[word]);
        text += length;
        text += strspn(text, " \t");
        text += *text == ',';
        text += strspn(text, " \t");
    }
    return count > 0 ? -1 : options_wrong(options, "--flags is empty", "");
}

static int options_expression(struct in_options *options, const char *text, bool excludes)
{
    char message[256];
    if (in_name_filter_add(&options->filter, text, excludes, message, sizeof(message)))
        return -1;
    return options_wrong(options, message, "");
}

static int options_output(struct in_options *options, enum in_output output)
{
    if (options->output != IN_OUTPUT_STREAM && options->output != output)
        return options_wrong(options, "only one of -i, --diff and --list can be", "");
    options->output = output;
    return -1;
}

/* --- options --- */

static int options_apply_switch(struct in_options *options, int option)
{
    switch (option) {
    case OPTION_DIFF:
        return options_output(options, IN_OUTPUT_DIFF);
    case OPTION_LIST:
        return options_output(options, IN_OUTPUT_LIST);
    case OPTION_CHECK:
        options->check = true;
        return -1;
    case OPTION_STRICT:
        options->strict = true;
        return -1;
    case OPTION_KEEP_LINES:
        options->keep_lines = true;
        return -1;
    case 'v':
        options->verbose = true;
        return -1;
    case 'q':
        options->quiet = true;
        return -1;
    case 'h':
        options_print_help(options);
        return IN_EXIT_FINE;
    case OPTION_VERSION:
        printf("%s %s\n", options->tool, THAG_VERSION);
        return IN_EXIT_FINE;
    default:
        /* getopt_long() has said what is wrong. */
        return IN_EXIT_USAGE;
    }
}

static int options_apply(struct in_options *options, int option, const char *argument)
{
    if (options->removes && (option == OPTION_KEEP_LINES || option == OPTION_FLAGS))
        return options_wrong(options, "thag_instrument alone takes --flags and --keep-lines", "");
    switch (option) {
    case 'i':
        options->suffix = argument;
        if (argument && (argument[0] == '\0' || strchr(argument, '/')))
            return options_wrong(options, "no suffix of a file's name: ", argument);
        return options_output(options, IN_OUTPUT_IN_PLACE);
    case 'o':
        options->path = argument;
        return -1;
    case OPTION_LANG:
        return options_language(options, argument);
    case OPTION_INCLUDE:
    case OPTION_EXCLUDE:
        return options_expression(options, argument, option == OPTION_EXCLUDE);
    case OPTION_FLAGS:
        return options_flags(options, argument);
    default:
        return options_apply_switch(options, option);
    }
}

/* What does not go together. */
static int options_check(struct in_options *options)
{
    bool stdin_named = options->file_count == 0;
    for (size_t i = 0; i < options->file_count; i++)
        stdin_named |= strcmp(options->files[i], "-") == 0;
    if (options->output == IN_OUTPUT_IN_PLACE && stdin_named)
        return options_wrong(options, "-i changes files: name them", "");
    if (options->output == IN_OUTPUT_IN_PLACE && options->path)
        return options_wrong(options, "-i and -o cannot both be", "");
    if (options->output == IN_OUTPUT_IN_PLACE && options->check)
        return options_wrong(options, "--check changes nothing, -i does", "");
    if (options->check && options->output == IN_OUTPUT_STREAM) {
        if (options->path)
            return options_wrong(options, "--check writes nothing to -o", "");
        options->output = IN_OUTPUT_CHECK;
    }
    if (options->output == IN_OUTPUT_STREAM && options->file_count > 1)
        return options_wrong(options, "several files need -i, --diff, --check or --list", "");
    return -1;
}

int in_options_parse(int argc, char **argv, bool removes, struct in_options *ret_options)
{
    struct in_options options = {.tool = removes ? "thag_uninstrument" : "thag_instrument",
                                 .removes = removes};
    int status = -1, option;
    argv[0] = (char *)(uintptr_t)options.tool;
    while (status < 0 && (option = getopt_long(argc, argv, "i::o:vqh", options_rows, NULL)) != -1)
        status = options_apply(&options, option, optarg);
    if (status < 0) {
        options.files = argv + optind;
        options.file_count = (size_t)(argc - optind);
        status = options_check(&options);
    }
    if (status >= 0)
        in_options_release(&options);
    else
        *ret_options = options;
    return status;
}

void in_options_release(struct in_options *options)
{
    in_name_filter_release(&options->filter);
}
