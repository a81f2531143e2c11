/* unwind_rules.c -- the rule cache, and how call frame rows become rules. */
#include "runtime/hot/unwind_rules.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#include "runtime/hot/rt_forbid.h"

/* Since glibc 2.35, takes no lock. Weak, so that an older one still loads us. */
extern __typeof(_dl_find_object) _dl_find_object __attribute__((weak));

_Atomic uint64_t rt_rule_cache[RT_RULE_LINES * RT_RULE_WAYS] __attribute__((aligned(64)));
_Atomic uint32_t rt_rule_epoch = 1;
/* Whether the cache may hold a word: to look for words in an empty one costs 128 page faults, at
 * the start of every process. */
static atomic_bool cache_filled;

/*
 * The CFA of a PLT stub, which the linker writes as an expression: sp + 8, and 8 more from that
 * instruction of the 16-byte stub on that has pushed the relocation's number. The address is known
 * here, so its value is.
 */
static bool plt_offset(const struct rt_place *cfa, uintptr_t pc, int64_t *ret_offset)
{
    enum { LITERAL_AT = 6, OP_LIT0 = 0x30, OP_LIT15 = 0x3f };
    /* breg7 8, breg16 0, lit15, and, lit?, ge, lit3, shl, plus */
    static const uint8_t expression[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0, 0x2a, 0x33, 0x24, 0x22};
    if (cfa->kind != RT_PLACE_EXPRESSION || cfa->expression_bytes != sizeof(expression)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(expression); i++) {
        if (i != LITERAL_AT && cfa->expression[i] != expression[i]) {
            return false;
        }
    }
    uint8_t literal = cfa->expression[LITERAL_AT];
    if (literal < OP_LIT0 || literal > OP_LIT15) {
        return false;
    }
    *ret_offset = (pc & 15) >= (uintptr_t)(literal - OP_LIT0) ? 16 : 8;
    return true;
}

/* Whether the interrupted registers lie where the kernel puts them on x86-64 Linux. */
static bool row_is_ucontext(const struct rt_cfi_row *row)
{
    const int64_t registers = offsetof(ucontext_t, uc_mcontext.gregs);
    int64_t sp, fp, ret;
    return rt_cfi_expression_is_offset(&row->cfa, RT_REGISTER_SP, true, &sp) &&
           rt_cfi_expression_is_offset(&row->fp, RT_REGISTER_SP, false, &fp) &&
           rt_cfi_expression_is_offset(&row->ret, RT_REGISTER_SP, false, &ret) &&
           sp == registers + 8 * REG_RSP && fp == registers + 8 * REG_RBP &&
           ret == registers + 8 * REG_RIP;
}

/* "CFA = [fp - N]", and the caller's fp at [fp] or untouched. */
static uint64_t drap_rule(const struct rt_cfi_row *row)
{
    int64_t offset, fp = 0;
    if (!rt_cfi_expression_is_offset(&row->cfa, RT_REGISTER_FP, true, &offset) || offset > 0 ||
        offset < -RT_RULE_OFFSET_MAX || offset % 8 != 0) {
        return rt_rule_make(RT_RULE_SLOW, 0, 0);
    }
    if (row->fp.kind == RT_PLACE_SAME) {
        return rt_rule_make(RT_RULE_DRAP, -offset, 0);
    }
    if (!rt_cfi_expression_is_offset(&row->fp, RT_REGISTER_FP, false, &fp) || fp != 0) {
        return rt_rule_make(RT_RULE_SLOW, 0, 0);
    }
    return rt_rule_make(RT_RULE_DRAP, -offset, 1);
}

static uint64_t offset_rule(const struct rt_cfi_row *row, enum rt_rule_kind kind, int64_t offset)
{
    /* Below 8 the return address would lie under the stack pointer, where nothing is kept. */
    if (offset < 8 || offset > RT_RULE_OFFSET_MAX || offset % 8 != 0) {
        return rt_rule_make(RT_RULE_SLOW, 0, 0);
    }
    if (row->fp.kind == RT_PLACE_SAME) {
        return rt_rule_make(kind, offset, 0);
    }
    if (row->fp.kind != RT_PLACE_OFFSET || row->fp.offset > -8 ||
        row->fp.offset < -8 * RT_RULE_SLOT_MAX || row->fp.offset % 8 != 0) {
        return rt_rule_make(RT_RULE_SLOW, 0, 0);
    }
    return rt_rule_make(kind, offset, row->fp.offset / -8);
}

uint64_t rt_rule_of_row(const struct rt_cfi_row *row, uintptr_t pc)
{
    int64_t offset;
    if (row->ret.kind == RT_PLACE_UNDEFINED) {
        return rt_rule_make(RT_RULE_END, 0, 0);
    }
    if (row->sp.kind != RT_PLACE_SAME && !row->signal_frame) {
        return rt_rule_make(RT_RULE_SLOW, 0, 0);
    }
    if (row->signal_frame) {
        return rt_rule_make(row_is_ucontext(row) ? RT_RULE_SIGNAL : RT_RULE_SLOW, 0, 0);
    }
    if (row->ret.kind != RT_PLACE_OFFSET || row->ret.offset != -8) {
        return rt_rule_make(RT_RULE_SLOW, 0, 0);
    }
    if (row->cfa.kind == RT_PLACE_EXPRESSION) {
        return plt_offset(&row->cfa, pc, &offset) ? offset_rule(row, RT_RULE_SP, offset)
                                                  : drap_rule(row);
    }
    switch (row->cfa.register_base) {
    case RT_REGISTER_SP:
        return offset_rule(row, RT_RULE_SP, row->cfa.offset);
    case RT_REGISTER_FP:
        return offset_rule(row, RT_RULE_FP, row->cfa.offset);
    default:
        return rt_rule_make(RT_RULE_SLOW, 0, 0);
    }
}

