/*
 * debug_search.h -- finds the file with the debug data of a module.
 *
 * Context: tool.
 */
#ifndef THAG_AN_DEBUG_SEARCH_H
#define THAG_AN_DEBUG_SEARCH_H

#include "analyzer/symbols/elf_image.h"

struct an_debug_places {
    const char *const *debug_dir; /* of the user, looked at first */
    uint32_t debug_dir_count;
    const char
        *sysroot; /* before every path of the recording and before /usr/lib/debug; NULL: "" */
};

/*
 * Look for the debug file of a module.
 *
 * Inputs:   MODULE_PATH as recorded, without the sysroot. BUILD_ID as recorded or as the module's
 *           file says. MODULE is the module's file or NULL where that is missing: then only the
 *           build-id can find something.
 * Result:   the image, with symbols or DWARF; NULL if there is none that belongs to the module. By
 *           build-id if both have one, else by the debug link's CRC. RET_SYSTEM tells whether it
 *           comes from the distribution's directory of debug files.
 */
struct an_elf_image *an_debug_search(const struct an_debug_places *places, const char *module_path,
                                     const struct an_build_id *build_id,
                                     const struct an_elf_image *module, bool *ret_system);

/*
 * Look for the file with what dwz took out of IMAGE and others because they have it in common.
 *
 * Result: NULL if there is none with the build-id that IMAGE names.
 */
struct an_elf_image *an_debug_search_shared(const struct an_debug_places *places,
                                            const struct an_elf_image *image);

#endif
