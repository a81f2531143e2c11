/*
 * local_time.c -- zone files, zone rules and the calendar.
 */
#include "runtime/setup/local_time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>

#include "runtime/os/os.h"

enum { DAY_S = 86400, FILE_BYTES_MAX = 1 << 16, HEADER_BYTES = 44, TYPE_BYTES = 6 };

/* ---- the calendar: days since 1970-01-01 and civil dates (proleptic Gregorian) ---- */

static bool is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int month_days(int64_t year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

static int64_t year_start(int64_t year)
{
    int64_t before = year - 1;
    return 365 * (year - 1970) + (before / 4 - 1969 / 4) - (before / 100 - 1969 / 100) +
           (before / 400 - 1969 / 400);
}

static int64_t year_of(int64_t day)
{
    int64_t year = 1970 + day / 366;
    while (year_start(year + 1) <= day) {
        year++;
    }
    while (year_start(year) > day) {
        year--;
    }
    return year;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

void rt_local_stamp_add(struct rt_text *text, int64_t local_s)
{
    int64_t day = floor_div(local_s, DAY_S);
    int64_t second = local_s - day * DAY_S;
    int64_t year = year_of(day);
    int64_t left = day - year_start(year);
    int month = 1;
    while (left >= month_days(year, month)) {
        left -= month_days(year, month++);
    }
    rt_text_add_padded(text, (uint64_t)year, 4);
    rt_text_add_padded(text, (uint64_t)month, 2);
    rt_text_add_padded(text, (uint64_t)left + 1, 2);
    rt_text_add(text, "-");
    rt_text_add_padded(text, (uint64_t)(second / 3600), 2);
    rt_text_add_padded(text, (uint64_t)(second / 60 % 60), 2);
    rt_text_add_padded(text, (uint64_t)(second % 60), 2);
}

/* ---- POSIX rules ---- */

struct cursor {
    const char *at, *end;
};

/* When in a year summer time begins or ends, in local seconds from the year's start. */
struct change {
    enum { CHANGE_MONTH, CHANGE_JULIAN, CHANGE_DAY } kind;
    int month, week, day;
    int32_t time_s;
};

static char peek(const struct cursor *cursor)
{
    return cursor->at < cursor->end ? *cursor->at : 0;
}

static bool accept(struct cursor *cursor, char wanted)
{
    if (peek(cursor) != wanted) {
        return false;
    }
    cursor->at++;
    return true;
}

static bool read_int(struct cursor *cursor, int most, int *ret_value)
{
    int value = 0, digits = 0;
    while (peek(cursor) >= '0' && peek(cursor) <= '9' && digits < 4) {
        value = value * 10 + (*cursor->at++ - '0');
        digits++;
    }
    if (digits == 0 || value > most) {
        return false;
    }
    *ret_value = value;
    return true;
}

/* [+-]hh[:mm[:ss]] */
static bool read_time(struct cursor *cursor, int32_t *ret_s)
{
    int32_t sign = accept(cursor, '-') ? -1 : 1;
    if (sign > 0) {
        accept(cursor, '+');
    }
    int hours, minutes = 0, seconds = 0;
    if (!read_int(cursor, 167, &hours) ||
        (accept(cursor, ':') && !read_int(cursor, 59, &minutes)) ||
        (accept(cursor, ':') && !read_int(cursor, 59, &seconds))) {
        return false;
    }
    *ret_s = sign * (hours * 3600 + minutes * 60 + seconds);
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool skip_name(struct cursor *cursor)
{
    const char *start = cursor->at;
    if (accept(cursor, '<')) {
        while (peek(cursor) && peek(cursor) != '>') {
            cursor->at++;
        }
        return accept(cursor, '>');
    }
    while (is_letter(peek(cursor))) {
        cursor->at++;
    }
    return cursor->at - start >= 3;
}

static bool read_change(struct cursor *cursor, struct change *ret_change)
{
    struct change change = {.time_s = 2 * 3600};
    if (accept(cursor, 'M')) {
        change.kind = CHANGE_MONTH;
        if (!read_int(cursor, 12, &change.month) || change.month < 1 || !accept(cursor, '.') ||
            !read_int(cursor, 5, &change.week) || change.week < 1 || !accept(cursor, '.') ||
            !read_int(cursor, 6, &change.day)) {
            return false;
        }
    } else if (accept(cursor, 'J')) {
        change.kind = CHANGE_JULIAN;
        if (!read_int(cursor, 365, &change.day) || change.day < 1) {
            return false;
        }
    } else {
        change.kind = CHANGE_DAY;
        if (!read_int(cursor, 365, &change.day)) {
            return false;
        }
    }
    if (accept(cursor, '/') && !read_time(cursor, &change.time_s)) {
        return false;
    }
    *ret_change = change;
    return true;
}

static int64_t change_s(const struct change *change, int64_t year)
{
    int64_t day;
    switch (change->kind) {
    case CHANGE_JULIAN: /* the 29th of February is never counted */
        day = change->day - 1 + (is_leap(year) && change->day >= 60);
        break;
    case CHANGE_DAY:
        day = change->day;
        break;
    default: {
        int64_t first = 0;
        for (int month = 1; month < change->month; month++) {
            first += month_days(year, month);
        }
        int64_t weekday = (year_start(year) + first + 4) % 7; /* 1970-01-01 was a Thursday */
        weekday = weekday < 0 ? weekday + 7 : weekday;
        day = (change->day - weekday + 7) % 7 + 7 * (change->week - 1);
        if (day >= month_days(year, change->month)) {
            day -= 7;
        }
        day += first;
        break;
    }
    }
    return day * DAY_S + change->time_s;
}

int rt_local_offset_of_rule(const char *rule, size_t bytes, int64_t utc_s, int32_t *ret_offset_s)
{
    struct cursor cursor = {rule, rule + bytes};
    int32_t west_s, summer_west_s;
    if (!skip_name(&cursor) || !read_time(&cursor, &west_s)) {
        return -EINVAL;
    }
    if (!peek(&cursor)) {
        *ret_offset_s = -west_s;
        return 0;
    }
    summer_west_s = west_s - 3600;
    if (!skip_name(&cursor) ||
        (peek(&cursor) && peek(&cursor) != ',' && !read_time(&cursor, &summer_west_s))) {
        return -EINVAL;
    }
    struct change begin = {CHANGE_MONTH, 3, 2, 0, 7200}, end = {CHANGE_MONTH, 11, 1, 0, 7200};
    if (peek(&cursor) && (!accept(&cursor, ',') || !read_change(&cursor, &begin) ||
                          !accept(&cursor, ',') || !read_change(&cursor, &end))) {
        return -EINVAL;
    }
    int64_t year = year_of(floor_div(utc_s - west_s, DAY_S));
    int64_t in_year = utc_s - year_start(year) * DAY_S;
    int64_t from = change_s(&begin, year) + west_s;
    int64_t to = change_s(&end, year) + summer_west_s;
    bool summer = from < to ? in_year >= from && in_year < to : in_year >= from || in_year < to;
    *ret_offset_s = summer ? -summer_west_s : -west_s;
    return 0;
}

/* ---- zone files ---- */

static int64_t big_endian(const uint8_t *at, unsigned bytes)
{
    uint64_t value = at[0] & 0x80 ? ~UINT64_C(0) : 0;
    for (unsigned i = 0; i < bytes; i++) {
        value = value << 8 | at[i];
    }
    return (int64_t)value;
}

struct zone_block {
    const uint8_t *times, *indices, *types, *end;
    uint32_t time_count, type_count;
    unsigned time_bytes;
};

/* The block at FILE with times of TIME_BYTES; false if it does not fit into BYTES. */
static bool block_read(const uint8_t *file, size_t bytes, unsigned time_bytes,
                       struct zone_block *ret_block)
{
    if (bytes < HEADER_BYTES || __builtin_memcmp(file, "TZif", 4) != 0) {
        return false;
    }
    uint64_t count[6]; /* of UT flags, standard flags, leap seconds, times, types, characters */
    for (unsigned i = 0; i < 6; i++) {
        count[i] = (uint32_t)big_endian(file + 20 + 4 * i, 4);
        if (count[i] > FILE_BYTES_MAX) {
            return false;
        }
    }
    uint64_t size = count[3] * time_bytes + count[3] + count[4] * TYPE_BYTES + count[5] +
                    count[2] * (time_bytes + 4u) + count[1] + count[0];
    if (size > bytes - HEADER_BYTES || count[4] == 0) {
        return false;
    }
    const uint8_t *times = file + HEADER_BYTES;
    *ret_block = (struct zone_block){
        .times = times,
        .indices = times + count[3] * time_bytes,
        .types = times + count[3] * time_bytes + count[3],
        .end = times + size,
        .time_count = (uint32_t)count[3],
        .type_count = (uint32_t)count[4],
        .time_bytes = time_bytes,
    };
    return true;
}

/* The line between two newlines behind the second block: the rule for later times. */
static bool footer_offset(const uint8_t *at, const uint8_t *end, int64_t utc_s,
                          int32_t *ret_offset_s)
{
    if (at >= end || *at != '\n') {
        return false;
    }
    const uint8_t *line = ++at;
    while (at < end && *at != '\n') {
        at++;
    }
    return at < end && at > line &&
           rt_local_offset_of_rule((const char *)line, (size_t)(at - line), utc_s, ret_offset_s) ==
               0;
}

int rt_local_offset_of_file(const uint8_t *file, size_t bytes, int64_t utc_s, int32_t *ret_offset_s)
{
    struct zone_block block;
    const uint8_t *end = file + bytes;
    if (!block_read(file, bytes, 4, &block)) {
        return -EINVAL;
    }
    bool long_times = file[4] >= '2';
    if (long_times && !block_read(block.end, (size_t)(end - block.end), 8, &block)) {
        return -EINVAL;
    }
    uint32_t passed = 0;
    while (passed < block.time_count &&
           big_endian(block.times + passed * block.time_bytes, block.time_bytes) <= utc_s) {
        passed++;
    }
    if (passed == block.time_count && long_times &&
        footer_offset(block.end, end, utc_s, ret_offset_s)) {
        return 0;
    }
    uint32_t type = passed ? block.indices[passed - 1] : 0;
    if (type >= block.type_count) {
        return -EINVAL;
    }
    *ret_offset_s = (int32_t)big_endian(block.types + type * TYPE_BYTES, 4);
    return 0;
}

static int offset_of_path(const char *path, int64_t utc_s, int32_t *ret_offset_s)
{
    int fd = os_file_open(path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0) {
        return fd;
    }
    int result = -ENOMEM;
    uint8_t *file = os_memory_map(FILE_BYTES_MAX);
    if (file) {
        long bytes = os_file_read(fd, file, FILE_BYTES_MAX);
        result =
            bytes > 0 ? rt_local_offset_of_file(file, (size_t)bytes, utc_s, ret_offset_s) : -EINVAL;
        os_memory_unmap(file, FILE_BYTES_MAX);
    }
    os_file_close(fd);
    return result;
}

int32_t rt_local_offset_s(const struct rt_environment *environment, int64_t utc_s)
{
    int32_t offset_s = 0;
    const char *zone = rt_environment_get(environment, "TZ");
    if (!zone) {
        offset_of_path("/etc/localtime", utc_s, &offset_s);
        return offset_s;
    }
    zone += *zone == ':';
    static struct rt_text path; /* not on a small stack */
    rt_text_clear(&path);
    if (*zone != '/') {
        const char *folder = rt_environment_get(environment, "TZDIR");
        rt_text_add(&path, folder ? folder : "/usr/share/zoneinfo");
        rt_text_add(&path, "/");
    }
    rt_text_add(&path, zone);
    if (*zone && !path.cut && offset_of_path(path.at, utc_s, &offset_s) < 0) {
        rt_local_offset_of_rule(zone, __builtin_strlen(zone), utc_s, &offset_s);
    }
    return offset_s;
}
