/*
 * list.h -- the one list of the menu: to choose a row of, to mark rows of, or to read. Everything
 * about it but the screen.
 *
 * Rows are those of a table. What the user types keeps the rows that contain it, in any case;
 * marks stay on rows that are hidden meanwhile.
 *
 * Always true:
 *   - shown[0] < shown[1] < ...: the rows that the typed text leaves, in the table's order;
 *   - cursor < shown_count, or both are 0;
 *   - top <= cursor < top + height.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_LIST_H
#define THAG_AN_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/output/table.h"

enum an_list_kind {
    AN_LIST_CHOOSE,
    AN_LIST_MARK,
    AN_LIST_READ,
    AN_LIST_ASK, /* for the typed text itself; the rows only show what it fits */
};

/* What was pressed. */
enum an_key {
    AN_KEY_NONE,
    AN_KEY_TEXT, /* see struct an_press */
    AN_KEY_UP,
    AN_KEY_DOWN,
    AN_KEY_LEFT,
    AN_KEY_RIGHT,
    AN_KEY_PAGE_UP,
    AN_KEY_PAGE_DOWN,
    AN_KEY_HOME,
    AN_KEY_END,
    AN_KEY_ENTER,
    AN_KEY_ESCAPE,
    AN_KEY_ERASE,    /* the last character */
    AN_KEY_CLEAR,    /* all that was typed */
    AN_KEY_MARK_ALL, /* rows that are shown; if they all are marked, unmark them */
    AN_KEY_POINT,    /* the mouse, on LINE below the list's first */
};

struct an_press {
    enum an_key key;
    char text[5]; /* one character, UTF-8 */
    uint32_t line;
};

enum an_list_state {
    AN_LIST_OPEN,
    AN_LIST_CHOSEN, /* the row under the cursor, the marks, or the typed text */
    AN_LIST_LEFT,   /* one level up */
};

/* Colours that a row can show, as 0xRRGGBB. */
#define AN_LIST_COLOURS 24

struct an_list {
    enum an_list_kind kind;
    const char *question;   /* above the list; the caller's */
    const char *note;       /* lines between question and list; the caller's, or NULL */
    struct an_table *table; /* owned */
    bool titled;            /* the columns have titles to show */
    const uint32_t *colour; /* AN_LIST_COLOURS per row; the caller's, or NULL */

    uint32_t row_count;
    bool *marked; /* per row */
    uint32_t marked_count;
    char **folded; /* per row, what typed text is looked for in; NULL: not needed yet */
    char *typed;
    uint32_t *shown;
    uint32_t shown_count;
    uint32_t cursor; /* place in SHOWN */
    uint32_t top;    /* the first place on the screen */
    uint32_t height; /* lines for rows on the screen, at least 1 */
    unsigned left;   /* columns that are scrolled away, of AN_LIST_READ */
};

/* TABLE is taken over; QUESTION is not copied. Released by an_list_release(). */
void an_list_init(struct an_list *list, enum an_list_kind kind, const char *question,
                  struct an_table *table);
void an_list_release(struct an_list *list);

/* A list to read: the lines of TEXT, whatever bytes they hold. */
void an_list_init_text(struct an_list *list, const char *question, const char *text);

/* There are HEIGHT lines for rows now; 0 counts as 1. */
void an_list_resize(struct an_list *list, uint32_t height);

/* Put the cursor on a row, if it is shown. */
void an_list_select(struct an_list *list, uint32_t row);

/* The row under the cursor, or UINT32_MAX if none is shown. */
uint32_t an_list_row(const struct an_list *list);

/* Act on a key. */
enum an_list_state an_list_press(struct an_list *list, const struct an_press *press);

/* Keep the rows that contain TEXT. */
void an_list_type(struct an_list *list, const char *text);

void an_list_mark(struct an_list *list, uint32_t row, bool mark);

#endif
