/*
 * split.c -- the units of split debug data, wherever they were put.
 */
#include "analyzer/symbols/dwarf/split.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/dwarf/constants.h"

#define MOST_COLUMNS 16u

/* A .dwo or .dwp file that was opened. */
struct split_file {
    char *path; /* owned; as it was asked for */
    struct an_elf_image *image;
    struct an_dwarf *dwarf; /* NULL: there is no such file */
    struct split_file *next;
};

/* A unit out of a package. */
struct packed_unit {
    struct an_unit unit;
    struct packed_unit *next;
};

struct an_split {
    const struct an_debug_places *places;
    const char *module_path;
    const struct an_elf_image *image;
    struct split_file *file; /* .dwo */
    struct split_file *package;
    bool package_sought;
    struct packed_unit *packed;
};

struct an_split *an_split_new(const struct an_debug_places *places, const char *module_path,
                              const struct an_elf_image *image)
{
    struct an_split *split = an_memory_zeroed(1, sizeof(*split));
    split->places = places;
    split->module_path = module_path;
    split->image = image;
    return split;
}

static void file_free(struct split_file *file)
{
    if (file == NULL)
        return;
    an_dwarf_free(file->dwarf);
    an_elf_image_close(file->image);
    free(file->path);
    free(file);
}

void an_split_free(struct an_split *split)
{
    if (split == NULL)
        return;
    while (split->file != NULL) {
        struct split_file *file = split->file;
        split->file = file->next;
        file_free(file);
    }
    while (split->packed != NULL) {
        struct packed_unit *packed = split->packed;
        split->packed = packed->next;
        free(packed);
    }
    file_free(split->package);
    free(split);
}

static struct split_file *file_open(const char *path, bool package)
{
    struct an_elf_image *image = an_elf_image_open(path);
    if (image == NULL)
        return NULL;
    struct split_file *file = an_memory_zeroed(1, sizeof(*file));
    file->path = an_memory_text(path);
    file->image = image;
    file->dwarf = an_dwarf_new(image, true, package);
    return file;
}

