/*
 * capture.h -- what a function writes to a stream, as a text.
 */
#ifndef THAG_TEST_CAPTURE_H
#define THAG_TEST_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>

struct capture {
    FILE *stream;
    char *text;
    size_t bytes;
};

static inline FILE *capture_begin(struct capture *capture)
{
    capture->stream = open_memstream(&capture->text, &capture->bytes);
    return capture->stream;
}

/* Lifetime of the result: until capture_free(). */
static inline const char *capture_end(struct capture *capture)
{
    fclose(capture->stream);
    return capture->text;
}

static inline void capture_free(struct capture *capture)
{
    free(capture->text);
}

#endif
