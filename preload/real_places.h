/*
 * real_places.h -- libc's functions behind the wrappers, the malloc family's apart (real.h): each
 * wrapper has a place for its function, all of them are filled at the start.
 *
 * Context of all functions: hot, except pl_real_find_places() (setup).
 */
#ifndef THAG_PL_REAL_PLACES_H
#define THAG_PL_REAL_PLACES_H

#include <stddef.h>

/* A wrapper's place for libc's function. */
struct pl_real_place {
    void **place;
    const char *name;
};

#define PL_REAL_PLACE(function)                                                                    \
    static __typeof__(&(function)) real_##function;                                                \
    PL_REAL_PLACE_AT(real_##function, function)
#define PL_REAL_PLACE_AT(variable, function)                                                       \
    __attribute__((section("pl_real_places"),                                                      \
                   used)) static const struct pl_real_place place_of_##function = {                \
        (void **)&(variable), #function}

/*
 * Fill all places, once. Not when a function is first wanted: dlsym() takes the loader's lock,
 * which a thread that waits for another may hold, and it throws away, by a free(), what dlerror()
 * would have told the program. Context: setup, the library's constructor.
 */
void pl_real_find_places(void);

/* One of them, wanted before the constructor has run. NULL: this libc has none. */
void *pl_real_find_place(void **place, const char *name);

/* libc's FUNCTION, which has a place in this file. */
#define PL_REAL(function)                                                                          \
    (__builtin_expect(real_##function != NULL, 1)                                                  \
         ? real_##function                                                                         \
         : (__typeof__(&(function)))pl_real_find_place((void **)&real_##function, #function))

#endif
