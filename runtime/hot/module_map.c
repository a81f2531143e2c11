/*
 * module_map.c -- modules as the dynamic loader's lock-free look-up knows them.
 */
#include "runtime/hot/module_map.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>

#include "runtime/hot/lock.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/segments.h"
#include "runtime/hot/unwind.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

/* glibc 2.35 has it; where it is missing no module is recorded by us, and the reader says so. */
extern int _dl_find_object(void *address, struct dl_find_object *result) __attribute__((weak));

struct rt_module_map rt_module_map;

enum {
    KNOWN_MAX = 4096, /* modules told apart at one time */
    GONE_MAX = 64,    /* gone ones that are watched for a successor */
    BUILD_ID_MAX = 32,
    PAGE = 4096,
    MODULES_SHIFT = 5, /* the first segment of records is one page */
};

/* What makes two modules the same: code at the same place from the same build. */
struct known {
    uintptr_t start, end;
    uint64_t fingerprint;
    const void *link_map, *eh_frame; /* as the loader told; only compared */
    const void *build_id, *name;     /* where they lay; only looked at by os_memory_peek() */
    uint32_t name_bytes;
    struct rec_module *record;
    bool gone;
};

static struct {
    struct rt_lock lock;
    struct known *known; /* KNOWN_MAX entries, private memory */
    uint32_t count;
    uint32_t gone_count;
    uint32_t reviewed_epoch; /* the other threads need not look at the same again */
    struct rec_module *segment[SEGMENTS];
} map;

/*
 * What the loader and the ELF image in memory say about a module. Copies, by os_memory_peek():
 * while one thread looks, another one may unload the module, and its memory is gone.
 */
enum { NAME_MAX_BYTES = 1024, NOTES_MAX_BYTES = 1024 };

struct image {
    struct link_map link_map;
    uint8_t head[PAGE]; /* behind link_map: both come in one call */
    uint8_t notes[NOTES_MAX_BYTES];
    char name[NAME_MAX_BYTES];
    const uint8_t *build_id; /* in NOTES */
    const void *build_id_at; /* where it lies in the module */
    uint32_t build_id_bytes;
    uint32_t name_bytes;
};

_Static_assert(offsetof(struct image, head) == sizeof(struct link_map), "one call fills both");

static struct image image_now; /* too large for a small stack; the map is locked */

void rt_module_map_reset(void)
{
    map.lock.holder = 0;
    map.count = 0;
    map.gone_count = 0;
    map.reviewed_epoch = 0;
    map.known = os_memory_reserve(KNOWN_MAX * sizeof *map.known);
    for (int i = 0; i < SEGMENTS; i++) {
        map.segment[i] = NULL;
    }
    rt_module_map.epoch = 1;
    rt_module_map.generation = 1;
    if (rt_recording.header) {
        rt_recording.header->generation = 1;
    }
}

void rt_module_map_recover(uint32_t tid)
{
    rt_lock_recover(&map.lock, tid);
}

/* The build-id note among NOTES; every step is bounded by the segment. */
static void find_build_id(const uint8_t *notes, size_t bytes, struct image *ret_image)
{
    size_t at = 0;
    while (bytes - at >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)(notes + at);
        size_t name = at + sizeof *note;
        size_t text = name + ((note->n_namesz + 3ul) & ~3ul);
        size_t next = text + ((note->n_descsz + 3ul) & ~3ul);
        if (next > bytes || next <= at) {
            return;
        }
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
            __builtin_memcmp(notes + name, "GNU", 4) == 0 && note->n_descsz <= BUILD_ID_MAX) {
            ret_image->build_id = notes + text;
            ret_image->build_id_bytes = note->n_descsz;
            return;
        }
        at = next;
    }
}

/* The build-id, of the first note segment that has one. The program headers are looked for where
 * the loader maps them, behind the ELF header in the first page: else there is no build-id for us.
 */
