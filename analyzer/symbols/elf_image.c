/*
 * elf_image.c -- one ELF file, open for reading.
 */
#include "analyzer/symbols/elf_image.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/dwarf/bytes.h"

#define UNPACKED_LIMIT_BYTES ((size_t)64 << 20)

/*
 * Modules are mapped, because only a few pages of some hundred megabytes are needed. A build that
 * writes over such a file in place would end us with SIGBUS: the handler puts a page of zeros
 * there, and what is read from it is nonsense that the readers of ELF and DWARF reject.
 */
static struct an_elf_guard *guards;

static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t address = (uintptr_t)info->si_addr;
    for (struct an_elf_guard *guard = guards; guard != NULL; guard = guard->next) {
        size_t bytes = 0;
        uintptr_t begin = (uintptr_t)elf_rawfile(guard->elf, &bytes);
        if (address < begin || address - begin >= bytes)
            continue;
        void *page = (void *)(address & ~(page_bytes - 1));
        if (mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
            page)
            return;
    }
    signal(signal_number, SIG_DFL); /* not ours: happens again, and ends the program */
}

void an_elf_guard_set(struct an_elf_guard *guard, Elf *elf)
{
    static bool installed;
    if (!installed) {
        struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
        sigaction(SIGBUS, &action, NULL);
        installed = true;
    }
    *guard = (struct an_elf_guard){elf, guards};
    guards = guard;
}

void an_elf_guard_take_away(struct an_elf_guard *guard)
{
    struct an_elf_guard **link = &guards;
    while (*link != NULL && *link != guard)
        link = &(*link)->next;
    if (*link != NULL)
        *link = guard->next;
}

static void notes_read(struct an_elf_image *image, Elf_Data *data)
{
    GElf_Nhdr note;
    size_t name = 0, content = 0, offset = 0;
    while (data != NULL && image->build_id.bytes == 0 &&
           (offset = gelf_getnote(data, offset, &note, &name, &content)) != 0) {
        const char *bytes = data->d_buf;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
            memcmp(bytes + name, "GNU", sizeof("GNU")) != 0 || note.n_descsz == 0 ||
            note.n_descsz > AN_BUILD_ID_BYTES)
            continue;
        memcpy(image->build_id.value, bytes + content, note.n_descsz);
        image->build_id.bytes = note.n_descsz;
    }
}

static void debug_link_read(struct an_elf_image *image, Elf_Scn *section)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (data == NULL || data->d_buf == NULL || image->debug_link != NULL)
        return;
    const char *name = data->d_buf;
    size_t bytes = strnlen(name, data->d_size);
    size_t crc_offset = (bytes + 4) & ~(size_t)3;
    if (bytes == 0 || bytes == data->d_size || data->d_size < crc_offset + 4 ||
        memchr(name, '/', bytes) != NULL)
        return;
    const unsigned char *crc = (const unsigned char *)name + crc_offset;
    image->debug_link = an_memory_text_part(name, bytes);
    image->debug_link_crc =
        (uint32_t)crc[0] | (uint32_t)crc[1] << 8 | (uint32_t)crc[2] << 16 | (uint32_t)crc[3] << 24;
}

/* The path, and behind it the build-id, of what is shared (dwz). */
static void shared_link_read(struct an_elf_image *image, Elf_Scn *section, bool supplementary)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (data == NULL || data->d_buf == NULL || image->shared_link != NULL)
        return;
    struct an_bytes bytes = {.at = data->d_buf};
    bytes.end = bytes.at + data->d_size;
    /* DWARF 5 has a version and whether this is the shared file itself before it, and a size. */
    if (supplementary && (an_bytes_u16(&bytes) != 5 || an_bytes_u8(&bytes) != 0))
        return;
    const char *path = an_bytes_text(&bytes);
    uint64_t size = supplementary ? an_bytes_unsigned(&bytes) : an_bytes_left(&bytes);
    if (path == NULL || path[0] == '\0' || size == 0 || size > AN_BUILD_ID_BYTES ||
        size > an_bytes_left(&bytes))
        return;
    image->shared_link = an_memory_text(path);
    image->shared_id.bytes = (uint32_t)size;
    memcpy(image->shared_id.value, bytes.at, size);
}

