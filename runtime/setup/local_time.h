/*
 * local_time.h -- the local time of the start, without libc's time zone.
 *
 * localtime(), mktime(), strftime() and tzset() read TZ once and keep it: a program that sets TZ in
 * main() would find itself in the zone of its start. So the zone file (RFC 8536) and the rule
 * strings of POSIX are read here.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_LOCAL_TIME_H
#define THAG_RT_LOCAL_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/setup/environment.h"
#include "runtime/setup/text.h"

/* Local time minus UTC at an instant, in seconds; 0 where the zone cannot be made out. */
int32_t rt_local_offset_s(const struct rt_environment *environment, int64_t utc_s);

/* The offset by a zone file's bytes, or by a rule such as "CET-1CEST,M3.5.0,M10.5.0/3". Results:
 * 0 with RET_OFFSET_S set, or -EINVAL. */
int rt_local_offset_of_file(const uint8_t *file, size_t bytes, int64_t utc_s,
                            int32_t *ret_offset_s);
int rt_local_offset_of_rule(const char *rule, size_t bytes, int64_t utc_s, int32_t *ret_offset_s);

/* Add "YYYYMMDD-HHMMSS" of LOCAL_S, seconds since 1970 in local time. */
void rt_local_stamp_add(struct rt_text *text, int64_t local_s);

#endif
