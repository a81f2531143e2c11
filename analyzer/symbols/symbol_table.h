/*
 * symbol_table.h -- the function at an address, by an ELF symbol table.
 *
 * Context: tool.
 */
#ifndef THAG_AN_SYMBOL_TABLE_H
#define THAG_AN_SYMBOL_TABLE_H

#include "analyzer/symbols/elf_image.h"

/* One question. ADDRESS is in the file's own numbering. */
struct an_symbol_query {
    uint64_t address;
    uint64_t start;    /* of the symbol found */
    const char *name;  /* NULL until one is found. Lifetime: the image's */
    size_t name_bytes; /* without a version ("@@GLIBC_2.14") */
    bool stub;         /* NAME is of the function that is called through here */
    uint32_t rank;     /* private */
};

/*
 * Answer what SECTION, a symbol table of IMAGE, can answer; questions with a name are passed over.
 * One pass over the table, however many questions there are.
 *
 * Inputs:   QUERY is in ascending order of address.
 * Result:   a function's name only inside of the symbol's own size. Of several the one that begins
 *           last, then functions before labels, then the name with the fewest leading underscores,
 *           global before weak before local, then the first in byte order.
 * Never:    takes the nearest symbol for one that contains the address.
 */
void an_symbol_table_answer(const struct an_elf_image *image, Elf_Scn *section,
                            struct an_symbol_query *query, uint32_t count);

#endif