static void dwarf_note(struct an_elf_image *image, Elf_Scn *section, const GElf_Shdr *header)
{
    GElf_Chdr packed;
    image->has_dwarf = true;
    if ((header->sh_flags & SHF_COMPRESSED) != 0 && gelf_getchdr(section, &packed) != NULL)
        image->packed_dwarf_bytes = packed.ch_size;
}

static void section_look(struct an_elf_image *image, Elf_Scn *section, size_t names)
{
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == NULL || header.sh_type == SHT_NOBITS)
        return;
    if (header.sh_type == SHT_NOTE) {
        notes_read(image, elf_getdata(section, NULL));
    } else if (header.sh_type == SHT_SYMTAB) {
        image->symbols = section;
    } else if (header.sh_type == SHT_DYNSYM) {
        image->dynamic_symbols = section;
    } else if (header.sh_type == SHT_PROGBITS) {
        const char *name = elf_strptr(image->elf, names, header.sh_name);
        if (name == NULL)
            return;
        if (strcmp(name, ".gnu_debuglink") == 0)
            debug_link_read(image, section);
        else if (strcmp(name, ".gnu_debugaltlink") == 0 || strcmp(name, ".debug_sup") == 0)
            shared_link_read(image, section, name[1] == 'd');
        else if (strcmp(name, ".gnu_debugdata") == 0)
            image->packed_symbols = section;
        else if (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0)
            dwarf_note(image, section, &header);
    }
}

static void sections_look(struct an_elf_image *image)
{
    size_t names = 0;
    if (elf_getshdrstrndx(image->elf, &names) != 0)
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section)) != NULL;)
        section_look(image, section, names);
}

