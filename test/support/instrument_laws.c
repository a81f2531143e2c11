/*
 * instrument_laws.c -- what must be true of the instrumenter for every text.
 */
#include "test/support/instrument_laws.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/annotate.h"
#include "instrument/functions.h"
#include "instrument/include_line.h"

struct laws_text {
    char *bytes;
    size_t count;
};

static struct laws_text laws_apply(const struct laws_text *from, enum in_language language,
                                   bool removes, struct instrument_laws *laws)
{
    struct laws_text result = {NULL, 0};
    uint32_t bytes = (uint32_t)from->count;
    struct in_scan scan;
    struct in_edits edits;
    struct in_annotate_counts counts;
    struct in_include_line line = in_include_line_make(from->bytes, bytes, false);
    const struct in_annotate_texts texts = {" THAG_PROFILED;", " THAG_ENABLE_PROFILING;",
                                            line.text};
    in_scan_source(from->bytes, bytes, language, &scan);
    in_functions_settle(&scan);
    if (removes)
        in_unannotate(&scan, &edits, &counts);
    else
        in_annotate(&scan, &texts, line.at, line.possible, &edits, &counts);
    FILE *stream = open_memstream(&result.bytes, &result.count);
    in_edits_write(&edits, from->bytes, bytes, stream);
    fclose(stream);
    laws->functions = scan.function_count;
    laws->errors = scan.errors;
    in_edits_release(&edits);
    in_scan_release(&scan);
    return result;
}

static bool laws_equal(const struct laws_text *a, const struct laws_text *b)
{
    return a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
}

static bool laws_speaks_of_macros(const struct laws_text *text)
{
    return memmem(text->bytes, text->count, "THAG_", 5) != NULL ||
           memmem(text->bytes, text->count, "thag_", 5) != NULL;
}

struct instrument_laws instrument_laws_check(const char *text, size_t bytes,
                                             enum in_language language)
{
    struct instrument_laws laws = {NULL, 0, 0};
    struct laws_text x = {(char *)(uintptr_t)text, bytes};
    struct laws_text marked = laws_apply(&x, language, false, &laws);
    struct laws_text twice = laws_apply(&marked, language, false, &laws);
    struct laws_text back = laws_apply(&marked, language, true, &laws);
    struct laws_text bare = laws_apply(&x, language, true, &laws);
    struct laws_text barer = laws_apply(&bare, language, true, &laws);
    if (!laws_equal(&twice, &marked))
        laws.broken = "i(i(x)) = i(x)";
    else if (!laws_equal(&back, &bare))
        laws.broken = "u(i(x)) = u(x)";
    else if (!laws_equal(&barer, &bare))
        laws.broken = "u(u(x)) = u(x)";
    else if (!laws_speaks_of_macros(&x) && !laws_equal(&bare, &x))
        laws.broken = "u(x) = x";
    free(marked.bytes);
    free(twice.bytes);
    free(back.bytes);
    free(bare.bytes);
    free(barer.bytes);
    return laws;
}
