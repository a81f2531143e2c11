/*
 * symbol_table.c -- the function at an address, by an ELF symbol table.
 */
#include "analyzer/symbols/symbol_table.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

/* Known before this table was looked at. */
#define RANK_FIXED UINT32_MAX

struct table {
    Elf *elf;
    const char *names;
    size_t name_bytes;
    uint8_t *executable; /* per section index: 1 holds code */
    size_t section_count;
};

static bool symbol_is_code(const struct table *table, const Elf64_Sym *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_size == 0)
        return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return true;
    return type == STT_NOTYPE && symbol->st_shndx < table->section_count &&
           table->executable[symbol->st_shndx] != 0;
}

/* Higher is better, never 0. */
static uint32_t symbol_rank(const Elf64_Sym *symbol, const char *name)
{
    uint32_t underscores = 0;
    while (name[underscores] == '_' && underscores < 15)
        underscores++;
    unsigned binding = ELF64_ST_BIND(symbol->st_info);
    uint32_t rank = ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE ? 0 : 1;
    rank = rank * 16 + (15 - underscores);
    return rank * 4 + (binding == STB_LOCAL ? 1 : binding == STB_WEAK ? 2 : 3);
}

static bool symbol_better(const struct an_symbol_query *query, uint64_t start, uint32_t rank,
                          const char *name)
{
    if (query->name == NULL || start != query->start)
        return query->name == NULL || start > query->start;
    if (rank != query->rank)
        return rank > query->rank;
    return strcmp(name, query->name) < 0;
}

static uint32_t query_first(const struct an_symbol_query *query, uint32_t count, uint64_t address)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (query[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void symbol_answer(const struct table *table, const Elf64_Sym *symbol,
                          struct an_symbol_query *query, uint32_t count)
{
    if (!symbol_is_code(table, symbol))
        return;
    uint32_t first = query_first(query, count, symbol->st_value);
    if (first == count || query[first].address - symbol->st_value >= symbol->st_size)
        return;
    if (symbol->st_name >= table->name_bytes)
        return;
    const char *name = table->names + symbol->st_name;
    if (memchr(name, '\0', table->name_bytes - symbol->st_name) == NULL || name[0] == '\0')
        return;
    uint32_t rank = symbol_rank(symbol, name);
    for (uint32_t i = first; i < count && query[i].address - symbol->st_value < symbol->st_size;
         i++) {
        if (query[i].rank == RANK_FIXED || !symbol_better(&query[i], symbol->st_value, rank, name))
            continue;
        query[i].start = symbol->st_value;
        query[i].rank = rank;
        query[i].name = name;
    }
}

static void sections_note(struct table *table)
{
    if (elf_getshdrnum(table->elf, &table->section_count) != 0)
        table->section_count = 0;
    table->executable = an_memory_zeroed(table->section_count + 1, 1);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(table->elf, section)) != NULL;) {
        GElf_Shdr header;
        size_t index = elf_ndxscn(section);
        if (index < table->section_count && gelf_getshdr(section, &header) != NULL)
            table->executable[index] = (header.sh_flags & SHF_EXECINSTR) != 0;
    }
}

static bool names_find(struct table *table, Elf_Scn *section)
{
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == NULL)
        return false;
    Elf_Scn *strings = elf_getscn(table->elf, header.sh_link);
    Elf_Data *data = strings == NULL ? NULL : elf_getdata(strings, NULL);
    if (data == NULL || data->d_buf == NULL)
        return false;
    table->names = data->d_buf;
    table->name_bytes = data->d_size;
    return true;
}

void an_symbol_table_answer(const struct an_elf_image *image, Elf_Scn *section,
                            struct an_symbol_query *query, uint32_t count)
{
    struct table table = {.elf = image->elf};
    Elf_Data *data = section == NULL ? NULL : elf_getdata(section, NULL);
    if (count == 0 || data == NULL || data->d_buf == NULL || data->d_type != ELF_T_SYM ||
        !names_find(&table, section))
        return;
    for (uint32_t i = 0; i < count; i++)
        query[i].rank = query[i].name == NULL ? 0 : RANK_FIXED;
    sections_note(&table);
    const Elf64_Sym *symbol = data->d_buf;
    size_t symbol_count = data->d_size / sizeof(*symbol);
    for (size_t i = 0; i < symbol_count; i++)
        symbol_answer(&table, &symbol[i], query, count);
    for (uint32_t i = 0; i < count; i++) {
        if (query[i].name != NULL && query[i].rank != RANK_FIXED)
            query[i].name_bytes = 1 + strcspn(query[i].name + 1, "@");
    }
    free(table.executable);
}
