/*
 * profile.h -- what was read from one or several files: the call tree and what is known about it.
 *
 * Every reader fills one of these, every writer draws from it. A reader leaves what it does not
 * know as an_profile_init() made it.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_PROFILE_H
#define THAG_AN_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/model/sizes.h"
#include "analyzer/model/timeline.h"
#include "analyzer/model/tree.h"

/* Which file the values came from: it decides the unit and the words. */
enum an_kind {
    AN_KIND_UNKNOWN,       /* standard input, or a name that says nothing */
    AN_KIND_TIME,          /* BASE.folded */
    AN_KIND_INCLUSIVE,     /* BASE-inclusive.folded: statistics only, never drawn */
    AN_KIND_SAMPLE,        /* BASE-sample.folded */
    AN_KIND_MEMORY,        /* BASE-memory.folded: sums per stack */
    AN_KIND_MEMORY_DETAIL, /* BASE-memory_detail.folded: one line per allocation */
    AN_KIND_DEALLOC,       /* BASE-memory_detail_dealloc.folded: AN_BYTES are bytes freed */
    AN_KIND_RECORDING,     /* BASE.thag */
};

/* Lines that could not be used: the numbers (from 1) of the first ones and the count of all. */
#define AN_BAD_LINES_KEPT 5
struct an_bad_lines {
    uint64_t count;
    uint64_t number[AN_BAD_LINES_KEPT];
};

/* Live bytes over time, as the recording's timeline has it. */
struct an_moment {
    uint64_t ns; /* since the start */
    uint64_t live_bytes;
};

struct an_profile {
    struct an_tree *tree; /* owned */
    enum an_kind kind;
    bool recorded;       /* the values are a recording's, whatever kind of file was named */
    char *path;          /* as given by the user, "-" for standard input; the first of several */
    char *base_name;     /* BASE without a directory, NULL if the name has no time stamp */
    uint32_t file_count; /* merged into this one */

    /* Texts are owned, NULL where unknown. */
    char *program;   /* path of the executable, or what stands before the stamp */
    char *arguments; /* as a shell would take them */
    char *directory;
    char *host;
    char *config; /* THAG_PROFILER as given */
    char *title;

    char *rate; /* of samples, as asked for and as reached; NULL: there are none, or unknown */

    uint32_t pid, parent_pid; /* 0: unknown */
    uint64_t start_realtime_ns;
    int32_t utc_offset_s;
    uint64_t duration_ns; /* 0: unknown */
    uint32_t end_reason;  /* enum rec_end */
    uint32_t exit_status;
    uint64_t thread_count; /* 0: unknown */

    /*
     * Amounts are SCALE times the true number: 1, or a power of ten when a folded file had
     * fractions (times are in ns before that, so whole nanoseconds need no scale).
     */
    uint64_t scale[AN_VALUE_COUNT];
    /* The true peak of the heap; 0: unknown (no sum over a tree can tell it). */
    uint64_t peak_bytes;
    uint64_t peak_bound_bytes; /* how far the true peak may lie above */
    struct an_sizes *sizes;    /* owned, NULL: unknown */
    struct an_moment *moment;  /* owned, in the order of time */
    uint32_t moment_count;
    struct an_timeline *timeline; /* owned, of the tree; NULL: unknown, or not asked for */

    /* Modules that frames lie in and whose file is missing or of another build. */
    uint32_t nameless_modules;

    /* Sentences for the reader about losses and limits, one per line, owned. */
    char **note;
    uint32_t note_count;

    struct an_bad_lines bad;
    uint64_t good_lines;
};

/* An empty profile with a tree of its own. Released by an_profile_release(). */
void an_profile_init(struct an_profile *profile);
void an_profile_release(struct an_profile *profile);

/* Add one sentence (printf-like, no newline) for the reader. */
void an_profile_note(struct an_profile *profile, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Count line NUMBER as one that could not be used. */
void an_profile_bad_line(struct an_profile *profile, uint64_t number);

/*
 * Add what FROM has to INTO; what is known of INTO stays. FROM is as before. UNDER is a frame that
 * its stacks are put under, NULL: none.
 * Result: 0; -EOVERFLOW if a sum passes 2^64 - 1; -EMEDIUMTYPE if one has bytes allocated and the
 *         other bytes freed. INTO is then fit to be released, no more.
 */
int an_profile_merge(struct an_profile *into, const struct an_profile *from, const char *under);

/* How often VALUE was looked at, in words; NULL: it was not sampled, or that is not known. */
const char *an_profile_rate(const struct an_profile *profile, enum an_value value);

/* True if it has calls (or samples) over time, and VALUE is their time. */
bool an_profile_has_timeline(const struct an_profile *profile, enum an_value value);

/* The value that a folded file of this kind holds. */
enum an_value an_kind_value(enum an_kind kind);

/*
 * The value that is meant when the user names none: that of the kind of file, else time, else
 * sampled time, else bytes, else the first one there is.
 * Result: false if the tree has none.
 */
bool an_profile_default_value(const struct an_profile *profile, enum an_value *ret_value);

#endif
