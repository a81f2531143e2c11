/*
 * export_pprof.c -- a profile as pprof's protocol buffer.
 *
 * Field numbers are those of pprof's profile.proto. A location and a function stand for a name each
 * (they need not be addresses), except that one name in two modules is two of them.
 */
#include "analyzer/output/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "analyzer/model/statistics.h"
#include "analyzer/output/escape.h"
#include "analyzer/support/memory.h"

enum pprof_field {
    PPROF_SAMPLE_TYPE = 1,
    PPROF_SAMPLE = 2,
    PPROF_LOCATION = 4,
    PPROF_FUNCTION = 5,
    PPROF_STRING = 6,
    PPROF_TIME_NANOS = 9,
    PPROF_DURATION_NANOS = 10,
    PPROF_COMMENT = 13,
    PPROF_DEFAULT_SAMPLE_TYPE = 14,
};

struct pprof_buffer {
    uint8_t *byte;
    size_t count, room;
};

struct pprof {
    const struct an_profile *profile;
    FILE *out;
    z_stream gzip;
    int failed;
    struct an_names *strings;        /* number 0 is "", as the format wants */
    struct an_names *locations;      /* key: name and module; location id: number + 1 */
    struct pprof_buffer message;     /* one that is being put together */
    struct pprof_buffer part;        /* a packed list in it */
    struct pprof_buffer definitions; /* locations and functions, written behind the samples */
};

static void pprof_append(struct pprof_buffer *buffer, const void *bytes, size_t count)
{
    if (buffer->count + count > buffer->room) {
        buffer->room = (buffer->count + count) * 2;
        buffer->byte = an_memory_resize(buffer->byte, buffer->room, 1);
    }
    if (count)
        memcpy(buffer->byte + buffer->count, bytes, count);
    buffer->count += count;
}

static void pprof_varint(struct pprof_buffer *buffer, uint64_t number)
{
    uint8_t byte[10];
    size_t count = 0;
    do {
        byte[count] = (number & 0x7f) | (number > 0x7f ? 0x80 : 0);
        number >>= 7;
        count++;
    } while (number);
    pprof_append(buffer, byte, count);
}

static void pprof_number(struct pprof_buffer *buffer, unsigned field, uint64_t number)
{
    pprof_varint(buffer, field << 3);
    pprof_varint(buffer, number);
}

static void pprof_bytes(struct pprof_buffer *buffer, unsigned field, const void *bytes,
                        size_t count)
{
    pprof_varint(buffer, field << 3 | 2);
    pprof_varint(buffer, count);
    pprof_append(buffer, bytes, count);
}

static void pprof_compress(struct pprof *pprof, const void *bytes, size_t count, int flush)
{
    uint8_t packed[16384];
    pprof->gzip.next_in = (Bytef *)bytes;
    pprof->gzip.avail_in = (uInt)count;
    do {
        pprof->gzip.next_out = packed;
        pprof->gzip.avail_out = sizeof(packed);
        if (deflate(&pprof->gzip, flush) == Z_STREAM_ERROR)
            pprof->failed = -EIO;
        size_t made = sizeof(packed) - pprof->gzip.avail_out;
        if (fwrite(packed, 1, made, pprof->out) != made)
            pprof->failed = -EIO;
    } while (pprof->gzip.avail_out == 0 && !pprof->failed);
}

/* Write the message put together so far as FIELD of the profile, and begin the next. */
static void pprof_emit(struct pprof *pprof, unsigned field)
{
    struct pprof_buffer head = {NULL, 0, 0};
    pprof_varint(&head, field << 3 | 2);
    pprof_varint(&head, pprof->message.count);
    pprof_compress(pprof, head.byte, head.count, Z_NO_FLUSH);
    pprof_compress(pprof, pprof->message.byte, pprof->message.count, Z_NO_FLUSH);
    free(head.byte);
    pprof->message.count = 0;
}

/* The format wants UTF-8. */
static uint32_t pprof_string(struct pprof *pprof, const char *text, size_t bytes)
{
    char *safe = an_memory_array(bytes + 1, 3);
    size_t at = 0;
    while (bytes) {
        uint32_t code;
        size_t length = an_escape_next(text, bytes, &code);
        at += an_escape_encode(code, safe + at);
        text += length;
        bytes -= length;
    }
    uint32_t number = an_names_intern(pprof->strings, safe, at);
    free(safe);
    return number;
}

static uint32_t pprof_word(struct pprof *pprof, const char *word)
{
    return pprof_string(pprof, word, strlen(word));
}

static const char *pprof_unit(enum an_value value)
{
    switch (an_value_unit(value)) {
    case AN_UNIT_NS:
        return "nanoseconds";
    case AN_UNIT_US:
        return "microseconds";
    case AN_UNIT_BYTES:
        return "bytes";
    default:
        return "count";
    }
}

static bool pprof_holds(const struct an_tree *tree, int value)
{
    return value != AN_INCLUSIVE && an_tree_has(tree, (enum an_value)value);
}

