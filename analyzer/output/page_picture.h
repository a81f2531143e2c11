/*
 * page_picture.h -- what the static pictures have in common. Private to analyzer/output/page*.c.
 */
#ifndef THAG_AN_PAGE_PICTURE_H
#define THAG_AN_PAGE_PICTURE_H

#include "analyzer/output/page_parts.h"

#define AN_PICTURE_FRAMES    3000u /* at most */
#define AN_PICTURE_WIDTH     1200u
#define AN_PICTURE_ROW       18u
#define AN_PICTURE_HEAD      56u /* above the frames: title, subtitle */
#define AN_PICTURE_MARGIN    10u
#define AN_PICTURE_CHARACTER 7u   /* one of the 12 px monospace font, rounded down to be safe */
#define AN_PICTURE_LABEL     3u   /* characters that a frame must have room for, to have a label */
#define AN_PICTURE_NAME      300u /* characters of a name in a tooltip */

/* The element and its title; then ground, title and subtitle. */
void an_picture_start(const struct an_page *page, uint32_t height);
void an_picture_write_heading(const struct an_page *page, uint32_t height);

/* At most LIMIT characters of a text; what is cut shows as an ellipsis. */
void an_picture_write_cut(FILE *out, const char *text, size_t bytes, uint32_t limit);

/* The whole picture of a page's timeline; as an_page_write_picture(). */
void an_picture_write_timeline(const struct an_page *page, void (*inside)(const struct an_page *));

#endif
