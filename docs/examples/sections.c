/*
 * A small simulation whose phases are marked in the source, one function and three sections:
 *
 *   gcc -O2 -g -DTHAG_PROFILING -I.../include sections.c -o sections
 *   LD_PRELOAD=libthagpreload.so ./sections
 *   thag_profile tree sections-*.thag
 *
 * No -finstrument-functions is needed, and without -DTHAG_PROFILING the marks are no code.
 */
#include <stdio.h>
#include <stdlib.h>

#include <thag_profiler.h>

enum { CELLS = 20000, STEPS = 40 };

static void smooth(const double *from, double *to)
{
    THAG_PROFILED;
    for (int i = 1; i < CELLS - 1; i++) {
        to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
    }
}

int main(void)
{
    double sum = 0;
    THAG_SECTION(prepare);
    double *now = calloc(CELLS, sizeof *now);
    double *next = calloc(CELLS, sizeof *next);
    if (!now || !next) {
        return 1;
    }
    now[CELLS / 2] = CELLS;
    THAG_END(prepare);
    THAG_SECTION(simulate);
    for (int step = 0; step < STEPS; step++) {
        smooth(now, next);
        double *before = now;
        now = next;
        next = before;
    }
    THAG_END(simulate);
    THAG_SECTION(report, time);
    for (int i = 0; i < CELLS; i++) {
        sum += now[i];
    }
    THAG_END(report);
    printf("%.0f\n", sum);
    free(now);
    free(next);
    return 0;
}
