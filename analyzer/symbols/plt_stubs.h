/*
 * plt_stubs.h -- the stubs through which a module calls functions of others.
 *
 * Context: tool.
 */
#ifndef THAG_AN_PLT_STUBS_H
#define THAG_AN_PLT_STUBS_H

#include "analyzer/symbols/symbol_table.h"

/*
 * Answer which function a stub jumps to; questions with a name are passed over. No symbol covers
 * stubs: the instructions tell the slot that they read, and a relocation tells whose address the
 * loader puts there. x86-64 only; elsewhere nothing is answered.
 *
 * Inputs:   as for an_symbol_table_answer(); IMAGE is the module itself, a debug file has no code.
 * Result:   a name with STUB set.
 */
void an_plt_stubs_answer(const struct an_elf_image *image, struct an_symbol_query *query,
                         uint32_t count);

#endif
