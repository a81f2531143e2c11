/*
 * debug_download.h -- debug files from the servers that DEBUGINFOD_URLS names.
 *
 * Context: tool.
 */
#ifndef THAG_AN_DEBUG_DOWNLOAD_H
#define THAG_AN_DEBUG_DOWNLOAD_H

#include "analyzer/symbols/elf_image.h"

/*
 * Ask for the debug file of a build. A server that is silent is given up after ten seconds, unless
 * DEBUGINFOD_TIMEOUT says otherwise; all questions of this process together get one minute, or
 * DEBUGINFOD_MAXTIME seconds.
 *
 * Result: NULL if there is none, no server, no time left, or no libdebuginfod.
 */
struct an_elf_image *an_debug_download(const struct an_build_id *build_id);

#endif
