/*
 * first_seen.c -- a preload that times the recorder's malloc from the outside.
 *
 *   FIRST_SEEN=FOLDER THAG_PROFILER=memory,FOLDER,,,resolve=no
 *   LD_PRELOAD=first_seen.so:libthagpreload.so PROGRAM...
 *
 * FOLDER is empty at the start, so the one recording in it is the program's. A call after which the
 * recording has one stack more was the first from its stack; all others were seen before. At the
 * end, medians and 90th percentiles of both are printed on stderr, the allocator itself included.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "runtime/format/recording_format.h"

enum { SAMPLES_MAX = 1 << 20 };

static struct {
    void *(*next_malloc)(size_t);
    const volatile struct rec_header *header;
    uint64_t stacks;
    bool busy; /* a call of our own: the sorting and printing allocate */
    uint32_t *first, *again;
    size_t first_count, again_count;
} bench;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Map the recording once it is there. */
static void find_recording(void)
{
    const char *folder = getenv("FIRST_SEEN");
    DIR *directory = folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    while (directory && (entry = readdir(directory)) && !bench.header) {
        char path[4096];
        size_t bytes = strlen(entry->d_name);
        if (bytes < 5 || strcmp(entry->d_name + bytes - 5, ".thag") != 0) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        void *page = mmap(NULL, REC_PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
        close(fd);
        bench.header = page == MAP_FAILED ? NULL : page;
    }
    if (directory) {
        closedir(directory);
    }
    bench.first = calloc(SAMPLES_MAX, sizeof *bench.first);
    bench.again = calloc(SAMPLES_MAX, sizeof *bench.again);
}

static void note(uint64_t ns)
{
    uint64_t stacks = bench.header->stack_count;
    bool is_first = stacks != bench.stacks;
    size_t *count = is_first ? &bench.first_count : &bench.again_count;
    uint32_t *samples = is_first ? bench.first : bench.again;
    bench.stacks = stacks;
    if (*count < SAMPLES_MAX) {
        samples[(*count)++] = ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
    }
}

void *malloc(size_t bytes)
{
    if (!bench.next_malloc) {
        bench.next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    }
    if (bench.busy) {
        return bench.next_malloc(bytes);
    }
    if (!bench.header) {
        void *memory = bench.next_malloc(bytes); /* the recording begins here */
        bench.busy = true;
        find_recording();
        bench.busy = false;
        bench.stacks = bench.header ? bench.header->stack_count : 0;
        return memory;
    }
    uint64_t before = now_ns();
    void *memory = bench.next_malloc(bytes);
    note(now_ns() - before);
    return memory;
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void print(const char *what, uint32_t *samples, size_t count)
{
    if (count) {
        qsort(samples, count, sizeof *samples, by_size);
        fprintf(stderr, "%s: %zu calls, median %u ns, 90%% below %u ns\n", what, count,
                samples[count / 2], samples[count / 10 * 9]);
    }
}

static __attribute__((destructor)) void report(void)
{
    bench.busy = true;
    print("first seen", bench.first, bench.first_count);
    print("seen before", bench.again, bench.again_count);
}
