/*
 * screen_parts.h -- what the files of this folder share.
 */
#ifndef THAG_AN_SCREEN_PARTS_H
#define THAG_AN_SCREEN_PARTS_H

#include <curses.h>
#include <signal.h>

#include "analyzer/menu/screen/screen.h"

struct screen_pair {
    int text, ground; /* colours of the terminal */
};

struct screen {
    struct an_front front; /* first */
    SCREEN *curses;
    int signals;      /* signalfd */
    sigset_t blocked; /* what is read from there */
    sigset_t before;  /* the mask that was found */
    bool utf8;
    bool colour;
    struct screen_pair *pair; /* made so far, number 1 first */
    int pair_count;
};

enum screen_event {
    SCREEN_KEY,    /* RET_PRESS is filled */
    SCREEN_REDRAW, /* size or contents are not what they were */
    SCREEN_READY,  /* the descriptor can be read */
    SCREEN_LATE,   /* the time is over */
    SCREEN_GONE,   /* the terminal is */
};

/* Wait for a key, for DESCRIPTOR (or -1) to be readable, or for TIMEOUT_MS (-1: without end). */
enum screen_event screen_wait(struct screen *screen, int descriptor, int timeout_ms,
                              struct an_press *ret_press);

/*
 * Text of any origin at line Y from column X on, filled up with blanks to WIDTH columns and cut
 * there; the first SKIP columns are scrolled away. Nothing is drawn outside.
 */
struct screen_text {
    int y, x, width;
    unsigned skip;
    attr_t attributes;
    short pair;
    const char *text;
};
void screen_draw(const struct screen *screen, const struct screen_text *text);

/* The same for one plain line with ATTRIBUTES from column X to the right edge. */
void screen_draw_line(const struct screen *screen, int y, int x, attr_t attributes,
                      const char *text);

/* The pair of a label on a ground of 0xRRGGBB, or 0 where there are no such colours. */
short screen_ground_pair(struct screen *screen, uint32_t ground);

/* The front's functions. */
enum an_answer screen_show(struct an_front *front, struct an_list *list);
enum an_answer screen_wait_for(struct an_front *front, const char *what, struct an_job *job);

/* The heading that all pictures have. */
void screen_draw_heading(const struct screen *screen);

#endif