static void image_find_build_id(const struct dl_find_object *object, struct image *image)
{
    uintptr_t start = (uintptr_t)object->dlfo_map_start;
    size_t bytes = (uintptr_t)object->dlfo_map_end - start;
    const ElfW(Ehdr) *elf = (const void *)image->head;
    if (__builtin_memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 ||
        elf->e_phentsize != sizeof(ElfW(Phdr)) || elf->e_phoff > PAGE ||
        elf->e_phoff % _Alignof(ElfW(Phdr)) != 0 ||
        elf->e_phoff + (size_t)elf->e_phnum * elf->e_phentsize > PAGE) {
        return;
    }
    const ElfW(Phdr) *segment = (const void *)(image->head + elf->e_phoff);
    for (int i = 0; i < elf->e_phnum && !image->build_id; i++) {
        uintptr_t note = image->link_map.l_addr + segment[i].p_vaddr;
        size_t size = segment[i].p_memsz < NOTES_MAX_BYTES ? segment[i].p_memsz : NOTES_MAX_BYTES;
        const struct os_memory_part part = {(const void *)note, size};
        if (segment[i].p_type == PT_NOTE && note >= start && note - start < bytes &&
            os_memory_peek(&part, 1, image->notes) == (long)size) {
            find_build_id(image->notes, size, image);
        }
        if (image->build_id) {
            image->build_id_at = (const char *)note + (image->build_id - image->notes);
        }
    }
}

/* Result: 0, or -errno: the module went away, or memory cannot be looked at here at all. */
static int image_read(const struct dl_find_object *object, struct image *image)
{
    const struct os_memory_part parts[] = {{object->dlfo_link_map, sizeof image->link_map},
                                           {object->dlfo_map_start, PAGE}};
    image->build_id = NULL;
    image->build_id_at = NULL;
    image->build_id_bytes = 0;
    image->name_bytes = 0;
    long result = os_memory_peek(parts, 2, &image->link_map);
    if (result < (long)sizeof image->link_map) {
        return result < 0 ? (int)result : -EFAULT;
    }
    if (result == (long)(sizeof image->link_map + PAGE)) {
        image_find_build_id(object, image);
    }
    const struct os_memory_part name = {image->link_map.l_name, NAME_MAX_BYTES};
    result = os_memory_peek(&name, 1, image->name);
    while (image->name_bytes < result && image->name[image->name_bytes]) {
        image->name_bytes++;
    }
    return result < 0 ? (int)result : 0;
}

static uint64_t fingerprint(const struct dl_find_object *object, const struct image *image)
{
    uint64_t hash = rt_hash_step(1, (uintptr_t)object->dlfo_map_start);
    hash = rt_hash_step(hash, (uintptr_t)object->dlfo_map_end);
    for (uint32_t i = 0; i < image->build_id_bytes; i++) {
        hash = rt_hash_step(hash, image->build_id[i]);
    }
    for (uint32_t i = 0; i < image->name_bytes; i++) {
        hash = rt_hash_step(hash, (unsigned char)image->name[i]);
    }
    return hash;
}

/* What lies at ADDRESS now. False: no module. */
static bool look(uintptr_t address, struct dl_find_object *ret_object, struct image *ret_image,
                 uint64_t *ret_fingerprint)
{
    if (!_dl_find_object || _dl_find_object((void *)address, ret_object) < 0) {
        return false;
    }
    int result = image_read(ret_object, ret_image);
    if (result == -EPERM || result == -ENOSYS) {
        /* Not in this sandbox: what the loader tells is all there is. It may miss a module that
         * took another's place exactly; the memory itself must not be touched. */
        *ret_fingerprint =
            rt_hash_step(fingerprint(ret_object, ret_image), (uintptr_t)ret_object->dlfo_link_map) ^
            (uintptr_t)ret_object->dlfo_eh_frame;
        return true;
    }
    *ret_fingerprint = fingerprint(ret_object, ret_image);
    return result == 0;
}

static bool same_bytes(const void *a, const void *b, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && ((const char *)a)[i] == ((const char *)b)[i]) {
        i++;
    }
    return i == bytes;
}

