/*
 * home.c -- see the header.
 */
#include "runtime/setup/home.h"

#include <fcntl.h>

#include "runtime/os/os.h"

enum { FILE_BYTES_MAX = 1 << 20 };

/* name:password:number:group:comment:home:shell */
enum { FIELD_NAME = 0, FIELD_NUMBER = 2, FIELD_HOME = 5, FIELDS = 6 };

struct field {
    const char *at;
    size_t bytes;
};

/* The fields of the line from AT on; false if it has too few. */
static bool fields_split(const char *at, size_t bytes, struct field ret_field[FIELDS])
{
    for (unsigned i = 0; i < FIELDS; i++) {
        size_t length = 0;
        while (length < bytes && at[length] != ':') {
            length++;
        }
        if (length == bytes) {
            return false;
        }
        ret_field[i] = (struct field){at, length};
        at += length + 1;
        bytes -= length + 1;
    }
    return true;
}

static bool is_user(const struct field field[FIELDS], struct rt_user user)
{
    const struct field *wanted = &field[user.name_bytes ? FIELD_NAME : FIELD_NUMBER];
    static struct rt_text number;
    if (!user.name_bytes) {
        rt_text_clear(&number);
        rt_text_add_number(&number, user.number);
        user.name = number.at;
        user.name_bytes = number.bytes;
    }
    return wanted->bytes == user.name_bytes &&
           __builtin_memcmp(wanted->at, user.name, user.name_bytes) == 0;
}

bool rt_home_add_of_lines(const char *lines, size_t bytes, struct rt_user user,
                          struct rt_text *text)
{
    while (bytes) {
        struct field field[FIELDS];
        size_t length = 0;
        while (length < bytes && lines[length] != '\n') {
            length++;
        }
        if (fields_split(lines, length, field) && is_user(field, user)) {
            rt_text_add_bytes(text, field[FIELD_HOME].at, field[FIELD_HOME].bytes);
            return field[FIELD_HOME].bytes > 0;
        }
        length += length < bytes;
        lines += length;
        bytes -= length;
    }
    return false;
}

static bool add_of_file(const char *path, struct rt_user user, struct rt_text *text)
{
    int fd = os_file_open(path, O_RDONLY | O_NONBLOCK, 0);
    char *lines = fd >= 0 ? os_memory_map(FILE_BYTES_MAX) : NULL;
    bool found = false;
    if (lines) {
        size_t bytes = 0;
        long got;
        while (bytes < FILE_BYTES_MAX &&
               (got = os_file_read(fd, lines + bytes, FILE_BYTES_MAX - bytes)) > 0) {
            bytes += (size_t)got;
        }
        found = rt_home_add_of_lines(lines, bytes, user, text);
        os_memory_unmap(lines, FILE_BYTES_MAX);
    }
    if (fd >= 0) {
        os_file_close(fd);
    }
    return found;
}

bool rt_home_add(const struct rt_environment *environment, struct rt_user user,
                 struct rt_text *text)
{
    const char *home = user.name_bytes ? NULL : rt_environment_get(environment, "HOME");
    if (home && home[0]) {
        rt_text_add(text, home);
        return true;
    }
    return add_of_file("/etc/passwd", user, text);
}
