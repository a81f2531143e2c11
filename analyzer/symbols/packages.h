/*
 * packages.h -- which package of the distribution a file came in, by dpkg's lists of files.
 *
 * Context: tool.
 */
#ifndef THAG_AN_PACKAGES_H
#define THAG_AN_PACKAGES_H

#include <stdint.h>

struct an_package_query {
    const char *path; /* absolute, as recorded */
    char *package;    /* answer, owned by the caller; NULL: no package's, or no dpkg here */
};

/*
 * Answer questions, all in one pass over dpkg's lists. SYSROOT is before dpkg's own place; NULL:
 * "". Where /lib is a link to /usr/lib a list may have either path.
 */
void an_packages_find(const char *sysroot, struct an_package_query *query, uint32_t count);

#endif
