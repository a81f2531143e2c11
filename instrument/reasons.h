/*
 * reasons.h -- why a function is not annotated.
 */
#ifndef THAG_IN_REASONS_H
#define THAG_IN_REASONS_H

/* A set of bits. Of several the first is named. */
enum in_reason {
    IN_REASON_NAKED = 1,         /* has no frame to run a guard in */
    IN_REASON_NO_INSTRUMENT = 2, /* its author asked for it */
    IN_REASON_INTERRUPT = 4,     /* runs with registers and a stack of its own */
    IN_REASON_IFUNC = 8,         /* runs while the loader relocates the program */
    IN_REASON_CONSTEXPR = 16,    /* cannot have a guard */
    IN_REASON_COROUTINE = 32,    /* its guard would live across suspensions and threads */
    IN_REASON_MUSTTAIL = 64,     /* cannot run anything at its end */
    IN_REASON_ALLOCATOR = 128,   /* the guard itself may call it */
    IN_REASON_HOOK = 256,        /* likewise */
    IN_REASON_SIGNAL = 512,      /* may interrupt a guard anywhere */
    IN_REASON_GPU = 1024,        /* runs where there is no library */
    IN_REASON_FILTER = 2048,     /* the user's expressions leave it out */

    /* Those that a separate declaration gives to the function, too. */
    IN_REASONS_DECLARED =
        IN_REASON_NAKED | IN_REASON_NO_INSTRUMENT | IN_REASON_INTERRUPT | IN_REASON_GPU,
};

#endif
