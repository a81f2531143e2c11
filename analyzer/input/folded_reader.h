/*
 * folded_reader.h -- reads folded stacks, "frame;frame;frame N", as many tools write them.
 *
 * What is read, one line at a time:
 *   - the last blank (or tab) splits: names may hold blanks. What stands around the line is cut;
 *   - N is digits, or digits with a fraction, which is kept exactly;
 *   - a line "# ..." is a comment, an empty one nothing; CRLF and a UTF-8 mark at the start are
 *     taken for what they are;
 *   - two numbers on every line are a differential file: before and after;
 *   - frames may be empty, and may hold bytes of any value: names are kept as they are, whoever
 *     shows them makes them fit to be shown;
 *   - anything else, a negative N included, is a bad line: counted, the first ones by number.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_FOLDED_READER_H
#define THAG_AN_FOLDED_READER_H

#include "analyzer/input/source.h"
#include "analyzer/model/filter.h"
#include "analyzer/model/profile.h"

/* How the numbers of a file become amounts. */
struct an_folded_format {
    enum an_value value;
    uint32_t factor; /* amounts per unit of the file: 1000 for microseconds as ns, else 1 */
    bool one_column; /* a number before the last one belongs to the name */
    bool in_order;   /* merge adjacent stacks only */
    bool single;     /* each line is one event: fill the profile's sizes and AN_ALLOCATIONS */
    const struct an_filter *sizes_of; /* the sizes of what it leaves; NULL: of all */
    bool node_sizes;                  /* fill the tree's sizes of single events too */
};

#define AN_FOLDED_LINE_MAX (256u << 20)

/*
 * Add all lines of SOURCE to PROFILE (an_profile_init() made it). BEFORE takes the first number of
 * a differential file; NULL: it is left out, with a note. It may only be given with two empty
 * profiles: their trees then get the same node numbers.
 *
 * Result: 0;
 *         -ENODATA if no line was good; -EOVERFLOW if a sum passes 2^64 - 1; -EFBIG for a line
 *         over AN_FOLDED_LINE_MAX; -EINVAL if BEFORE is given and the file has one column;
 *         or what an_source_read() said. The profiles are then fit to be released, no more.
 */
int an_folded_load(struct an_source *source, const struct an_folded_format *format,
                   struct an_profile *profile, struct an_profile *before);

#endif