/* The usual case, in one call: the loader says the same as before, and so do name and build-id. */
static bool is_unchanged(const struct known *known)
{
    struct dl_find_object object;
    const struct rec_module *record = known->record;
    const struct os_memory_part parts[] = {{known->build_id, record->build_id_bytes},
                                           {known->name, known->name_bytes}};
    size_t wanted = (size_t)record->build_id_bytes + known->name_bytes;
    uint8_t *found = image_now.notes;
    if (known->gone || _dl_find_object((void *)known->start, &object) < 0 ||
        object.dlfo_map_start != (void *)known->start ||
        object.dlfo_map_end != (void *)known->end || object.dlfo_link_map != known->link_map ||
        object.dlfo_eh_frame != known->eh_frame || wanted == 0 || wanted > NOTES_MAX_BYTES ||
        os_memory_peek(parts, 2, found) != (long)wanted) {
        return false;
    }
    const char *path = (const char *)rt_recording.header + record->path.offset;
    return same_bytes(found, record->build_id, record->build_id_bytes) &&
           (known->name_bytes == 0 ||
            (known->name_bytes == record->path.bytes &&
             same_bytes(found + record->build_id_bytes, path, known->name_bytes)));
}

/* The place of the next module's record. The map is locked. */
static struct rec_module *record_claim(uint32_t tid)
{
    struct rec_header *header = rt_recording.header;
    struct segments_place place = segments_place((uint32_t)header->module_count, MODULES_SHIFT);
    if (place.segment >= SEGMENTS) {
        return NULL;
    }
    if (!map.segment[place.segment]) {
        uint64_t pages = place.records * sizeof(struct rec_module) >> REC_PAGE_SHIFT;
        uint64_t page = rt_recording_extent(REC_KIND_MODULES, pages, 0, place.first, tid);
        if (!page) {
            return NULL;
        }
        map.segment[place.segment] = rt_recording_page(page);
    }
    header->module_count++;
    return &map.segment[place.segment][place.index];
}

const struct rec_module *rt_module_map_at(uint32_t index)
{
    struct segments_place place = segments_place(index, MODULES_SHIFT);
    if (index >= rt_recording.header->module_count || place.segment >= SEGMENTS ||
        !map.segment[place.segment]) {
        return NULL;
    }
    const struct rec_module *record = &map.segment[place.segment][place.index];
    return __atomic_load_n(&record->start, __ATOMIC_ACQUIRE) ? record : NULL;
}

static struct rec_text module_path(const struct dl_find_object *object, uint32_t tid)
{
    const char *name = object->dlfo_link_map->l_name;
    size_t bytes = 0;
    while (name && name[bytes]) {
        bytes++;
    }
    if (bytes == 0) { /* the loader calls the program itself "" */
        return rt_recording.header->program;
    }
    return rt_recording_text(name, bytes, tid);
}

static bool is_within(const struct dl_find_object *object, uintptr_t address)
{
    uintptr_t start = (uintptr_t)object->dlfo_map_start, end = (uintptr_t)object->dlfo_map_end;
    return address >= start && address < end;
}

static struct rec_module *record_new(const struct dl_find_object *object, const struct image *image,
                                     uint32_t tid)
{
    struct rec_module *record = record_claim(tid);
    if (!record) {
        return NULL;
    }
    const char *name = object->dlfo_link_map->l_name;
    record->end = (uintptr_t)object->dlfo_map_end;
    record->bias = object->dlfo_link_map->l_addr;
    record->first_generation = rt_module_map.generation;
    record->last_generation = UINT32_MAX;
    record->path = module_path(object, tid);
    record->flags = !name || !*name ? REC_MODULE_MAIN : 0;
    if (name && __builtin_strcmp(name, "linux-vdso.so.1") == 0) {
        record->flags |= REC_MODULE_VDSO;
    }
    if (!(record->flags & REC_MODULE_MAIN) && is_within(object, (uintptr_t)rt_module_map_note)) {
        record->flags |= REC_MODULE_RECORDER;
    }
    record->build_id_bytes = image->build_id_bytes;
    for (uint32_t i = 0; i < image->build_id_bytes; i++) {
        record->build_id[i] = image->build_id[i];
    }
    __atomic_store_n(&record->start, (uintptr_t)object->dlfo_map_start, __ATOMIC_RELEASE);
    return record;
}

static struct known *known_at(uintptr_t address)
{
    for (uint32_t i = 0; i < map.count; i++) {
        struct known *known = &map.known[i];
        if (!known->gone && address >= known->start && address < known->end) {
            return known;
        }
    }
    return NULL;
}

/* The module of ADDRESS, recorded if it is new; NULL: there is none, or no room. The map is locked.
 */
