/*
 * sections.c -- the sections of DWARF in one ELF file.
 *
 * They are unpacked here and not by libelf, which knows Zstandard only in its newest versions.
 */
#include "analyzer/symbols/dwarf/sections.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "analyzer/support/memory.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* A file that claims more than what DEFLATE can do at best wants to use up our memory. */
#define BEST_RATIO     UINT64_C(1040)
#define LARGEST_BYTES  (UINT64_C(4) << 30)
#define OLD_HEAD_BYTES 12u /* of .zdebug_*: "ZLIB" and the size, big-endian */

static const char *const section_names[AN_DWARF_SECTIONS] = {
    [AN_DWARF_INFO] = "info",         [AN_DWARF_ABBREV] = "abbrev",
    [AN_DWARF_LINE] = "line",         [AN_DWARF_LINE_STR] = "line_str",
    [AN_DWARF_STR] = "str",           [AN_DWARF_STR_OFFSETS] = "str_offsets",
    [AN_DWARF_ADDR] = "addr",         [AN_DWARF_RANGES] = "ranges",
    [AN_DWARF_RNGLISTS] = "rnglists", [AN_DWARF_ARANGES] = "aranges",
    [AN_DWARF_CU_INDEX] = "cu_index",
};

/* The name without ".debug_" and ".dwo"; NULL if it is none of the kind that is wanted. */
static const char *name_stem(const char *name, bool split, size_t *ret_bytes)
{
    static const char tail[] = ".dwo";
    size_t bytes = strlen(name);
    size_t head = strncmp(name, ".debug_", 7) == 0 ? 7 : strncmp(name, ".zdebug_", 8) == 0 ? 8 : 0;
    bool has_tail = bytes > 4 && strcmp(name + bytes - 4, tail) == 0;
    /* The index of a package is the only section of it without the suffix. */
    bool index = head != 0 && strcmp(name + head, "cu_index") == 0;
    if (head == 0 || has_tail != (split && !index))
        return NULL;
    *ret_bytes = bytes - head - (has_tail ? 4 : 0);
    return name + head;
}

static void section_note(struct an_dwarf_sections *sections, Elf_Scn *section, const char *name,
                         bool split)
{
    size_t bytes = 0;
    const char *stem = name_stem(name, split, &bytes);
    for (int i = 0; i < AN_DWARF_SECTIONS && stem != NULL; i++) {
        if (strlen(section_names[i]) == bytes && memcmp(stem, section_names[i], bytes) == 0 &&
            sections->part[i].section == NULL)
            sections->part[i].section = section;
    }
}

void an_dwarf_sections_init(struct an_dwarf_sections *sections, struct an_elf_image *image,
                            bool split)
{
    size_t names = 0;
    *sections = (struct an_dwarf_sections){.image = image};
    if (elf_getshdrstrndx(image->elf, &names) != 0)
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section)) != NULL;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type == SHT_NOBITS)
            continue;
        const char *name = elf_strptr(image->elf, names, header.sh_name);
        if (name != NULL)
            section_note(sections, section, name, split);
    }
}

void an_dwarf_sections_release(struct an_dwarf_sections *sections)
{
    for (int i = 0; i < AN_DWARF_SECTIONS; i++)
        free(sections->part[i].unpacked);
}

static bool unpack_zlib(struct an_bytes packed, uint8_t *to, size_t bytes)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)packed.at};
    if (inflateInit(&stream) != Z_OK)
        return false;
    size_t in_left = an_bytes_left(&packed), out_left = bytes;
    int result = Z_OK;
    stream.next_out = to;
    while (result == Z_OK && out_left != 0) {
        stream.avail_in = in_left > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)in_left;
        stream.avail_out = out_left > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)out_left;
        uInt in = stream.avail_in, out = stream.avail_out;
        result = inflate(&stream, Z_NO_FLUSH);
        in_left -= in - stream.avail_in;
        out_left -= out - stream.avail_out;
        /* Several streams may stand one after the other: a linker puts packed inputs together. */
        if (result == Z_STREAM_END && out_left != 0 && in_left != 0)
            result = inflateReset(&stream);
    }
    inflateEnd(&stream);
    return out_left == 0;
}

static bool unpack_zstd(struct an_bytes packed, uint8_t *to, size_t bytes)
{
    size_t got = ZSTD_decompress(to, bytes, packed.at, an_bytes_left(&packed));
    return !ZSTD_isError(got) && got == bytes;
}

static void part_unpack(struct an_dwarf_sections *sections, struct an_dwarf_part *part,
                        struct an_bytes packed, uint64_t bytes, uint32_t kind)
{
    part->bytes = (struct an_bytes){0};
    if (kind != ELFCOMPRESS_ZLIB && kind != ELFCOMPRESS_ZSTD) {
        sections->trouble |= AN_DWARF_PACKING;
        return;
    }
    if (bytes > LARGEST_BYTES || bytes / BEST_RATIO > an_bytes_left(&packed)) {
        sections->trouble |= AN_DWARF_DAMAGE;
        return;
    }
    uint8_t *to = an_memory_array((size_t)bytes + 1, 1);
    bool whole = kind == ELFCOMPRESS_ZLIB ? unpack_zlib(packed, to, (size_t)bytes)
                                          : unpack_zstd(packed, to, (size_t)bytes);
    if (!whole) {
        sections->trouble |= AN_DWARF_DAMAGE;
        free(to);
        return;
    }
    part->unpacked = to;
    part->bytes = (struct an_bytes){.at = to, .end = to + bytes};
}

static uint64_t big_endian(const uint8_t *at)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number = number << 8 | at[i];
    return number;
}

static void part_load(struct an_dwarf_sections *sections, struct an_dwarf_part *part)
{
    GElf_Shdr header;
    size_t names = 0;
    Elf_Data *data = elf_rawdata(part->section, NULL);
    if (data == NULL || data->d_buf == NULL || gelf_getshdr(part->section, &header) == NULL)
        return;
    const uint8_t *at = data->d_buf;
    part->bytes = (struct an_bytes){.at = at, .end = at + data->d_size};
    struct an_bytes packed = part->bytes;
    if ((header.sh_flags & SHF_COMPRESSED) != 0) {
        uint32_t kind = an_bytes_u32(&packed);
        an_bytes_skip(&packed, 4);
        uint64_t bytes = an_bytes_number(&packed, 8);
        an_bytes_skip(&packed, 8);
        part_unpack(sections, part, packed, bytes, kind);
        return;
    }
    if (elf_getshdrstrndx(sections->image->elf, &names) != 0)
        return;
    const char *name = elf_strptr(sections->image->elf, names, header.sh_name);
    if (name != NULL && name[1] == 'z' && data->d_size > OLD_HEAD_BYTES &&
        memcmp(at, "ZLIB", 4) == 0) {
        an_bytes_skip(&packed, OLD_HEAD_BYTES);
        part_unpack(sections, part, packed, big_endian(at + 4), ELFCOMPRESS_ZLIB);
    }
}

struct an_bytes an_dwarf_section(struct an_dwarf_sections *sections, enum an_dwarf_section which)
{
    struct an_dwarf_part *part = &sections->part[which];
    if (!part->loaded) {
        part->loaded = true;
        if (part->section != NULL)
            part_load(sections, part);
    }
    return part->bytes;
}

const char *an_dwarf_section_text(struct an_dwarf_sections *sections, enum an_dwarf_section which,
                                  uint64_t offset)
{
    struct an_bytes bytes = an_bytes_from(an_dwarf_section(sections, which), offset);
    return an_bytes_text(&bytes);
}
