/*
 * export_parts.h -- what the writers of export.h share. Private to analyzer/output/export*.c.
 */
#ifndef THAG_AN_EXPORT_PARTS_H
#define THAG_AN_EXPORT_PARTS_H

#include "analyzer/model/profile.h"
#include "analyzer/output/json.h"

/* The text of a name of TREE. */
void an_export_name(struct an_json *json, const struct an_tree *tree, uint32_t name);

/* FRAME opens ("O") or closes ("C") at AT / SCALE. */
void an_export_speedscope_event(struct an_json *json, const char *type, uint32_t frame, uint64_t at,
                                uint64_t scale);

/* The members of "profiles" for the lanes of a timeline. */
void an_export_speedscope_lanes(struct an_json *json, const struct an_profile *profile);

/* The members of "traceEvents" for its lanes, and for live memory where that is known. */
void an_export_chrome_lanes(struct an_json *json, const struct an_profile *profile);

#endif
