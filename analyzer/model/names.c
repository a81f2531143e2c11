/*
 * names.c -- interned texts: an arena of bytes and an open hash of numbers.
 */
#include "analyzer/model/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analyzer/support/memory.h"

#define NAMES_BLOCK_BYTES (64u * 1024)
#define NAMES_FIRST_SLOTS 256u
#define NAMES_EMPTY       UINT32_MAX

struct names_block {
    struct names_block *next;
    size_t used;
    size_t size;
    char text[];
};

struct names_entry {
    const char *text;
    size_t bytes;
    uint32_t hash; /* kept, so that growing does not read the texts again */
};

struct an_names {
    struct names_block *block; /* the newest first */
    struct names_entry *entry;
    uint32_t count;
    uint32_t capacity;
    uint32_t *slot; /* numbers, or NAMES_EMPTY */
    uint32_t slot_count;
};

struct an_names *an_names_new(void)
{
    struct an_names *names = an_memory_zeroed(1, sizeof(*names));
    names->slot_count = NAMES_FIRST_SLOTS;
    names->slot = an_memory_array(names->slot_count, sizeof(*names->slot));
    memset(names->slot, 0xff, names->slot_count * sizeof(*names->slot));
    return names;
}

void an_names_free(struct an_names *names)
{
    if (!names)
        return;
    while (names->block) {
        struct names_block *next = names->block->next;
        free(names->block);
        names->block = next;
    }
    free(names->entry);
    free(names->slot);
    free(names);
}

/* Blocks never move: a text stays where it is until the end. */
static const char *names_keep(struct an_names *names, const char *text, size_t bytes)
{
    struct names_block *block = names->block;
    if (!block || block->size - block->used <= bytes) {
        size_t size = bytes < NAMES_BLOCK_BYTES ? NAMES_BLOCK_BYTES : bytes + 1;
        block = an_memory_array(sizeof(*block) + size, 1);
        block->used = 0;
        block->size = size;
        block->next = names->block;
        names->block = block;
    }
    char *kept = block->text + block->used;
    if (bytes)
        memcpy(kept, text, bytes);
    kept[bytes] = '\0';
    block->used += bytes + 1;
    return kept;
}

static void names_grow_slots(struct an_names *names)
{
    uint32_t count = names->slot_count * 2;
    uint32_t *slot = an_memory_array(count, sizeof(*slot));
    memset(slot, 0xff, (size_t)count * sizeof(*slot));
    for (uint32_t name = 0; name < names->count; name++) {
        uint32_t at = names->entry[name].hash & (count - 1);
        while (slot[at] != NAMES_EMPTY)
            at = (at + 1) & (count - 1);
        slot[at] = name;
    }
    free(names->slot);
    names->slot = slot;
    names->slot_count = count;
}

static bool names_entry_is(const struct names_entry *entry, uint32_t hash, const char *text,
                           size_t bytes)
{
    return entry->hash == hash && entry->bytes == bytes &&
           (bytes == 0 || memcmp(entry->text, text, bytes) == 0);
}

uint32_t an_names_intern(struct an_names *names, const char *text, size_t bytes)
{
    uint32_t hash = (uint32_t)XXH3_64bits(bytes ? text : "", bytes);
    uint32_t mask = names->slot_count - 1;
    uint32_t at = hash & mask;
    for (; names->slot[at] != NAMES_EMPTY; at = (at + 1) & mask) {
        if (names_entry_is(&names->entry[names->slot[at]], hash, text, bytes))
            return names->slot[at];
    }
    if (names->count == names->capacity) {
        names->capacity = names->capacity ? names->capacity * 2 : NAMES_FIRST_SLOTS;
        names->entry = an_memory_resize(names->entry, names->capacity, sizeof(*names->entry));
    }
    uint32_t name = names->count++;
    names->entry[name] = (struct names_entry){names_keep(names, text, bytes), bytes, hash};
    names->slot[at] = name;
    if (names->count > names->slot_count / 2)
        names_grow_slots(names);
    return name;
}

const char *an_names_text(const struct an_names *names, uint32_t name, size_t *ret_bytes)
{
    if (ret_bytes)
        *ret_bytes = names->entry[name].bytes;
    return names->entry[name].text;
}

uint32_t an_names_count(const struct an_names *names)
{
    return names->count;
}
