/*
 * fold.c -- text made alike.
 */
#include "analyzer/menu/fold.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "analyzer/output/cells.h"

char *an_fold(const char *text)
{
    char *safe = an_cells_safe(text, strlen(text));
    utf8proc_uint8_t *folded = NULL;
    utf8proc_ssize_t bytes =
        utf8proc_map((const utf8proc_uint8_t *)safe, 0, &folded,
                     UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
    /* It fails without memory alone, for the text is valid; then case counts. */
    if (bytes < 0)
        return safe;
    free(safe);
    return (char *)folded;
}
