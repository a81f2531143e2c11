/*
 * request.c -- THAG_PROFILER as a command writes it for a program.
 */
#include "analyzer/launch/request.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/support/memory.h"

/* The positions before the keys. */
enum { PART_TYPE, PART_DIRECTORY, PART_DEBUG, PART_DETAIL, PART_COUNT };

const char an_request_types[] =
    "both memory time none sample sample+memory sample+time sample+both";

#define BOOLEANS "true false yes no 1 0"
const struct an_request_key an_request_keys[] = {
    {"stream", NULL},
    {"follow", "no fork all"},
    {"clock", "auto tsc monotonic"},
    {"precise", BOOLEANS},
    {"sample_hz", NULL},
    {"sample_clock", "cpu wall"},
    {"max_size", NULL},
    {"resolve", BOOLEANS},
    {"resolver", NULL},
    {"start", "on off"},
    {"toggle_signal", NULL},
    {"snapshot_signal", NULL},
    {"store", "file memory"},
    {NULL, NULL},
};

/* Not terminated: a part of a value, without the blanks around it. */
struct part {
    const char *at;
    size_t bytes;
};

static struct part part_of(const char *at, size_t bytes)
{
    while (bytes > 0 && isspace((unsigned char)at[0])) {
        at++;
        bytes--;
    }
    while (bytes > 0 && isspace((unsigned char)at[bytes - 1]))
        bytes--;
    return (struct part){at, bytes};
}

static bool part_is(struct part part, const char *word)
{
    return strlen(word) == part.bytes && strncasecmp(part.at, word, part.bytes) == 0;
}

/* True if PART is one of WORDS, which have a blank between two. */
static bool part_is_one_of(struct part part, const char *words)
{
    for (const char *word = words; *word;) {
        size_t bytes = strcspn(word, " ");
        if (bytes == part.bytes && strncasecmp(word, part.at, bytes) == 0)
            return true;
        word += bytes + (word[bytes] == ' ');
    }
    return false;
}

/*
 * Split VALUE; NULL stands for a variable that is not set.
 * Result: what is behind the parts, the keys; "" if there are none.
 */
static const char *parts_split(const char *value, struct part ret_part[PART_COUNT])
{
    const char *at = value ? value : "";
    for (int i = 0; i < PART_COUNT; i++) {
        size_t bytes = strcspn(at, ",");
        ret_part[i] = part_of(at, bytes);
        at += bytes + (at[bytes] == ',');
    }
    return at;
}

int an_request_check_key(const char *pair, struct an_fault *fault)
{
    const char *equals = strchr(pair, '=');
    struct part name = part_of(pair, equals ? (size_t)(equals - pair) : strlen(pair));
    char known[512] = "";
    if (!equals)
        return an_fault_set(fault, -EINVAL, "'%s' is no KEY=VALUE", pair);
    if (strchr(pair, ','))
        return an_fault_set(fault, -EINVAL, "'%s': no value may hold a comma", pair);
    struct part value = part_of(equals + 1, strlen(equals + 1));
    for (const struct an_request_key *key = an_request_keys; key->name; key++) {
        if (part_is(name, key->name) && (!key->words || part_is_one_of(value, key->words)))
            return 0;
        if (part_is(name, key->name))
            return an_fault_set(fault, -EINVAL, "%s: '%.*s' is none of %s", key->name,
                                (int)value.bytes, value.at, key->words);
        strcat(known, " ");
        strcat(known, key->name);
    }
    return an_fault_set(fault, -EINVAL, "there is no key '%.*s'; there are%s", (int)name.bytes,
                        name.at, known);
}

/* The absolute form: a "~" at its start is then a letter like others, and so is a blank at its end.
 */
