/*
 * fault.h -- the one sentence that says why an input cannot be used.
 *
 * A reader returns -errno for the code and writes this for the person; the command prints it as
 * "thag_profile: TEXT" and exits with AN_EXIT_BAD_INPUT.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_FAULT_H
#define THAG_AN_FAULT_H

/* Always true: TEXT is NUL-terminated; it is empty until something went wrong. */
struct an_fault {
    char text[1024];
};

/*
 * Say what is wrong (printf-like, no newline). A second call replaces the first.
 * Result: ERROR, so that a reader can end with "return an_fault_set(fault, -EINVAL, ...)".
 */
int an_fault_set(struct an_fault *fault, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
