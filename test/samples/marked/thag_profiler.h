/*
 * thag_profiler.h -- stands in for the true one: counts by itself how often each mark is passed,
 * from main's first statement to its last. At exit "CALLS NAME" lines go to $COUNT_MARKS.
 *
 * The counting functions are in count_marks.c.
 */
#ifndef THAG_PROFILER_H
#define THAG_PROFILER_H

#ifdef __cplusplus
extern "C" {
#endif

struct count_site {
    const char *name;
    unsigned long calls;
    struct count_site *next;
};

int count_marks_enter(struct count_site *site, int root);
void count_marks_leave_root(int *guard);

#ifdef __cplusplus
}
#endif

#define COUNT_SITE_(root)                                                                          \
    static struct count_site count_site_ = {0, 0, 0};                                              \
    int count_guard_ __attribute__((unused)) =                                                     \
        (count_site_.name = __func__, count_marks_enter(&count_site_, root))

#define THAG_PROFILED COUNT_SITE_(0)
#define THAG_ENABLE_PROFILING                                                                      \
    int count_root_ __attribute__((cleanup(count_marks_leave_root), unused)) = 0;                  \
    COUNT_SITE_(1)

#endif
