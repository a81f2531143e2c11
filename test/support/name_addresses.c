/*
 * name_addresses.c -- asks the resolver about addresses of one module, like addr2line.
 *
 *   name_addresses [-d DEBUG-DIR] [-r SYSROOT] [-b BUILD-ID] [-f] [-m] [-o] [-s] MODULE < ADDRESSES
 *
 * Addresses are hexadecimal, the instructions' own. Prints a line for each: its functions, the
 * physical one first, as "name (file:line)" with ";" between them. -f leaves out file and line, -m
 * leaves names mangled, -o reads no debug data by libdw, -s tells on stderr what was found, by whom
 * it was read, and what it cost.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/symbols.h"

static const char *const states[] = {"unused",   "debug",   "symbols",    "exports",
                                     "nameless", "missing", "other build"};

static struct an_build_id build_id_parse(const char *hex)
{
    struct an_build_id id = {0};
    for (; id.bytes < AN_BUILD_ID_BYTES && hex[0] != '\0' && hex[1] != '\0'; hex += 2) {
        char digits[3] = {hex[0], hex[1], '\0'};
        id.value[id.bytes++] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return id;
}

static uint32_t *sites_read(struct an_symbols *symbols, uint32_t module, uint32_t *ret_count)
{
    uint32_t *site = NULL, count = 0, room = 0;
    char line[64];
    while (fgets(line, sizeof(line), stdin) != NULL) {
        if (count == room) {
            room = room == 0 ? 256 : room * 2;
            site = an_memory_resize(site, room, sizeof(*site));
        }
        site[count++] = an_symbols_site(symbols, module, strtoull(line, NULL, 16), true);
    }
    *ret_count = count;
    return site;
}

static void site_print(const struct an_symbols *symbols, uint32_t site, bool lines)
{
    const struct an_names *names = an_symbols_names(symbols);
    uint32_t count = 0, module = 0;
    const struct an_site_frame *frame = an_symbols_frames(symbols, site, &count, &module);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s%s", i == 0 ? "" : ";", an_names_text(names, frame[i].name, NULL));
        if (lines && frame[i].file != UINT32_MAX)
            printf(" (%s:%" PRIu32 ")", an_names_text(names, frame[i].file, NULL), frame[i].line);
    }
    putchar('\n');
}

/* Not getrusage: its figure is that of the parent, where that was larger before the exec. */
static long peak_kib(void)
{
    char line[128];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    }
    if (status != NULL)
        fclose(status);
    return kib;
}

static void cost_print(const struct an_symbols *symbols, uint32_t module,
                       const struct timespec *begin)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double ms =
        (double)(end.tv_sec - begin->tv_sec) * 1e3 + (double)(end.tv_nsec - begin->tv_nsec) / 1e6;
    fprintf(stderr, "%s; by %s; %" PRIu64 " units, %.0f ms, %ld KiB\n",
            states[an_symbols_module_file(symbols, module)->state],
            an_symbols_by_libdw(symbols, module) ? "libdw" : "own reader",
            an_symbols_unit_visits(symbols, module), ms, peak_kib());
}

int main(int argc, char **argv)
{
    const char *directory[8];
    struct an_symbols_options options = {.lines = true, .cut_hash = true, .all_inlines = true};
    struct an_build_id id = {0};
    bool cost = false;
    struct timespec begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    options.places.debug_dir = directory;
    for (int option; (option = getopt(argc, argv, "d:r:b:fmos")) != -1;) {
        if (option == 'd' && options.places.debug_dir_count < 8)
            directory[options.places.debug_dir_count++] = optarg;
        else if (option == 'r')
            options.places.sysroot = optarg;
        else if (option == 'b')
            id = build_id_parse(optarg);
        else if (option == 'f')
            options.lines = false;
        else if (option == 'm')
            options.no_demangle = true;
        else if (option == 'o')
            options.own_reader = true;
        else if (option == 's')
            cost = true;
        else
            return 2;
    }
    if (optind + 1 != argc)
        return 2;
    struct an_symbols *symbols = an_symbols_new(&options);
    uint32_t module = an_symbols_module(symbols, argv[optind], &id, false, UINT64_MAX), count = 0;
    uint32_t *site = sites_read(symbols, module, &count);
    an_symbols_resolve(symbols);
    for (uint32_t i = 0; i < count; i++)
        site_print(symbols, site[i], options.lines);
    if (cost)
        cost_print(symbols, module, &begin);
    free(site);
    an_symbols_free(symbols);
    return 0;
}