uint64_t rt_rule_read(const struct rt_cfi_section *section, uintptr_t pc)
{
    struct rt_cfi_row row;
    switch (rt_cfi_row_find(section, pc, &row)) {
    case 0:
        return rt_rule_of_row(&row, pc);
    case -ENOTSUP:
        return rt_rule_make(RT_RULE_SLOW, 0, 0);
    default:
        /* Broken data is as good as none. Never SLOW: libgcc aborts the program over it. */
        return rt_rule_make(RT_RULE_GUESS, 0, 0);
    }
}

/*
 * The section with the data of PC. Where an object has holes between its segments, glibc tells the
 * range of the segment asked for, so the data's own segment is asked for too.
 */
static bool section_find(uintptr_t pc, struct rt_cfi_section *ret_section)
{
    struct dl_find_object object;
    if (!_dl_find_object || _dl_find_object((void *)pc, &object) < 0 || !object.dlfo_eh_frame) {
        return false;
    }
    void *header = object.dlfo_eh_frame;
    if (header < object.dlfo_map_start || header >= object.dlfo_map_end) {
        if (_dl_find_object(header, &object) < 0) {
            return false;
        }
    }
    *ret_section = (struct rt_cfi_section){
        .header = header, .low = object.dlfo_map_start, .high = object.dlfo_map_end};
    return true;
}

static uint64_t rule_compute(uintptr_t pc)
{
    struct rt_cfi_section section;
    return section_find(pc, &section) ? rt_rule_read(&section, pc)
                                      : rt_rule_make(RT_RULE_GUESS, 0, 0);
}

/* A place in PC's line: an empty or outdated word, else the one that PC's number points at. */
static _Atomic uint64_t *way_choose(uintptr_t pc, uint64_t epoch)
{
    _Atomic uint64_t *line = rt_rule_line(pc);
    for (uintptr_t i = 0; i < RT_RULE_WAYS; i++) {
        _Atomic uint64_t *way = line + ((pc >> 2) + i) % RT_RULE_WAYS;
        uint64_t word = atomic_load_explicit(way, memory_order_relaxed);
        if (((word ^ epoch) & RT_RULE_EPOCH_MASK) != 0) {
            return way;
        }
    }
    return line + ((pc >> 2) + (pc >> 3)) % RT_RULE_WAYS;
}

uint64_t rt_rule_fill(uintptr_t pc, uint64_t epoch)
{
    uint32_t began = atomic_load_explicit(&rt_rule_epoch, memory_order_acquire);
    uint64_t rule = rule_compute(pc);
    if (rt_rule_epoch_bits(began) != epoch) {
        return rule; /* the asker's walk began before some module went away */
    }
    _Atomic uint64_t *way = way_choose(pc, epoch);
    uint64_t word = rt_rule_tag(pc, epoch) | rule;
    if (!atomic_load_explicit(&cache_filled, memory_order_seq_cst)) {
        atomic_store_explicit(&cache_filled, true, memory_order_seq_cst);
    }
    /*
     * The epoch's two bits keep a late word from being used now, but they come round again. So look
     * once more. Either we see the new epoch and take our word back, or our store comes before the
     * change of epoch in the one order of these operations, and thus before the emptying.
     */
    atomic_store_explicit(way, word, memory_order_seq_cst);
    if (atomic_load_explicit(&rt_rule_epoch, memory_order_seq_cst) != began) {
        atomic_compare_exchange_strong_explicit(way, &word, 0, memory_order_relaxed,
                                                memory_order_relaxed);
    }
    return rule;
}

uint64_t rt_rule_find_further(uintptr_t pc, uint64_t epoch)
{
    _Atomic uint64_t *line = rt_rule_line(pc);
    uint64_t tag = rt_rule_tag(pc, epoch);
    for (uintptr_t i = 1; i < RT_RULE_WAYS; i++) {
        uint64_t word =
            atomic_load_explicit(line + ((pc >> 2) + i) % RT_RULE_WAYS, memory_order_relaxed);
        if (((word ^ tag) & RT_RULE_TAG_MASK) == 0) {
            return word ^ tag;
        }
    }
    return rt_rule_fill(pc, epoch);
}

void rt_rules_forget(void)
{
    uint32_t epoch = atomic_load_explicit(&rt_rule_epoch, memory_order_relaxed), next;
    do {
        next = epoch % 4 == 3 ? epoch + 2 : epoch + 1;
    } while (!atomic_compare_exchange_weak_explicit(&rt_rule_epoch, &epoch, next,
                                                    memory_order_seq_cst, memory_order_relaxed));
    /* It never goes back to false: another thread may be between this flag and its word. */
    if (!atomic_load_explicit(&cache_filled, memory_order_seq_cst)) {
        return;
    }
    for (size_t i = 0; i < RT_RULE_LINES * RT_RULE_WAYS; i++) {
        /* Pages that were never written stay the kernel's zero page. */
        if (atomic_load_explicit(&rt_rule_cache[i], memory_order_seq_cst) != 0) {
            atomic_store_explicit(&rt_rule_cache[i], 0, memory_order_seq_cst);
        }
    }
}
