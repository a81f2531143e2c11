/*
 * plt_stubs.c -- the stubs through which a module calls functions of others.
 */
#include "analyzer/symbols/plt_stubs.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/dwarf/bytes.h"

#define STUB_BYTES     16u /* where the section does not tell */
#define NO_RELOCATION  UINT64_MAX
#define SLOT_BY_NUMBER (UINT64_C(1) << 63) /* the number of a relocation instead of a slot */

struct stub {
    uint64_t slot;
    struct an_symbol_query *query;
};

struct stubs {
    struct stub *stub; /* by slot */
    uint32_t count;
};

/* The slot that the stub at ADDRESS jumps through. */
static uint64_t stub_decode(struct an_bytes code, uint64_t address)
{
    const uint8_t *begin = code.at;
    if (an_bytes_left(&code) >= 4 && memcmp(code.at, "\xf3\x0f\x1e\xfa", 4) == 0)
        an_bytes_skip(&code, 4); /* endbr64 */
    if (an_bytes_left(&code) != 0 && *code.at == 0xf2)
        an_bytes_skip(&code, 1); /* bnd */
    unsigned opcode = an_bytes_u8(&code);
    if (opcode == 0x68) { /* push: the stub of the first call, which tells its number */
        uint64_t number = an_bytes_u32(&code);
        return code.cut ? NO_RELOCATION : number | SLOT_BY_NUMBER;
    }
    if (opcode != 0xff || an_bytes_u8(&code) != 0x25)
        return NO_RELOCATION;
    int32_t offset = (int32_t)an_bytes_u32(&code);
    return code.cut ? NO_RELOCATION
                    : address + (uint64_t)(code.at - begin) + (uint64_t)(int64_t)offset;
}

/* Add the stubs of one section that are asked for. */
static void section_look(struct stubs *stubs, Elf_Scn *section, const GElf_Shdr *header,
                         struct an_symbol_query *query, uint32_t count)
{
    Elf_Data *data = elf_rawdata(section, NULL);
    uint64_t bytes = header->sh_entsize == 0 ? STUB_BYTES : header->sh_entsize;
    if (data == NULL || data->d_buf == NULL || bytes > 64)
        return;
    struct an_bytes code = {.at = data->d_buf};
    code.end = code.at + data->d_size;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t offset = query[i].address - header->sh_addr;
        if (query[i].name != NULL || query[i].address < header->sh_addr || offset >= data->d_size)
            continue;
        offset -= offset % bytes;
        uint64_t slot = stub_decode(an_bytes_from(code, offset), header->sh_addr + offset);
        if (slot != NO_RELOCATION)
            stubs->stub[stubs->count++] = (struct stub){slot, &query[i]};
    }
}

static int stub_order(const void *left, const void *right)
{
    const struct stub *a = left, *b = right;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

/* The name of a symbol of the table that SECTION holds; NULL: none. */
static const char *symbol_name(Elf *elf, Elf_Scn *section, size_t number)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Data *data = section == NULL ? NULL : elf_getdata(section, NULL);
    if (data == NULL || number == 0 || number > INT32_MAX ||
        gelf_getshdr(section, &header) == NULL || gelf_getsym(data, (int)number, &symbol) == NULL)
        return NULL;
    return elf_strptr(elf, header.sh_link, symbol.st_name);
}

/* Give the stubs of one slot the name of the symbol whose address it holds. */
static void slot_name(const struct stubs *stubs, uint64_t slot, const char *name)
{
    uint32_t low = 0, high = stubs->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (stubs->stub[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < stubs->count && stubs->stub[low].slot == slot; low++) {
        struct an_symbol_query *query = stubs->stub[low].query;
        query->name = name;
        query->name_bytes = 1 + strcspn(name + 1, "@");
        query->stub = true;
    }
}

static bool slot_is_wanted(const struct stubs *stubs, uint64_t slot)
{
    struct stub key = {.slot = slot};
    return bsearch(&key, stubs->stub, stubs->count, sizeof(*stubs->stub), stub_order) != NULL;
}

static void relocations_look(const struct stubs *stubs, Elf *elf, Elf_Scn *section,
                             const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *symbols = elf_getscn(elf, header->sh_link);
    if (data == NULL || data->d_buf == NULL || data->d_type != ELF_T_RELA)
        return;
    const Elf64_Rela *relocation = data->d_buf;
    bool has_numbers = (header->sh_flags & SHF_INFO_LINK) != 0; /* .rela.plt */
    for (size_t i = 0; i < data->d_size / sizeof(*relocation); i++) {
        uint64_t by[] = {relocation[i].r_offset, has_numbers ? i | SLOT_BY_NUMBER : NO_RELOCATION};
        for (int way = 0; way < 2; way++) {
            if (!slot_is_wanted(stubs, by[way]))
                continue;
            const char *name = symbol_name(elf, symbols, ELF64_R_SYM(relocation[i].r_info));
            if (name != NULL && name[0] != '\0')
                slot_name(stubs, by[way], name);
        }
    }
}

void an_plt_stubs_answer(const struct an_elf_image *image, struct an_symbol_query *query,
                         uint32_t count)
{
    size_t names = 0;
    GElf_Ehdr file;
    GElf_Shdr header;
    if (gelf_getehdr(image->elf, &file) == NULL || file.e_machine != EM_X86_64 ||
        elf_getshdrstrndx(image->elf, &names) != 0)
        return;
    struct stubs stubs = {.stub = NULL};
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_PROGBITS ||
            (header.sh_flags & SHF_EXECINSTR) == 0)
            continue;
        const char *name = elf_strptr(image->elf, names, header.sh_name);
        if (name == NULL || strncmp(name, ".plt", 4) != 0)
            continue;
        /* An address lies in one section only, unless they overlap in a damaged file. */
        stubs.stub =
            an_memory_resize(stubs.stub, (size_t)stubs.count + count + 1, sizeof(*stubs.stub));
        section_look(&stubs, section, &header, query, count);
    }
    if (stubs.count != 0)
        qsort(stubs.stub, stubs.count, sizeof(*stubs.stub), stub_order);
    for (Elf_Scn *section = NULL;
         stubs.count != 0 && (section = elf_nextscn(image->elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_RELA)
            relocations_look(&stubs, image->elf, section, &header);
    }
    free(stubs.stub);
}