static struct split_file *package_try(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
static struct split_file *package_try(const char *format, ...)
{
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(path, sizeof(path), format, arguments);
    va_end(arguments);
    if (bytes < 0 || (size_t)bytes >= sizeof(path))
        return NULL;
    struct split_file *file = file_open(path, true);
    if (file == NULL || file->dwarf->sections.part[AN_DWARF_CU_INDEX].section != NULL)
        return file;
    file_free(file);
    return NULL;
}

/* prog.dwp is beside prog, or beside the debug file: prog.debug has prog.dwp or prog.debug.dwp. */
static struct split_file *package_find(const struct an_split *split)
{
    const struct an_debug_places *places = split->places;
    const char *root = places->sysroot == NULL ? "" : places->sysroot;
    const char *slash = strrchr(split->module_path, '/');
    const char *base = slash == NULL ? split->module_path : slash + 1;
    const char *own = split->image->path;
    size_t stem = strlen(own) > 6 && strcmp(own + strlen(own) - 6, ".debug") == 0 ? strlen(own) - 6
                                                                                  : strlen(own);
    struct split_file *file = package_try("%s.dwp", own);
    if (file == NULL)
        file = package_try("%.*s.dwp", (int)stem, own);
    if (file == NULL)
        file = package_try("%s%s.dwp", root, split->module_path);
    for (uint32_t i = 0; i < places->debug_dir_count && file == NULL; i++)
        file = package_try("%s/%s.dwp", places->debug_dir[i], base);
    return file;
}

/* The row of the index that a unit has; 0: none. */
static uint32_t index_row(struct an_bytes index, uint32_t slots, uint64_t id)
{
    uint64_t mask = (uint64_t)slots - 1, at = id & mask, step = (id >> 32 & mask) | 1;
    struct an_bytes rows = an_bytes_from(index, (uint64_t)slots * 8);
    if (slots == 0 || (slots & (slots - 1)) != 0)
        return 0;
    for (uint32_t tries = 0; tries < slots; tries++, at = (at + step) & mask) {
        struct an_bytes key = an_bytes_from(index, at * 8);
        struct an_bytes row = an_bytes_from(rows, at * 4);
        uint64_t found = an_bytes_number(&key, 8);
        uint32_t number = an_bytes_u32(&row);
        if (number == 0 || key.cut || row.cut)
            return 0;
        if (found == id)
            return number;
    }
    return 0;
}

/* What a unit has in a section of the package. */
struct contribution {
    uint64_t offset[MOST_COLUMNS]; /* by DW_SECT_* */
};

static bool contributions_read(struct an_bytes index, uint64_t id, struct contribution *ret)
{
    uint32_t version = an_bytes_u32(&index); /* 5 is a half word with a zero behind it */
    uint32_t columns = an_bytes_u32(&index);
    uint32_t units = an_bytes_u32(&index);
    uint32_t slots = an_bytes_u32(&index);
    if ((version != 2 && version != 5) || columns > MOST_COLUMNS || index.cut)
        return false;
    uint32_t row = index_row(index, slots, id);
    if (row == 0 || row > units)
        return false;
    struct an_bytes kinds = an_bytes_from(index, (uint64_t)slots * 12);
    struct an_bytes offsets = an_bytes_from(kinds, (uint64_t)row * columns * 4);
    *ret = (struct contribution){0};
    for (uint32_t i = 0; i < columns; i++) {
        uint32_t kind = an_bytes_u32(&kinds);
        uint32_t offset = an_bytes_u32(&offsets);
        if (kind < MOST_COLUMNS)
            ret->offset[kind] = offset;
    }
    return !kinds.cut && !offsets.cut;
}

static struct an_unit *packed_find(struct an_split *split, const struct an_unit *skeleton)
{
    struct contribution part;
    struct an_dwarf *dwarf = split->package->dwarf;
    struct packed_unit *packed = an_memory_zeroed(1, sizeof(*packed));
    struct an_unit *unit = &packed->unit;
    bool found = contributions_read(an_dwarf_section(&dwarf->sections, AN_DWARF_CU_INDEX),
                                    skeleton->dwo_id, &part) &&
                 an_unit_header(dwarf, part.offset[DW_SECT_INFO], unit) != 0 && unit->version != 0;
    if (!found) {
        free(packed);
        return NULL;
    }
    unit->abbreviations += part.offset[DW_SECT_ABBREV];
    unit->str_offsets_base += part.offset[DW_SECT_STR_OFFSETS];
    unit->line_base = part.offset[DW_SECT_LINE];
    if (unit->version >= 5)
        unit->rnglists_base += part.offset[DW_SECT_RNGLISTS];
    packed->next = split->packed;
    split->packed = packed;
    return unit;
}

/* The unit of a .dwo file that has the skeleton's number. */
static struct an_unit *file_unit(const struct split_file *file, const struct an_unit *skeleton)
{
    for (uint32_t i = 0; i < file->dwarf->unit_count; i++) {
        struct an_unit *unit = &file->dwarf->unit[i];
        if (unit->kind != DW_UT_type && unit->kind != DW_UT_split_type &&
            an_unit_open(unit, NULL) && unit->dwo_id == skeleton->dwo_id)
            return unit;
    }
    return NULL;
}

static struct an_unit *dwo_try(struct an_split *split, const struct an_unit *skeleton,
                               const char *format, ...) __attribute__((format(printf, 3, 4)));
static struct an_unit *dwo_try(struct an_split *split, const struct an_unit *skeleton,
                               const char *format, ...)
{
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(path, sizeof(path), format, arguments);
    va_end(arguments);
    if (bytes < 0 || (size_t)bytes >= sizeof(path))
        return NULL;
    struct split_file *file = file_open(path, false);
    if (file == NULL)
        return NULL;
    struct an_unit *unit = file_unit(file, skeleton);
    if (unit == NULL) {
        file_free(file);
        return NULL;
    }
    file->next = split->file;
    split->file = file;
    return unit;
}

static struct an_unit *dwo_find(struct an_split *split, const struct an_unit *skeleton)
{
    const struct an_debug_places *places = split->places;
    const char *root = places->sysroot == NULL ? "" : places->sysroot;
    const char *name = skeleton->dwo_name, *own = split->image->path;
    const char *slash = strrchr(name, '/'), *own_slash = strrchr(own, '/');
    const char *base = slash == NULL ? name : slash + 1;
    int folder = own_slash == NULL ? 0 : (int)(own_slash - own);
    struct an_unit *unit = NULL;
    if (name[0] == '/')
        unit = dwo_try(split, skeleton, "%s%s", root, name);
    else if (skeleton->comp_dir != NULL)
        unit = dwo_try(split, skeleton, "%s%s/%s", root, skeleton->comp_dir, name);
    if (unit == NULL && name[0] != '/')
        unit = dwo_try(split, skeleton, "%.*s/%s", folder, own, name);
    if (unit == NULL)
        unit = dwo_try(split, skeleton, "%.*s/%s", folder, own, base);
    for (uint32_t i = 0; i < places->debug_dir_count && unit == NULL; i++) {
        unit = dwo_try(split, skeleton, "%s/%s", places->debug_dir[i], base);
        if (unit == NULL)
            unit = dwo_try(split, skeleton, "%s/%s", places->debug_dir[i], name);
    }
    return unit;
}

/* Where the names of files are: the split unit's own table, if there is one. */
static void lines_find(struct an_unit *unit)
{
    struct an_bytes own = an_dwarf_section(&unit->dwarf->sections, AN_DWARF_LINE);
    if (unit->lines == UINT64_MAX && an_bytes_left(&own) > unit->line_base)
        unit->lines = 0;
}

static struct an_unit *unit_find(struct an_split *split, struct an_unit *skeleton)
{
    struct an_unit *unit = NULL;
    if (!split->package_sought) {
        split->package_sought = true;
        split->package = package_find(split);
    }
    if (split->package != NULL)
        unit = packed_find(split, skeleton);
    if (unit == NULL && skeleton->dwo_name != NULL)
        unit = dwo_find(split, skeleton);
    if (unit == NULL)
        return NULL;
    unit->skeleton = skeleton;
    if (!an_unit_open(unit, NULL))
        return NULL;
    lines_find(unit);
    return unit;
}

struct an_unit *an_split_find(struct an_split *split, struct an_unit *skeleton)
{
    if (!skeleton->split_sought) {
        skeleton->split_sought = true;
        skeleton->split = unit_find(split, skeleton);
    }
    if (skeleton->split != NULL)
        an_dwarf_work_set(skeleton->split->dwarf);
    return skeleton->split;
}
