/*
 * animals.h -- how the places of the zoo's program tell what a resolver has to say about them.
 */
#ifndef THAG_ZOO_ANIMALS_H
#define THAG_ZOO_ANIMALS_H

#ifdef __clang__
#define NEVER_INLINED __attribute__((noinline))
#else
#define NEVER_INLINED __attribute__((noipa))
#endif
#define ALWAYS_INLINED inline __attribute__((always_inline))

/* The function of this level, 0 is the physical one, calls what comes next from this line. */
#define CALL(level, name, call)                                                                    \
    do {                                                                                           \
        tell(level, name, __FILE__, __LINE__);                                                     \
        call;                                                                                      \
        __asm__ volatile("" ::: "memory"); /* no tail call */                                      \
    } while (0)

#ifdef __cplusplus
extern "C" {
#endif

void tell(int level, const char *name, const char *file, int line);

/* Print where this was called from: the call's address, and what was told of COUNT levels. */
void place(int count);

/* The same, telling of LEVEL, the last one, itself: with another call before it gcc makes no part.
 */
void rare_place(int level, const char *name, const char *file, int line) __attribute__((cold));

void animals_in_c(int rare);
void animals_in_cxx(int rare);

#ifdef __cplusplus
}
#endif

#endif
