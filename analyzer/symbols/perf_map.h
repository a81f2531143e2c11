/*
 * perf_map.h -- names of code that was made at run time, from the file that JIT compilers write.
 *
 * "/tmp/perf-PID.map": a line per function, "START SIZE NAME", numbers in hexadecimal.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_PERF_MAP_H
#define THAG_AN_PERF_MAP_H

#include <stdint.h>

struct an_perf_map;

/*
 * Read a map. Anyone may put a file of that name into /tmp and a process number comes back, so it
 * has to be a plain file of OWNER (or of root) that was written after NOT_BEFORE_NS,
 * CLOCK_REALTIME.
 *
 * Result: NULL if there is none of the kind. Lines that make no sense are left out. Freed by
 *         an_perf_map_free(), which takes NULL.
 */
struct an_perf_map *an_perf_map_read(const char *path, uint32_t owner, uint64_t not_before_ns);
void an_perf_map_free(struct an_perf_map *map);

/* The function at ADDRESS, the one written last if there were several; NULL: none. MAP may be NULL.
 */
const char *an_perf_map_name(const struct an_perf_map *map, uint64_t address);

#endif
