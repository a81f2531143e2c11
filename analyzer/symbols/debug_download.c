/*
 * debug_download.c -- debug files from the servers that DEBUGINFOD_URLS names.
 */
#include "analyzer/symbols/debug_download.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/support/task.h"

#define ALL_QUESTIONS_S 60

/* What is used of the library, which is loaded only when it is asked for: it brings curl. */
struct library {
    void *(*begin)(void);
    void (*progress)(void *client, int (*on_progress)(void *client, long done, long total));
    int (*find)(void *client, const unsigned char *id, int bytes, char **path);
    void (*end)(void *client);
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* When the time for all questions is over; counted from the first one. */
static double deadline_s(void)
{
    static double deadline;
    const char *wanted = getenv("DEBUGINFOD_MAXTIME");
    int seconds = wanted == NULL ? 0 : atoi(wanted);
    if (deadline == 0)
        deadline = now_s() + (seconds > 0 ? seconds : ALL_QUESTIONS_S);
    return deadline;
}

static int on_progress(void *client, long done, long total)
{
    (void)client;
    (void)done;
    (void)total;
    return now_s() > deadline_s() || !an_task_is_wanted();
}

static bool library_load(struct library *ret_library)
{
    static void *handle;
    if (handle == NULL)
        handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return false;
    void *symbol[] = {dlsym(handle, "debuginfod_begin"), dlsym(handle, "debuginfod_set_progressfn"),
                      dlsym(handle, "debuginfod_find_debuginfo"), dlsym(handle, "debuginfod_end")};
    for (int i = 0; i < 4; i++) {
        if (symbol[i] == NULL)
            return false;
    }
    memcpy(&ret_library->begin, &symbol[0], sizeof(symbol[0]));
    memcpy(&ret_library->progress, &symbol[1], sizeof(symbol[1]));
    memcpy(&ret_library->find, &symbol[2], sizeof(symbol[2]));
    memcpy(&ret_library->end, &symbol[3], sizeof(symbol[3]));
    return true;
}

static struct an_elf_image *answer_open(const char *path, const struct an_build_id *build_id)
{
    struct an_elf_image *image = an_elf_image_open(path);
    if (image == NULL || an_build_id_same(&image->build_id, build_id))
        return image;
    an_elf_image_close(image);
    return NULL;
}

struct an_elf_image *an_debug_download(const struct an_build_id *build_id)
{
    struct library library;
    if (build_id->bytes == 0 || getenv("DEBUGINFOD_URLS") == NULL || now_s() > deadline_s() ||
        !library_load(&library))
        return NULL;
    setenv("DEBUGINFOD_TIMEOUT", "10", 0);
    void *client = library.begin();
    if (client == NULL)
        return NULL;
    library.progress(client, on_progress);
    char *path = NULL;
    struct an_elf_image *image = NULL;
    int fd = library.find(client, build_id->value, (int)build_id->bytes, &path);
    if (fd >= 0) {
        close(fd);
        image = answer_open(path, build_id);
        free(path);
    }
    library.end(client);
    return image;
}
