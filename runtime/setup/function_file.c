/*
 * function_file.c -- see the header.
 */
#include "runtime/setup/function_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>

#include "runtime/hot/choice.h"

#define FILE_BYTES_MAX                                                                             \
    (sizeof(struct rec_list_header) + REC_LIST_MODULES_MAX * sizeof(struct rec_list_module) +      \
     (uint64_t)REC_LIST_RANGES_MAX * sizeof(struct rec_list_range))

/* 0, or -errno. */
static int file_take(int fd)
{
    struct os_file_id id;
    uint64_t bytes = 0, done = 0;
    int result = os_file_identify(fd, &id, &bytes);
    if (result < 0 || bytes == 0 || bytes > FILE_BYTES_MAX) {
        return result < 0 ? result : -EINVAL;
    }
    char *memory = os_memory_map(bytes);
    if (!memory) {
        return -ENOMEM;
    }
    while (done < bytes) {
        long count = os_file_read(fd, memory + done, bytes - done);
        if (count <= 0) {
            break;
        }
        done += (uint64_t)count;
    }
    if (done == bytes && rt_choice_set(memory, bytes)) {
        return 0;
    }
    os_memory_unmap(memory, bytes);
    return -EINVAL;
}

void rt_function_file_read(const struct rt_session *session)
{
    static struct rt_text line;
    const char *path = rt_environment_get(&session->environment, "THAG_FUNCTIONS");
    /* A set-user-ID program must not open what its caller may not. */
    if (!path || !path[0] || !session->config.time ||
        rt_environment_auxiliary(&session->environment, AT_SECURE) != 0) {
        return;
    }
    int fd = os_file_open(path, O_RDONLY | O_NONBLOCK, 0); /* a pipe would wait for its writer */
    int result = fd < 0 ? fd : file_take(fd);
    if (fd >= 0) {
        os_file_close(fd);
    }
    if (result == 0) {
        return;
    }
    rt_text_clear(&line);
    rt_text_add(&line, "thag: THAG_FUNCTIONS: ");
    rt_text_add(&line, path);
    rt_text_add(&line, ": ");
    rt_text_add_error(&line, -result);
    rt_text_add(&line, "; all functions are recorded");
    rt_session_say(&line);
}
