/* hand_over_malloc.h -- see hand_over_malloc.c. */
#ifndef THAG_TEST_HAND_OVER_MALLOC_H
#define THAG_TEST_HAND_OVER_MALLOC_H

/* Called by free() and realloc() when the place is free for others; must make no heap call. */
extern void (*volatile after_release)(void);

#endif