static const struct known *known_make(uintptr_t address, uint32_t tid)
{
    struct dl_find_object object;
    struct image *image = &image_now;
    uint64_t print;
    const struct known *known = known_at(address);
    if (!known && map.count < KNOWN_MAX && look(address, &object, image, &print)) {
        struct rec_module *record = record_new(&object, image, tid);
        if (record) {
            map.known[map.count] = (struct known){
                .start = (uintptr_t)object.dlfo_map_start,
                .end = (uintptr_t)object.dlfo_map_end,
                .fingerprint = print,
                .link_map = object.dlfo_link_map,
                .eh_frame = object.dlfo_eh_frame,
                .build_id = image->build_id_at,
                .name = image->name_bytes ? image->link_map.l_name : NULL,
                .name_bytes = image->name_bytes,
                .record = record,
            };
            known = &map.known[map.count];
            __atomic_store_n(&map.count, map.count + 1, __ATOMIC_RELEASE);
        }
    }
    return known;
}

void rt_module_map_note(uintptr_t address, uint32_t tid)
{
    if (map.known && rt_lock_take(&map.lock, tid)) {
        known_make(address, tid);
        rt_lock_give(&map.lock);
    }
}

const struct rec_module *rt_module_map_record(uintptr_t address, uint32_t tid)
{
    const struct known *known = NULL;
    if (map.known && rt_lock_take(&map.lock, tid)) {
        known = known_make(address, tid);
        rt_lock_give(&map.lock);
    }
    return known ? known->record : NULL;
}

/* Is there another module now anywhere in the pages of a gone one? */
static bool has_successor(const struct known *gone)
{
    struct dl_find_object object;
    uint64_t print;
    for (uintptr_t page = gone->start; page < gone->end; page += PAGE) {
        if (look(page, &object, &image_now, &print)) {
            if (print != gone->fingerprint) {
                return true;
            }
            page = (uintptr_t)object.dlfo_map_end - PAGE;
        }
    }
    return false;
}

/* The generation ends: modules that are gone can never be met again under a later one. */
static void generation_raise(void)
{
    uint32_t ended = rt_module_map.generation;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < map.count; i++) {
        if (map.known[i].gone) {
            map.known[i].record->last_generation = ended;
        } else {
            map.known[kept++] = map.known[i];
        }
    }
    map.count = kept;
    map.gone_count = 0;
    rt_recording.header->generation = ended + 1;
    __atomic_store_n(&rt_module_map.generation, ended + 1, __ATOMIC_RELEASE);
}

/* Look at one known module again. True if it was there and no longer is. */
static bool known_review(struct known *known)
{
    struct dl_find_object object;
    uint64_t print;
    if (is_unchanged(known)) {
        return false;
    }
    bool there = look(known->start, &object, &image_now, &print) && print == known->fingerprint;
    if (there == !known->gone) {
        return false;
    }
    if (there) {
        known->link_map = object.dlfo_link_map;
        known->eh_frame = object.dlfo_eh_frame;
        known->build_id = image_now.build_id_at;
        known->name = image_now.name_bytes ? image_now.link_map.l_name : NULL;
    }
    known->gone = !there; /* or the same module came back to the same place */
    map.gone_count += there ? -1u : 1u;
    return !there;
}

uint32_t rt_module_map_review(uint32_t tid)
{
    uint32_t epoch = rt_module_map_epoch();
    /* Frozen, no memory can be looked at; and a program that has locked itself in loads nothing. */
    if (!map.known || os_is_frozen()) {
        return epoch;
    }
    if (!rt_lock_take(&map.lock, tid)) {
        return rt_module_map_unreviewed();
    }
    if (map.reviewed_epoch == epoch) {
        rt_lock_give(&map.lock);
        return epoch;
    }
    bool lost_one = false;
    bool replaced = map.gone_count > GONE_MAX;
    for (uint32_t i = 0; i < map.count; i++) {
        struct known *known = &map.known[i];
        lost_one = known_review(known) || lost_one;
        replaced = replaced || (known->gone && has_successor(known));
    }
    if (lost_one) {
        rt_unwind_forget_code();
    }
    if (replaced) {
        generation_raise();
    }
    map.reviewed_epoch = epoch;
    rt_lock_give(&map.lock);
    return epoch;
}
