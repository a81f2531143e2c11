/*
 * doctor.h -- what the checks of doctor share.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_DOCTOR_H
#define THAG_AN_DOCTOR_H

#include <stdbool.h>
#include <stdio.h>

enum an_doctor_state {
    AN_DOCTOR_FINE,
    AN_DOCTOR_NOTE, /* worth knowing, nothing is wrong */
    AN_DOCTOR_TODO, /* the text says what to do */
};

struct an_doctor {
    FILE *out;
    unsigned todo_count;
};

/* One finding, "fine  library  ...", wrapped to 80 columns. */
void an_doctor_say(struct an_doctor *doctor, enum an_doctor_state state, const char *subject,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A line below a finding, not wrapped. */
void an_doctor_add(struct an_doctor *doctor, const char *line);

/* Whether the recorder works here: the library, its settings, the directory, the system. */
void an_doctor_check_here(struct an_doctor *doctor);

/* Whether the program NAME can be recorded, and what a recording of it will show. */
void an_doctor_check_program(struct an_doctor *doctor, const char *name);

#endif
