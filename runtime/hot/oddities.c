/*
 * oddities.c -- see the header.
 */
#include "runtime/hot/oddities.h"

#include <stddef.h>

#include "runtime/hot/call_guards.h"
#include "runtime/hot/recording.h"

#include "runtime/hot/rt_forbid.h"

enum { NOTES = 128 };

static struct {
    uint32_t count; /* also of those that found no place */
    struct rt_oddity_note note[NOTES];
} oddities;

void rt_oddities_reset(void)
{
    oddities.count = 0;
    for (int i = 0; i < NOTES; i++) {
        oddities.note[i].kind = 0;
    }
}

static void copy(char *target, size_t room, const char *text)
{
    size_t i = 0;
    for (; text && text[i] && i + 1 < room; i++) {
        target[i] = text[i];
    }
    target[i] = 0;
}

static void put(enum rt_oddity kind, const struct rt_site *site)
{
    uint32_t place = __atomic_fetch_add(&oddities.count, 1, __ATOMIC_RELAXED);
    if (place < NOTES) {
        struct rt_oddity_note *note = &oddities.note[place];
        note->line = site->line;
        copy(note->name, sizeof note->name, site->name);
        copy(note->function, sizeof note->function, site->function);
        __atomic_store_n(&note->kind, kind, __ATOMIC_RELEASE);
    }
}

void rt_oddity_note(struct rt_site *site, enum rt_oddity kind)
{
    if (!(__atomic_load_n(&site->noted, __ATOMIC_RELAXED) & kind) &&
        !(__atomic_fetch_or(&site->noted, kind, __ATOMIC_RELAXED) & kind)) {
        put(kind, site);
    }
}

void rt_oddity_note_excluded(struct rt_site *site, uint32_t flags)
{
    uint32_t content = rt_recording.header->content;
    if (flags & RT_MARK_TIME && !(content & REC_CONTENT_TIME)) {
        rt_oddity_note(site, RT_ODDITY_NO_TIME);
    }
    if (flags & (RT_MARK_SUMMARY | RT_MARK_DETAIL) && !(content & REC_CONTENT_HEAP)) {
        rt_oddity_note(site, RT_ODDITY_NO_MEMORY);
    }
}

void rt_oddity_note_task(const char *name)
{
    struct rt_site site = {.name = name};
    put(RT_ODDITY_TASK, &site);
}

const struct rt_oddity_note *rt_oddity_get(uint32_t place, uint32_t *ret_missing)
{
    uint32_t count = __atomic_load_n(&oddities.count, __ATOMIC_ACQUIRE);
    *ret_missing = count > NOTES ? count - NOTES : 0;
    bool filled = place < count && place < NOTES &&
                  __atomic_load_n(&oddities.note[place].kind, __ATOMIC_ACQUIRE) != 0;
    return filled ? &oddities.note[place] : NULL;
}
