/*
 * bytes.h -- numbers and texts out of bytes that may end anywhere.
 *
 * Whoever reads beyond the end stays there, reads zeros and is told once, by `cut`: a loop that
 * reads until its bytes are used up always ends. Numbers are little-endian.
 */
#ifndef THAG_AN_DWARF_BYTES_H
#define THAG_AN_DWARF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct an_bytes {
    const uint8_t *at, *end;
    bool cut;
};

static inline size_t an_bytes_left(const struct an_bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

/* The rest of BYTES from OFFSET on; empty and cut if that is not inside. */
static inline struct an_bytes an_bytes_from(struct an_bytes bytes, uint64_t offset)
{
    bytes.cut = offset > an_bytes_left(&bytes);
    bytes.at = bytes.cut ? bytes.end : bytes.at + offset;
    return bytes;
}

static inline void an_bytes_skip(struct an_bytes *bytes, uint64_t count)
{
    *bytes = (struct an_bytes){.at = count > an_bytes_left(bytes) ? bytes->end : bytes->at + count,
                               .end = bytes->end,
                               .cut = bytes->cut || count > an_bytes_left(bytes)};
}

/* The next COUNT bytes, or what there is of them, by themselves. */
static inline struct an_bytes an_bytes_take(struct an_bytes *bytes, uint64_t count)
{
    struct an_bytes part = {.at = bytes->at};
    an_bytes_skip(bytes, count);
    part.end = bytes->at;
    return part;
}

/* A number of 1 to 8 bytes. */
static inline uint64_t an_bytes_number(struct an_bytes *bytes, unsigned count)
{
    uint64_t number = 0;
    if (an_bytes_left(bytes) < count) {
        bytes->at = bytes->end;
        bytes->cut = true;
        return 0;
    }
    memcpy(&number, bytes->at, count);
    bytes->at += count;
    return number;
}

static inline uint8_t an_bytes_u8(struct an_bytes *bytes)
{
    if (bytes->at < bytes->end)
        return *bytes->at++;
    bytes->cut = true;
    return 0;
}

static inline uint16_t an_bytes_u16(struct an_bytes *bytes)
{
    return (uint16_t)an_bytes_number(bytes, 2);
}

static inline uint32_t an_bytes_u32(struct an_bytes *bytes)
{
    return (uint32_t)an_bytes_number(bytes, 4);
}

/* LEB128; bits beyond 64 are lost. */
static inline uint64_t an_bytes_unsigned(struct an_bytes *bytes)
{
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = an_bytes_u8(bytes);
        if (shift < 64)
            number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
}

static inline int64_t an_bytes_signed(struct an_bytes *bytes)
{
    uint64_t number = 0;
    for (unsigned shift = 0;;) {
        uint8_t byte = an_bytes_u8(bytes);
        if (shift < 64)
            number |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (byte >= 0x80)
            continue;
        if ((byte & 0x40) != 0 && shift < 64)
            number |= UINT64_MAX << shift;
        return (int64_t)number;
    }
}

/* A text with its NUL; NULL if there is no NUL. */
static inline const char *an_bytes_text(struct an_bytes *bytes)
{
    const char *text = (const char *)bytes->at;
    size_t left = an_bytes_left(bytes);
    const void *end = left == 0 ? NULL : memchr(text, '\0', left);
    if (end == NULL) {
        bytes->at = bytes->end;
        bytes->cut = true;
        return NULL;
    }
    bytes->at = (const uint8_t *)end + 1;
    return text;
}

#endif
