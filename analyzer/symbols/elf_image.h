/*
 * elf_image.h -- one ELF file, open for reading: its identity and what it has to offer.
 *
 * Works on any bytes: whatever cannot be read is absent. A file that is cut while it is mapped
 * reads as zeros from there on.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_ELF_IMAGE_H
#define THAG_AN_ELF_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AN_BUILD_ID_BYTES 32u

struct an_build_id {
    uint32_t bytes; /* 0: none */
    uint8_t value[AN_BUILD_ID_BYTES];
};

/* A file that may be cut while it is mapped; an image has one. ELF is NULL if there is none. */
struct an_elf_guard {
    Elf *elf;
    struct an_elf_guard *next; /* private */
};

struct an_elf_image {
    char *path; /* owned */
    Elf *elf;
    uint64_t mtime_ns; /* of the file */
    struct an_build_id build_id;
    char *debug_link; /* owned; NULL: none. Never holds a slash */
    uint32_t debug_link_crc;
    char *shared_link; /* owned; a path to what dwz put into a common file; NULL: none */
    struct an_build_id shared_id;
    Elf_Scn *symbols;         /* .symtab, NULL: none */
    Elf_Scn *dynamic_symbols; /* .dynsym, NULL: none */
    Elf_Scn *packed_symbols;  /* .gnu_debugdata, NULL: none */
    bool has_dwarf;
    uint64_t packed_dwarf_bytes; /* size of a compressed .debug_info once unpacked; 0: not packed */
    void *memory;                /* owned: what an unpacked image lies in */
    struct an_elf_guard guard;
};

/* Open a regular file. Result: NULL if it cannot be read or is no 64-bit ELF file. */
struct an_elf_image *an_elf_image_open(const char *path);

/* The kernel's page in this process, as recordings of this machine know it; NULL: none. */
struct an_elf_image *an_elf_image_vdso(void);

/*
 * The small ELF file with the local symbols that some distributions pack into a stripped module
 * ("MiniDebugInfo"). What is packed into that one in turn is left alone.
 *
 * Result: NULL if there is none, if it unpacks to more than 64 MiB, or if liblzma is not installed.
 */
struct an_elf_image *an_elf_image_unpack(const struct an_elf_image *image);

/* NULL is fine. */
void an_elf_image_close(struct an_elf_image *image);

/*
 * From now until the guard is taken away ELF reads as zeros from where its file ends. GUARD stays
 * where it is as long; ELF, which others opened, is closed only then.
 */
void an_elf_guard_set(struct an_elf_guard *guard, Elf *elf);
void an_elf_guard_take_away(struct an_elf_guard *guard);

/* The lowest address that code of the file may have: 0 is where linkers put what they drop. */
uint64_t an_elf_image_lowest_code(const struct an_elf_image *image);

/* Whether no section of debug data is packed, or all that are by zlib. */
bool an_elf_image_needs_zlib_alone(const struct an_elf_image *image);

/* The CRC by which a debug link knows its file. Result: false if the file cannot be read. */
bool an_elf_image_crc(const struct an_elf_image *image, uint32_t *ret_crc);

static inline bool an_build_id_same(const struct an_build_id *a, const struct an_build_id *b)
{
    return a->bytes == b->bytes && __builtin_memcmp(a->value, b->value, a->bytes) == 0;
}

#endif
