/*
 * menu_parts.h -- what the files of the menu share.
 *
 * Every step of the menu answers like a front: CHOSEN goes on, BACK is one level up, QUIT leaves.
 */
#ifndef THAG_AN_MENU_PARTS_H
#define THAG_AN_MENU_PARTS_H

#include "analyzer/commands/command.h"
#include "analyzer/commands/stats.h"
#include "analyzer/input/runs.h"
#include "analyzer/menu/front.h"
#include "analyzer/menu/settings.h"

struct menu {
    struct an_front *front;
    const char *directory;
    const char *title; /* what the directory goes by in headings */
    struct an_settings settings;
    char notice[sizeof(((struct an_fault *)NULL)->text)]; /* said above the next list, once */
};

/* What is looked at: time, memory or samples. */
struct menu_subject {
    enum an_subject subject;
    enum an_run_side side;
    enum an_value value;
    const char *title; /* "time" */
    bool always;       /* offered even where no run has it */
};

extern const struct menu_subject menu_subjects[AN_SUBJECT_COUNT];

/* A run to look at, and the file of it that the subject is read from. */
struct menu_run {
    const struct menu_subject *subject;
    const struct an_run *run;
    char *path; /* owned */
};

/* A file of a directory. Freed by free(). */
char *menu_file_path(const char *directory, const char *file);

bool menu_run_is_recording(const struct menu_run *run);

/* Where we are, as in "profiles > memory > python3"; WORDS ends with NULL. */
void menu_set_place(struct menu *menu, const char *const *words);

/* A list of fixed rows, the cursor on *ROW at first; RET_ROW is what was chosen. */
struct menu_question {
    const char *question;
    const char *note; /* or NULL */
    const char *const *rows;
    uint32_t count;
};
enum an_answer menu_choose(struct menu *menu, const struct menu_question *question, uint32_t *row);

/* Show TEXT until the user has read it. */
enum an_answer menu_read(struct menu *menu, const char *question, const char *text);

/* Work on a run until the user goes back. */
enum an_answer menu_actions(struct menu *menu, const struct menu_run *run);

/* Ask for a palette for SUBJECT, the last one first, and remember the answer. */
enum an_answer menu_choose_palette(struct menu *menu, enum an_subject subject,
                                   enum an_palette *ret_palette);

/*
 * A command as the user would type it. WORDS are those behind the command's name.
 */
#define MENU_WORDS_MAX 16
struct menu_command {
    const struct an_command *command;
    const char *words[MENU_WORDS_MAX];
    uint32_t count;
    const struct menu_filter *filter; /* or NULL */
    /* Of stats: one table for each of these values that there is, ended by AN_VALUE_COUNT. */
    const enum an_value *values;
};
void menu_command_add(struct menu_command *command, const char *word);

/*
 * Print how the command would be typed, with what leads to it; nothing if it has parts that no
 * option can say.
 */
void menu_command_print(struct menu *menu, FILE *out, const struct menu_command *command);

/* Print TEXT with its lines broken at blanks where they do not fit the terminal. */
void menu_print_wrapped(struct menu *menu, FILE *out, const char *text);

/* What a command said. Freed by menu_result_release(). */
struct menu_result {
    int status;
    char *text;     /* results */
    char *messages; /* notes, and what went wrong */
};
void menu_result_release(struct menu_result *result);

/*
 * Run COUNT commands, one after the other, on a thread; the texts of their results follow each
 * other. WHAT tells the user what goes on. Result: CHOSEN with RET_RESULT filled, or BACK if the
 * user did not want to wait.
 */
enum an_answer menu_perform(struct menu *menu, const char *what,
                            const struct menu_command *commands, uint32_t count,
                            struct menu_result *ret_result);

/* A picture of the run: palette, file, browser. FILTER may be NULL. */
enum an_answer menu_draw(struct menu *menu, const struct menu_run *run,
                         const struct an_command *command, const struct menu_filter *filter);

/* Two runs of one program compared. */
enum an_answer menu_compare(struct menu *menu, const struct menu_run *before,
                            const struct menu_run *after);

#endif