/* "function (file.c:LINE)" is told apart into what the format keeps apart. */
static void pprof_define(struct pprof *pprof, uint64_t id, uint32_t node)
{
    const struct an_tree *tree = pprof->profile->tree;
    struct pprof_buffer *message = &pprof->part;
    size_t bytes, file_bytes = 0;
    const char *name = an_names_text(tree->names, tree->name[node], &bytes);
    const char *file = an_frame_file(name, bytes, &file_bytes);
    uint64_t line = file ? strtoull(file + file_bytes + 1, NULL, 10) : 0;
    size_t name_bytes = file ? (size_t)(file - name) - 2 : bytes;
    if (!file && tree->module[node] != UINT32_MAX)
        file = an_names_text(tree->names, tree->module[node], &file_bytes);

    struct pprof_buffer line_message = {NULL, 0, 0};
    pprof_number(&line_message, 1, id);
    if (line <= INT64_MAX)
        pprof_number(&line_message, 2, line);
    message->count = 0;
    pprof_number(message, 1, id);
    pprof_bytes(message, 4, line_message.byte, line_message.count);
    pprof_bytes(&pprof->definitions, PPROF_LOCATION, message->byte, message->count);
    free(line_message.byte);

    message->count = 0;
    pprof_number(message, 1, id);
    pprof_number(message, 2, pprof_string(pprof, name, name_bytes));
    pprof_number(message, 3, pprof_string(pprof, name, name_bytes));
    if (file)
        pprof_number(message, 4, pprof_string(pprof, file, file_bytes));
    pprof_bytes(&pprof->definitions, PPROF_FUNCTION, message->byte, message->count);
}

/* RET_LOCATION[n] = the location id of node n. */
static void pprof_locate(struct pprof *pprof, uint64_t *ret_location)
{
    const struct an_tree *tree = pprof->profile->tree;
    for (uint32_t node = 1; node < tree->node_count; node++) {
        uint32_t key[2] = {tree->name[node], tree->module[node]};
        uint32_t before = an_names_count(pprof->locations);
        uint32_t number = an_names_intern(pprof->locations, (const char *)key, sizeof(key));
        ret_location[node] = (uint64_t)number + 1;
        if (number == before)
            pprof_define(pprof, ret_location[node], node);
    }
}

static void pprof_sample(struct pprof *pprof, const uint64_t *location, uint32_t node)
{
    const struct an_tree *tree = pprof->profile->tree;
    bool any = false;
    for (int value = 0; value < AN_VALUE_COUNT; value++)
        any = any || (pprof_holds(tree, value) && tree->self[value][node]);
    if (!any)
        return;
    pprof->part.count = 0;
    for (uint32_t n = node; n; n = tree->parent[n])
        pprof_varint(&pprof->part, location[n]);
    pprof_bytes(&pprof->message, 1, pprof->part.byte, pprof->part.count);
    pprof->part.count = 0;
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        if (!pprof_holds(tree, value))
            continue;
        uint64_t scale = pprof->profile->scale[value], amount = tree->self[value][node];
        /* No fractions in this format: the nearest whole number. */
        amount = amount / scale + (amount % scale >= scale - amount % scale);
        if (amount > INT64_MAX)
            pprof->failed = -EOVERFLOW;
        pprof_varint(&pprof->part, amount);
    }
    pprof_bytes(&pprof->message, 2, pprof->part.byte, pprof->part.count);
    pprof_emit(pprof, PPROF_SAMPLE);
}

static void pprof_sample_types(struct pprof *pprof, enum an_value value)
{
    for (int i = 0; i < AN_VALUE_COUNT; i++) {
        if (!pprof_holds(pprof->profile->tree, i))
            continue;
        pprof_number(&pprof->message, 1, pprof_word(pprof, an_value_name((enum an_value)i)));
        pprof_number(&pprof->message, 2, pprof_word(pprof, pprof_unit((enum an_value)i)));
        pprof_emit(pprof, PPROF_SAMPLE_TYPE);
    }
    pprof_number(&pprof->definitions, PPROF_DEFAULT_SAMPLE_TYPE,
                 pprof_word(pprof, an_value_name(value)));
}

static void pprof_facts(struct pprof *pprof)
{
    const struct an_profile *profile = pprof->profile;
    if (profile->start_realtime_ns && profile->start_realtime_ns <= INT64_MAX)
        pprof_number(&pprof->definitions, PPROF_TIME_NANOS, profile->start_realtime_ns);
    if (profile->duration_ns && profile->duration_ns <= INT64_MAX)
        pprof_number(&pprof->definitions, PPROF_DURATION_NANOS, profile->duration_ns);
    if (profile->path)
        pprof_number(&pprof->definitions, PPROF_COMMENT, pprof_word(pprof, profile->path));
}

static void pprof_write(struct pprof *pprof, enum an_value value)
{
    const struct an_tree *tree = pprof->profile->tree;
    uint64_t *location = an_memory_zeroed(tree->node_count, sizeof(*location));
    an_names_intern(pprof->strings, "", 0);
    pprof_sample_types(pprof, value);
    pprof_facts(pprof);
    pprof_locate(pprof, location);
    for (uint32_t node = 0; node < tree->node_count && !pprof->failed; node++)
        pprof_sample(pprof, location, node);
    free(location);
    pprof_compress(pprof, pprof->definitions.byte, pprof->definitions.count, Z_NO_FLUSH);
    for (uint32_t i = 0; i < an_names_count(pprof->strings) && !pprof->failed; i++) {
        size_t bytes;
        const char *text = an_names_text(pprof->strings, i, &bytes);
        pprof_append(&pprof->message, text, bytes);
        pprof_emit(pprof, PPROF_STRING);
    }
    pprof_compress(pprof, "", 0, Z_FINISH);
}

int an_export_pprof(const struct an_profile *profile, enum an_value value, FILE *out)
{
    struct pprof pprof = {.profile = profile, .out = out};
    if (deflateInit2(&pprof.gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return -EIO;
    pprof.strings = an_names_new();
    pprof.locations = an_names_new();
    pprof_write(&pprof, value);
    deflateEnd(&pprof.gzip);
    an_names_free(pprof.strings);
    an_names_free(pprof.locations);
    free(pprof.message.byte);
    free(pprof.part.byte);
    free(pprof.definitions.byte);
    return pprof.failed;
}