/* A file without section headers still has its build-id in a segment. */
static void segments_look(struct an_elf_image *image)
{
    size_t count = 0;
    if (elf_getphdrnum(image->elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i < 4096 && image->build_id.bytes == 0; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(image->elf, (int)i, &header) == NULL || header.p_type != PT_NOTE)
            continue;
        notes_read(image,
                   elf_getdata_rawchunk(image->elf, (int64_t)header.p_offset, header.p_filesz,
                                        header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
    }
}

/* Takes over ELF. */
static struct an_elf_image *image_new(const char *path, Elf *elf)
{
    GElf_Ehdr header;
    struct an_elf_image *image = an_memory_zeroed(1, sizeof(*image));
    image->path = an_memory_text(path);
    image->elf = elf;
    if (elf != NULL)
        an_elf_guard_set(&image->guard, elf);
    if (elf == NULL || elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 ||
        gelf_getehdr(elf, &header) == NULL) {
        an_elf_image_close(image);
        return NULL;
    }
    sections_look(image);
    if (image->build_id.bytes == 0)
        segments_look(image);
    return image;
}

struct an_elf_image *an_elf_image_open(const char *path)
{
    struct stat status;
    /* O_NONBLOCK: a recording may name a pipe as a module. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) {
        close(fd);
        return NULL;
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    /* Mapped, or read where that is not possible: a program has more modules than descriptors. */
    if (elf != NULL)
        elf_cntl(elf, ELF_C_FDREAD);
    close(fd);
    struct an_elf_image *image = image_new(path, elf);
    if (image != NULL)
        image->mtime_ns =
            (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
    return image;
}

struct an_elf_image *an_elf_image_vdso(void)
{
    char *begin = (char *)getauxval(AT_SYSINFO_EHDR);
    if (begin == NULL)
        return NULL;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)begin;
    if (header->e_ident[EI_CLASS] != ELFCLASS64)
        return NULL;
    size_t bytes = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
    elf_version(EV_CURRENT);
    return image_new("[vdso]", elf_memory(begin, bytes));
}

/*
 * Few modules have such a section and few machines miss the library, so it is only loaded when it
 * is needed: it would be one more at every start.
 */
static bool unpack_xz(const uint8_t *packed, size_t packed_bytes, uint8_t *ret_bytes, size_t *bytes)
{
    typedef int decode_function(uint64_t * memory_limit, uint32_t flags, const void *allocator,
                                const uint8_t *in, size_t *in_at, size_t in_bytes, uint8_t *out,
                                size_t *out_at, size_t out_bytes);
    static decode_function *decode;
    if (decode == NULL) {
        void *library = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
        void *symbol = library == NULL ? NULL : dlsym(library, "lzma_stream_buffer_decode");
        if (symbol == NULL)
            return false;
        memcpy(&decode, &symbol, sizeof(decode));
    }
    uint64_t memory_limit = UNPACKED_LIMIT_BYTES * 2;
    size_t in_at = 0, out_at = 0;
    int result =
        decode(&memory_limit, 0, NULL, packed, &in_at, packed_bytes, ret_bytes, &out_at, *bytes);
    *bytes = out_at;
    return result == 0;
}

struct an_elf_image *an_elf_image_unpack(const struct an_elf_image *image)
{
    Elf_Data *data =
        image->packed_symbols == NULL ? NULL : elf_rawdata(image->packed_symbols, NULL);
    if (data == NULL || data->d_buf == NULL)
        return NULL;
    for (size_t room = data->d_size * 4 + 4096; room <= UNPACKED_LIMIT_BYTES; room *= 4) {
        size_t bytes = room;
        uint8_t *memory = an_memory_array(room, 1);
        if (unpack_xz(data->d_buf, data->d_size, memory, &bytes)) {
            struct an_elf_image *unpacked =
                image_new(image->path, elf_memory((char *)memory, bytes));
            if (unpacked != NULL)
                unpacked->memory = memory;
            else
                free(memory);
            return unpacked;
        }
        free(memory);
    }
    return NULL;
}

void an_elf_image_close(struct an_elf_image *image)
{
    if (image == NULL)
        return;
    an_elf_guard_take_away(&image->guard);
    elf_end(image->elf);
    free(image->memory);
    free(image->shared_link);
    free(image->debug_link);
    free(image->path);
    free(image);
}

uint64_t an_elf_image_lowest_code(const struct an_elf_image *image)
{
    size_t count = 0;
    uint64_t lowest = UINT64_MAX;
    if (elf_getphdrnum(image->elf, &count) != 0)
        return 1;
    for (size_t i = 0; i < count && i < 4096; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(image->elf, (int)i, &header) != NULL && header.p_type == PT_LOAD &&
            (header.p_flags & PF_X) != 0 && header.p_vaddr < lowest)
            lowest = header.p_vaddr;
    }
    return lowest == UINT64_MAX || lowest == 0 ? 1 : lowest;
}

/* Whether a section is one of debug data that zlib cannot unpack. */
static bool section_is_foreign(const struct an_elf_image *image, Elf_Scn *section, size_t names)
{
    GElf_Shdr header;
    GElf_Chdr packed;
    if (gelf_getshdr(section, &header) == NULL || (header.sh_flags & SHF_COMPRESSED) == 0)
        return false;
    const char *name = elf_strptr(image->elf, names, header.sh_name);
    return name != NULL && strncmp(name, ".debug_", 7) == 0 &&
           (gelf_getchdr(section, &packed) == NULL || packed.ch_type != ELFCOMPRESS_ZLIB);
}

bool an_elf_image_needs_zlib_alone(const struct an_elf_image *image)
{
    size_t names = 0;
    if (elf_getshdrstrndx(image->elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section)) != NULL;) {
        if (section_is_foreign(image, section, names))
            return false;
    }
    return true;
}

bool an_elf_image_crc(const struct an_elf_image *image, uint32_t *ret_crc)
{
    size_t bytes = 0;
    const char *content = elf_rawfile(image->elf, &bytes);
    if (content == NULL)
        return false;
    *ret_crc = (uint32_t)crc32_z(crc32_z(0, NULL, 0), (const unsigned char *)content, bytes);
    return true;
}
