/*
 * doctor.c -- thag_profile doctor: says of everything that a recording needs that it is fine, or
 * what to do.
 */
#include "analyzer/commands/doctor.h"

#include <stdarg.h>
#include <string.h>

#include "analyzer/commands/command.h"

enum { SUBJECT_COLUMN = 7, TEXT_COLUMN = 20, COLUMNS = 79 };

static const char *const state_words[] = {"fine", "note", "to do"};

/* Words of unknown origin among them are shown as names are. */
static void doctor_wrap(FILE *out, const char *text)
{
    size_t column = TEXT_COLUMN;
    for (const char *word = text; *word;) {
        size_t bytes = strcspn(word, " ");
        char piece[1024];
        if (column > TEXT_COLUMN && column + 1 + bytes > COLUMNS) {
            fprintf(out, "\n%*s", TEXT_COLUMN, "");
            column = TEXT_COLUMN;
        } else if (column > TEXT_COLUMN) {
            putc(' ', out);
            column++;
        }
        snprintf(piece, sizeof(piece), "%.*s", (int)bytes, word);
        an_command_print_name(out, piece);
        column += bytes;
        word += bytes;
        word += strspn(word, " ");
    }
    putc('\n', out);
}

void an_doctor_say(struct an_doctor *doctor, enum an_doctor_state state, const char *subject,
                   const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fprintf(doctor->out, "%-*s%-*s", SUBJECT_COLUMN, state_words[state],
            TEXT_COLUMN - SUBJECT_COLUMN, subject);
    doctor_wrap(doctor->out, text);
    doctor->todo_count += state == AN_DOCTOR_TODO;
}

void an_doctor_add(struct an_doctor *doctor, const char *line)
{
    fprintf(doctor->out, "%*s%s\n", SUBJECT_COLUMN, "", line);
}

static int doctor_run(const struct an_options *options)
{
    struct an_doctor doctor = {.out = stdout};
    an_doctor_check_here(&doctor);
    if (options->file_count)
        an_doctor_check_program(&doctor, options->files[0]);
    return doctor.todo_count ? AN_EXIT_EXCEEDED : AN_EXIT_FINE;
}

const struct an_command an_command_doctor = {
    .name = "doctor",
    .operands = "[PROGRAM]",
    .operand = "program",
    .summary = "Check what a recording needs, here and in a program",
    .options = AN_OPTION_BIT(HELP),
    .run = doctor_run,
    .files_max = 1,
};
