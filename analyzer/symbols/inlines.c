/*
 * inlines.c -- chooses who reads the DWARF of a module.
 *
 * libdw does, wherever it can. The own reader stays for what it cannot read, up to version 0.188:
 *
 *   - sections packed with Zstandard, which its libelf cannot unpack;
 *   - split units in a package (.dwp), and .dwo files that are not where the compiler put them, but
 *     beside the program, below the sysroot or in a debug directory; nor more than a hundred or so
 *     of them, for libdw keeps a descriptor for each;
 *   - what dwz shares, if the file is missing: libdw would take any file of that name;
 *   - a unit of a version that is not known, or that is damaged: libdw stops there for good, the
 *     own reader goes on behind it and tells what is wrong.
 *
 * Which of them it is, is seen from the section headers and the heads of the units, once.
 */
#include "analyzer/symbols/inlines.h"

#include <stdlib.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/dwarf/reader.h"
#include "analyzer/symbols/libdw/reader.h"

struct an_inlines {
    struct an_elf_image *shared; /* owned; NULL: none */
    struct an_libdw_reader *libdw;
    struct an_dwarf_reader *own; /* NULL if there is LIBDW */
};

static bool libdw_is_worth_a_try(const struct an_debug_source *source)
{
    bool shared_is_missing = source->image->shared_link != NULL && source->shared == NULL;
    return !shared_is_missing && an_elf_image_needs_zlib_alone(source->image) &&
           (source->shared == NULL || an_elf_image_needs_zlib_alone(source->shared));
}

struct an_inlines *an_inlines_new(struct an_elf_image *image, const struct an_debug_places *places,
                                  const char *module_path, enum an_inlines_reader reader)
{
    struct an_inlines *inlines = an_memory_zeroed(1, sizeof(*inlines));
    if (image->shared_link != NULL)
        inlines->shared = an_debug_search_shared(places, image);
    struct an_debug_source source = {image, inlines->shared, places, module_path};
    if (reader != AN_INLINES_BY_OWN_READER && libdw_is_worth_a_try(&source))
        inlines->libdw = an_libdw_reader_new(&source);
    if (inlines->libdw == NULL)
        inlines->own = an_dwarf_reader_new(&source);
    return inlines;
}

void an_inlines_free(struct an_inlines *inlines)
{
    if (inlines == NULL)
        return;
    an_libdw_reader_free(inlines->libdw);
    an_dwarf_reader_free(inlines->own);
    an_elf_image_close(inlines->shared);
    free(inlines);
}

void an_inlines_answer(struct an_inlines *inlines, struct an_inline_query *query, uint32_t count,
                       bool lines, struct an_progress *progress)
{
    if (inlines->libdw != NULL)
        an_libdw_reader_answer(inlines->libdw, query, count, lines, progress);
    else
        an_dwarf_reader_answer(inlines->own, query, count, lines, progress);
}

bool an_inlines_by_libdw(const struct an_inlines *inlines)
{
    return inlines->libdw != NULL;
}

unsigned an_inlines_trouble(const struct an_inlines *inlines)
{
    return inlines->own == NULL ? 0 : an_dwarf_reader_trouble(inlines->own);
}

uint64_t an_inlines_visits(const struct an_inlines *inlines)
{
    return inlines->libdw != NULL ? an_libdw_reader_visits(inlines->libdw)
                                  : an_dwarf_reader_visits(inlines->own);
}