static int directory_write(const char *directory, FILE *out, struct an_fault *fault)
{
    char *current = NULL;
    if (strchr(directory, ','))
        return an_fault_set(fault, -EINVAL,
                            "%s: the name of a directory with a comma in it cannot "
                            "be passed on",
                            directory);
    if (directory[0] != '/') {
        current = getcwd(NULL, 0);
        if (!current || current[0] != '/' || strchr(current, ',')) {
            free(current);
            return an_fault_set(fault, -EINVAL,
                                "%s: the name of the current directory cannot be "
                                "passed on, give a path from the root",
                                directory);
        }
    }
    fprintf(out, "%s%s%s/", current ? current : "", current ? "/" : "", directory);
    free(current);
    return 0;
}

int an_request_write(const struct an_request *request, const char *inherited, char **ret_value,
                     struct an_fault *fault)
{
    struct part part[PART_COUNT];
    const char *keys = parts_split(inherited, part);
    char *value = NULL;
    size_t bytes = 0;
    int error = 0;
    FILE *out = open_memstream(&value, &bytes);
    if (!out)
        return an_fault_set(fault, -ENOMEM, "out of memory");
    if (request->type)
        fputs(request->type, out);
    else
        fprintf(out, "%.*s", (int)part[PART_TYPE].bytes, part[PART_TYPE].at);
    if (!request->type && part[PART_TYPE].bytes == 0)
        fputs("both", out);
    putc(',', out);
    if (request->directory)
        error = directory_write(request->directory, out, fault);
    else
        fprintf(out, "%.*s", (int)part[PART_DIRECTORY].bytes, part[PART_DIRECTORY].at);
    fprintf(out, ",%.*s,", (int)part[PART_DEBUG].bytes, part[PART_DEBUG].at);
    if (request->detail)
        fputs("true", out);
    else
        fprintf(out, "%.*s", (int)part[PART_DETAIL].bytes, part[PART_DETAIL].at);
    if (*keys)
        fprintf(out, ",%s", keys);
    for (size_t i = 0; i < request->key_count; i++)
        fprintf(out, ",%s", request->key[i]);
    fclose(out);
    while (error == 0 && value[bytes - 1] == ',')
        value[--bytes] = '\0';
    if (error)
        free(value);
    else
        *ret_value = value;
    return error;
}

char *an_request_directory(const char *value)
{
    struct part part[PART_COUNT];
    parts_split(value, part);
    struct part directory = part[PART_DIRECTORY];
    const char *home = getenv("HOME");
    char *path = NULL;
    bool is_home = directory.bytes > 0 && directory.at[0] == '~' && home && *home &&
                   (directory.bytes == 1 || directory.at[1] == '/');
    if (directory.bytes == 0)
        return an_memory_text(".");
    if (!is_home)
        return an_memory_text_part(directory.at, directory.bytes);
    size_t bytes = strlen(home) + directory.bytes;
    path = an_memory_array(bytes, 1);
    snprintf(path, bytes, "%s%.*s", home, (int)directory.bytes - 1, directory.at + 1);
    return path;
}

bool an_request_is_off(const char *value)
{
    struct part part[PART_COUNT];
    parts_split(value, part);
    return value && (part[PART_TYPE].bytes == 0 || part_is(part[PART_TYPE], "none"));
}

bool an_request_wants(const char *value, const char *what)
{
    struct part part[PART_COUNT];
    parts_split(value, part);
    if (!value)
        return true;
    struct part type = part[PART_TYPE];
    if (type.bytes > 7 && strncasecmp(type.at, "sample+", 7) == 0)
        type = (struct part){type.at + 7, type.bytes - 7};
    return part_is(type, "both") || part_is(type, what);
}

bool an_request_resolves(const char *value)
{
    struct part part[PART_COUNT];
    bool resolves = true;
    for (const char *at = parts_split(value, part); *at;) {
        size_t bytes = strcspn(at, ",");
        struct part pair = part_of(at, bytes);
        size_t name_bytes = strcspn(pair.at, "=,");
        at += bytes + (at[bytes] == ',');
        if (name_bytes < pair.bytes && part_is(part_of(pair.at, name_bytes), "resolve"))
            resolves = !part_is_one_of(
                part_of(pair.at + name_bytes + 1, pair.bytes - name_bytes - 1), "no false 0");
    }
    return resolves;
}
