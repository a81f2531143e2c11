/*
 * option_table.c -- the one table of options.
 */
#include "analyzer/commands/option_table.h"

#include <string.h>

#include "analyzer/launch/request.h"

#define ROWS     "function stack file module"
#define WIDTHS   "max after before"
#define PALETTES "aqua blue green hot mem orange purple red yellow rust module colourblind"

/* In the order of enum an_fact. */
#define FACTS "large temporary leaked frequent"

#define OPTION(id, ...) [AN_OPTION_##id] = {__VA_ARGS__}

/* clang-format off */
const struct an_option_row an_option_rows[AN_OPTION_COUNT] = {
    OPTION(VALUE, "value", .argument = "NAME", .brief = "by default time, else bytes",
           .words = "time inclusive calls on_cpu off_cpu sample_time samples bytes allocations "
                    "frees live_bytes live_blocks peak_bytes temporary"),
    OPTION(UNIT, "unit", .argument = "UNIT", .brief = "of a folded file's numbers",
           .words = "us ns bytes count"),
    OPTION(BY, "by", .argument = "WHAT", .brief = "one of each",
           .words = ROWS " process"),
    OPTION(SORT, "sort", .argument = "COLUMN", .brief = "order of the rows",
           .words = "self total calls average min max name"),
    OPTION(TOP, "top", .argument = "N", .brief = "only the first N (of each level); 0: all"),
    OPTION(DEPTH, "depth", .argument = "N", .brief = "only N levels; 0: all"),
    OPTION(ORDER, "order", .argument = "ORDER", .brief = "of siblings, time as first seen",
           .words = "name value time"),
    OPTION(LINES, "lines", .brief = "frames with file and line",
           .help = "frames with file and line, or without (recordings)"),
    OPTION(NO_LINES, "no-lines", .brief = "frames without file and line", .shares_line = true),
    OPTION(NO_INLINE, "no-inline", .brief = "no inlined frames",
           .help = "no inlined frames; times as recorded (recordings)"),
    OPTION(RAW, "raw", .brief = "times as recorded", .shares_line = true),
    OPTION(THREAD, "thread", .argument = "NAME",
           .brief = "only threads of this name (recordings)",
           .help = "by thread; large temporary leaked frequent"),
    OPTION(FACT, "fact", .argument = "NAME", .brief = "only allocations with such a fact",
           .words = FACTS, .shares_line = true),
    OPTION(NO_FACT, "no-fact", .argument = "NAME", .brief = "no allocations with such a fact",
           .words = FACTS, .shares_line = true),
    OPTION(INCLUDE, "include", .argument = "REGEX", .brief = "stacks with such a function",
           .help = "stacks with such a function; --focus: with all"),
    OPTION(FOCUS, "focus", .argument = "REGEX", .brief = "stacks that match all of these",
           .shares_line = true),
    OPTION(EXCLUDE, "exclude", .argument = "REGEX", .brief = "no stacks with such a function",
           .help = "no such stacks; no own value of such"),
    OPTION(EXCLUDE_SELF, "exclude-self", .argument = "REGEX",
           .brief = "not the function's own value; what it calls stays", .shares_line = true),
    OPTION(SHOW_FROM, "show-from", .argument = "REGEX",
           .brief = "cut the frames above the outermost such",
           .help = "cut above such; take such out; -i: in any case"),
    OPTION(HIDE, "hide", .argument = "REGEX", .brief = "take such frames out, callees move up",
           .shares_line = true),
    OPTION(IGNORE_CASE, "ignore-case", 'i', .brief = "in all of these expressions",
           .shares_line = true),
    OPTION(TO, "to", .argument = "FORMAT", .brief = "what to write",
           .words = "folded json csv speedscope chrome pprof"),
    OPTION(FORMAT, "format", .argument = "FORMAT", .brief = "of what is written",
           .words = "text csv json html svg"),
    OPTION(OUTPUT, "output", 'o', .argument = "FILE", .brief = "write there",
           .help = "write there (- is standard output); -f: replace it"),
    OPTION(FORCE, "force", 'f', .brief = "replace the file that is there", .shares_line = true),
    OPTION(DIRECTORY, "output", 'o', .argument = "DIR",
           .brief = "where the files go; made if it is not there"),
    OPTION(PALETTE, "palette", .argument = "NAME", .brief = "colours",
           .words = PALETTES " self-heat"),
    OPTION(OPEN, "open", .brief = "show the result in a browser",
           .help = "show in a browser, or do not; heading"),
    OPTION(NO_OPEN, "no-open", .brief = "do not show the result in a browser",
           .shares_line = true),
    OPTION(TITLE, "title", .argument = "TEXT", .brief = "heading", .shares_line = true),
    OPTION(CSP, "csp", .brief = "print the Content-Security-Policy to serve it with"),
    OPTION(WIDTH, "width", .argument = "SIDE", .brief = "of frames", .words = WIDTHS,
           .help = "of frames: " WIDTHS "; scale before to after"),
    OPTION(NORMALIZE, "normalize", .brief = "scale before to the total of after",
           .shares_line = true),
    OPTION(FAIL_ABOVE, "fail-above", .argument = "PERCENT",
           .brief = "exit 1 if the total grew by more"),
    OPTION(FAIL_ABOVE_BYTES, "fail-above-bytes", .argument = "N",
           .brief = "exit 1 if the total is more"),
    OPTION(SUPPRESS, "suppress", .argument = "FILE",
           .brief = "leave out stacks that match an expression in it"),
    OPTION(FOLLOW, "follow", .brief = "again and again until the program ends"),
    OPTION(EVERY, "every", .argument = "SECONDS",
           .brief = "between two rounds of --follow, 1 by default"),
    OPTION(FAMILY, "family", .brief = "also what the rest of its family recorded beside it"),
    OPTION(SYSROOT, "sysroot", .argument = "DIR", .brief = "look for modules below DIR",
           .help = "where modules and debug data are"),
    OPTION(DEBUG_DIR, "debug-dir", .argument = "DIR", .brief = "look there for debug data too",
           .shares_line = true),
    OPTION(DEBUGINFOD, "debuginfod", .brief = "ask the servers in DEBUGINFOD_URLS",
           .shares_line = true),
    OPTION(NO_DEMANGLE, "no-demangle", .brief = "names as the linker has them"),
    OPTION(ALL_INLINES, "all-inlines",
           .brief = "inlined functions of packed system libraries too (slow)"),
    OPTION(CUT_HASHES, "cut-hashes", .brief = "Rust names without their hash"),
    OPTION(SHORT_NAMES, "short-names", .brief = "names without arguments: f<...>(...)"),
    OPTION(TYPE, "type", .argument = "TYPE", .brief = "what to record, by default both",
           .words = an_request_types),
    OPTION(DETAIL, "detail", .brief = "every single allocation and free, in their order"),
    OPTION(ONLY, "only", .argument = "REGEX", .brief = "time such functions only",
           .help = "functions to time, or not to"),
    OPTION(EXCEPT, "except", .argument = "REGEX", .brief = "do not time such functions",
           .shares_line = true),
    OPTION(SET, "set", .argument = "KEY=VALUE",
           .brief = "a key of THAG_PROFILER, see libthagpreload(7)"),
    OPTION(HELP, "help", 'h', .brief = "explain the command"),
};
/* clang-format on */

int an_words_find(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (int place = 0; *words; place++) {
        size_t bytes = strcspn(words, " ");
        if (bytes == length && memcmp(words, word, length) == 0)
            return place;
        words += bytes + (words[bytes] == ' ');
    }
    return -1;
}

/* Commands that draw write other formats than those that print; some do both. */
const char *an_option_words(const struct an_command *command, int option)
{
    bool draws = an_command_takes(command, AN_OPTION_PALETTE);
    bool compares = an_command_takes(command, AN_OPTION_WIDTH);
    bool prints = !draws || compares;
    /* What single calls take of their own is no share of a picture's. */
    if (option == AN_OPTION_PALETTE && draws && !an_command_takes(command, AN_OPTION_ORDER))
        return PALETTES;
    if (option == AN_OPTION_BY && compares) /* each side is one process */
        return ROWS;
    if (option != AN_OPTION_FORMAT || (draws && prints))
        return an_option_rows[option].words;
    return draws ? "html svg" : "text csv json";
}
