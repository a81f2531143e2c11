/*
 * oddities.h -- what is odd about marks in the source, once for each mark, for the debug log.
 *
 * The log is never opened from a hook: hooks note, the end of the recording writes.
 *
 * Context of all functions: hot, except rt_oddity_get() (setup).
 */
#ifndef THAG_RT_ODDITIES_H
#define THAG_RT_ODDITIES_H

#include <stdint.h>

struct rt_site;

enum rt_oddity {
    RT_ODDITY_SECOND = 1,     /* a second mark of one function: not counted */
    RT_ODDITY_NOT_OPEN = 2,   /* THAG_END of a section that is not open: ignored */
    RT_ODDITY_ENDS_INNER = 4, /* THAG_END of a section with others open inside it: all end */
    RT_ODDITY_NO_TIME = 8,    /* flags that the type of the run excludes: ignored */
    RT_ODDITY_NO_MEMORY = 16,
    RT_ODDITY_TASK = 32, /* a task was entered while it runs, or left while it does not */
};

/* Copied: the mark may be unloaded by the time that the log is written. */
struct rt_oddity_note {
    uint32_t kind; /* published last; 0: not filled */
    uint32_t line;
    char name[40]; /* of the section; empty: the function */
    char function[80];
};

/* Nothing is noted until then. */
void rt_oddities_reset(void);
void rt_oddity_note(struct rt_site *site, enum rt_oddity kind);

/* FLAGS of a mark, enum rt_mark: those that this run excludes, if there are any. */
void rt_oddity_note_excluded(struct rt_site *site, uint32_t flags);

/* The same for a task, by its name. */
void rt_oddity_note_task(const char *name);

/* Note number PLACE; NULL behind the last. RET_MISSING: there were so many more. */
const struct rt_oddity_note *rt_oddity_get(uint32_t place, uint32_t *ret_missing);

#endif
