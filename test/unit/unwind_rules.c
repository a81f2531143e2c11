/* Unit tests of runtime/hot/cfi.c and runtime/hot/unwind_rules.c. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/hot/cfi.h"
#include "runtime/hot/unwind_rules.h"

#define PAGE  4096
#define BYTES 512

/* An .eh_frame_hdr with one function, its CIE and its FDE; the first byte is the header's. */
struct image {
    uint8_t bytes[BYTES];
    size_t size;
};

/* What is in it. Programs are byte strings; a NULL one is empty. */
struct wanted {
    const char *name;
    const char *augmentation; /* NULL: "zR" */
    const char *cie;          /* NULL: CFA = sp + 8, return address at CFA - 8 */
    size_t cie_bytes;
    const char *fde;
    size_t fde_bytes;
    unsigned pc; /* offset of the instruction in the function */
    enum rt_rule_kind kind;
    int64_t offset;
    int64_t slot;
};

#define PROGRAM(text) (text), sizeof(text) - 1
#define DEFAULT_CIE   NULL, 0

/* The function lies this far behind the header, and is this long. */
#define FUNCTION       0x1000u
#define FUNCTION_BYTES 0x100000u

static void put(struct image *image, const void *bytes, size_t count)
{
    cr_assert(image->size + count <= BYTES);
    memcpy(image->bytes + image->size, bytes, count);
    image->size += count;
}

static void put_u8(struct image *image, uint8_t value)
{
    put(image, &value, 1);
}

static void put_u32(struct image *image, uint32_t value)
{
    put(image, &value, 4);
}

static void set_u32(struct image *image, size_t at, uint32_t value)
{
    memcpy(image->bytes + at, &value, 4);
}

static void entry_close(struct image *image, size_t at)
{
    set_u32(image, at, (uint32_t)(image->size - at - 4));
}

static void put_cie(struct image *image, const struct wanted *wanted)
{
    const char *augmentation = wanted->augmentation ? wanted->augmentation : "zR";
    size_t at = image->size;
    put_u32(image, 0);
    put_u32(image, 0);
    put_u8(image, 1);
    put(image, augmentation, strlen(augmentation) + 1);
    put(image, "\x01\x78\x10\x01\x1b", 5); /* code * 1, data * -8, return 16, pc-relative sdata4 */
    if (wanted->cie) {
        put(image, wanted->cie, wanted->cie_bytes);
    } else {
        put(image, "\x0c\x07\x08\x90\x01", 5);
    }
    entry_close(image, at);
}

static struct image image_make(const struct wanted *wanted)
{
    struct image image = {.size = 0};
    put(&image, "\x01\x1b\x03\x3b", 4);
    put_u32(&image, 0);
    put_u32(&image, 1);
    put_u32(&image, FUNCTION);
    size_t table_fde = image.size;
    put_u32(&image, 0);
    size_t cie = image.size;
    put_cie(&image, wanted);
    size_t fde = image.size;
    set_u32(&image, table_fde, (uint32_t)fde);
    put_u32(&image, 0);
    put_u32(&image, (uint32_t)(image.size - cie));
    put_u32(&image, (uint32_t)(FUNCTION - image.size));
    put_u32(&image, FUNCTION_BYTES);
    put_u8(&image, 0);
    put(&image, wanted->fde, wanted->fde_bytes);
    entry_close(&image, fde);
    return image;
}

/* The first COUNT bytes of IMAGE in front of a page that cannot be read. */
static struct rt_cfi_section section_at_guard(const struct image *image, size_t count)
{
    static uint8_t *pages;
    if (!pages) {
        pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        cr_assert_neq((void *)pages, MAP_FAILED);
        cr_assert_eq(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
    }
    uint8_t *start = pages + PAGE - count;
    memcpy(start, image->bytes, count);
    return (struct rt_cfi_section){.header = start, .low = start, .high = pages + PAGE};
}

static uint64_t rule_of(const struct wanted *wanted)
{
    struct image image = image_make(wanted);
    struct rt_cfi_section section = section_at_guard(&image, image.size);
    return rt_rule_read(&section, (uintptr_t)section.header + FUNCTION + wanted->pc);
}

#define SLOW  RT_RULE_SLOW, 0, 0
#define GUESS RT_RULE_GUESS, 0, 0
#define END   RT_RULE_END, 0, 0

#define PLT "\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"
#define UCONTEXT                                                                                   \
    "\x0f\x04\x77\xa0\x01\x06" /* CFA = [sp + 160] */                                              \
    "\x10\x06\x03\x77\xf8\x00" /* rbp at sp + 120 */                                               \
    "\x10\x10\x03\x77\xa8\x01" /* rip at sp + 168 */

static const struct wanted wanted_rules[] = {
    {"CIE alone", NULL, DEFAULT_CIE, PROGRAM(""), 0, RT_RULE_SP, 8, 0},
    {"nop", NULL, DEFAULT_CIE, PROGRAM("\0\0\0"), 0, RT_RULE_SP, 8, 0},
    {"before an advance", NULL, DEFAULT_CIE, PROGRAM("\x41\x0e\x10\x86\x02"), 0, RT_RULE_SP, 8, 0},
    {"at an advance", NULL, DEFAULT_CIE, PROGRAM("\x41\x0e\x10\x86\x02"), 1, RT_RULE_SP, 16, 2},
    {"def_cfa_register", NULL, DEFAULT_CIE, PROGRAM("\x0e\x10\x86\x02\x0d\x06"), 0, RT_RULE_FP, 16,
     2},
    {"def_cfa", NULL, DEFAULT_CIE, PROGRAM("\x0c\x06\x80\x01"), 0, RT_RULE_FP, 128, 0},
    {"def_cfa_sf", NULL, DEFAULT_CIE, PROGRAM("\x12\x06\x7e"), 0, RT_RULE_FP, 16, 0},
    {"def_cfa_offset_sf", NULL, DEFAULT_CIE, PROGRAM("\x13\x7d"), 0, RT_RULE_SP, 24, 0},
    {"advance_loc1 not reached", NULL, DEFAULT_CIE, PROGRAM("\x02\x10\x0e\x18"), 15, RT_RULE_SP, 8,
     0},
    {"advance_loc1", NULL, DEFAULT_CIE, PROGRAM("\x02\x10\x0e\x18"), 16, RT_RULE_SP, 24, 0},
    {"advance_loc2", NULL, DEFAULT_CIE, PROGRAM("\x03\x00\x01\x0e\x18"), 256, RT_RULE_SP, 24, 0},
    {"advance_loc2 not reached", NULL, DEFAULT_CIE, PROGRAM("\x03\x00\x01\x0e\x18"), 255,
     RT_RULE_SP, 8, 0},
    {"advance_loc4", NULL, DEFAULT_CIE, PROGRAM("\x04\x00\x00\x01\x00\x0e\x18"), 65536, RT_RULE_SP,
     24, 0},
    {"advance_loc4 not reached", NULL, DEFAULT_CIE, PROGRAM("\x04\x00\x00\x01\x00\x0e\x18"), 65535,
     RT_RULE_SP, 8, 0},
    {"remember and restore", NULL, DEFAULT_CIE, PROGRAM("\x0e\x10\x0a\x0e\x20\x86\x02\x41\x0b"), 1,
     RT_RULE_SP, 16, 0},
    {"remembered, not yet restored", NULL, DEFAULT_CIE,
     PROGRAM("\x0e\x10\x0a\x0e\x20\x86\x02\x41\x0b"), 0, RT_RULE_SP, 32, 2},
    {"restore", NULL, DEFAULT_CIE, PROGRAM("\x0e\x10\x86\x02\xc6"), 0, RT_RULE_SP, 16, 0},
    {"restore_extended", NULL, DEFAULT_CIE, PROGRAM("\x0e\x10\x86\x02\x06\x06"), 0, RT_RULE_SP, 16,
     0},
    {"restore of the return address", NULL, DEFAULT_CIE, PROGRAM("\x07\x10\xd0"), 0, RT_RULE_SP, 8,
     0},
    {"offset_extended", NULL, DEFAULT_CIE, PROGRAM("\x05\x06\x03"), 0, RT_RULE_SP, 8, 3},
    {"offset_extended_sf", NULL, DEFAULT_CIE, PROGRAM("\x11\x06\x03"), 0, RT_RULE_SP, 8, 3},
    {"negative_offset_extended", NULL, DEFAULT_CIE, PROGRAM("\x2f\x03\x02\x05\x06\x02"), 0,
     RT_RULE_SP, 8, 2},
    {"same_value", NULL, DEFAULT_CIE, PROGRAM("\x86\x02\x08\x06"), 0, RT_RULE_SP, 8, 0},
    {"GNU_args_size", NULL, DEFAULT_CIE, PROGRAM("\x2e\x90\x01\x0e\x10"), 0, RT_RULE_SP, 16, 0},
    {"other registers do not matter", NULL, DEFAULT_CIE,
     PROGRAM("\x83\x02\x05\x0c\x03\x09\x0d\x0e\x14\x0f\x01\x15\x03\x01\x16\x0c\x02\x77\x08"
             "\x10\x0d\x02\x77\x10\x07\x0e\xc3"),
     0, RT_RULE_SP, 8, 0},
    {"return address undefined", NULL, DEFAULT_CIE, PROGRAM("\x07\x10"), 0, END},
    {"PLT stub, before the push", NULL, DEFAULT_CIE, PROGRAM(PLT), 10, RT_RULE_SP, 8, 0},
    {"PLT stub, after the push", NULL, DEFAULT_CIE, PROGRAM(PLT), 11, RT_RULE_SP, 16, 0},
    {"re-aligned stack, fp at [fp]", NULL, DEFAULT_CIE,
     PROGRAM("\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00"), 0, RT_RULE_DRAP, 8, 1},
    {"re-aligned stack, fp untouched", NULL, DEFAULT_CIE, PROGRAM("\x0f\x03\x76\x68\x06"), 0,
     RT_RULE_DRAP, 24, 0},
    {"re-aligned stack, fp elsewhere", NULL, DEFAULT_CIE,
     PROGRAM("\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x08"), 0, SLOW},
    {"signal frame", "zRS", DEFAULT_CIE, PROGRAM(UCONTEXT), 0, RT_RULE_SIGNAL, 0, 0},
    {"signal frame of another layout", "zRS", DEFAULT_CIE, PROGRAM(UCONTEXT "\x0e\x10"), 0, GUESS},
    {"signal frame, CFA elsewhere", "zRS", DEFAULT_CIE,
     PROGRAM(UCONTEXT "\x0f\x04\x77\xa8\x01\x06"), 0, SLOW},
    {"signal frame, rip elsewhere", "zRS", DEFAULT_CIE,
     PROGRAM(UCONTEXT "\x10\x10\x03\x77\xa0\x01"), 0, SLOW},
    {"ucontext in an ordinary frame", NULL, DEFAULT_CIE, PROGRAM(UCONTEXT), 0, SLOW},
    {"largest offset", NULL, DEFAULT_CIE, PROGRAM("\x0e\xf8\xff\x3f"), 0, RT_RULE_SP, 0xffff8, 0},
    {"offset too large", NULL, DEFAULT_CIE, PROGRAM("\x0e\x80\x80\x40"), 0, SLOW},
    {"offset under 8", NULL, DEFAULT_CIE, PROGRAM("\x0e\x00"), 0, SLOW},
    {"offset not of words", NULL, DEFAULT_CIE, PROGRAM("\x0e\x0c"), 0, SLOW},
    {"negative offset", NULL, DEFAULT_CIE, PROGRAM("\x13\x01"), 0, SLOW},
    {"largest slot", NULL, DEFAULT_CIE, PROGRAM("\x86\xff\x01"), 0, RT_RULE_SP, 8, 255},
    {"slot too far", NULL, DEFAULT_CIE, PROGRAM("\x86\x80\x02"), 0, SLOW},
    {"slot above the CFA", NULL, DEFAULT_CIE, PROGRAM("\x11\x06\x7f"), 0, SLOW},
    {"CFA on another register", NULL, DEFAULT_CIE, PROGRAM("\x0c\x03\x10"), 0, SLOW},
    {"CFA on register 262", NULL, DEFAULT_CIE, PROGRAM("\x0c\x86\x02\x10"), 0, SLOW},
    {"CFA by another expression", NULL, DEFAULT_CIE, PROGRAM("\x0f\x02\x77\x10"), 0, SLOW},
    {"return address elsewhere", NULL, DEFAULT_CIE, PROGRAM("\x90\x02"), 0, SLOW},
    {"return address in a register", NULL, DEFAULT_CIE, PROGRAM("\x09\x10\x00"), 0, SLOW},
    {"return address not said", NULL, PROGRAM("\x0c\x07\x08"), PROGRAM(""), 0, SLOW},
    {"fp in a register", NULL, DEFAULT_CIE, PROGRAM("\x09\x06\x03"), 0, SLOW},
    {"fp undefined", NULL, DEFAULT_CIE, PROGRAM("\x07\x06"), 0, SLOW},
    {"fp a value", NULL, DEFAULT_CIE, PROGRAM("\x14\x06\x02"), 0, SLOW},
    {"fp a computed value", NULL, DEFAULT_CIE, PROGRAM("\x16\x06\x02\x77\x08"), 0, SLOW},
    {"sp saved apart", NULL, DEFAULT_CIE, PROGRAM("\x87\x02"), 0, SLOW},
    {"unknown augmentation", "zRq", DEFAULT_CIE, PROGRAM(""), 0, SLOW},
    {"unknown instruction", NULL, DEFAULT_CIE, PROGRAM("\x3e"), 0, GUESS},
    {"restore without remember", NULL, DEFAULT_CIE, PROGRAM("\x0b"), 0, GUESS},
    {"too many remembered", NULL, DEFAULT_CIE, PROGRAM("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"), 0,
     GUESS},
    {"restore in the CIE", NULL, PROGRAM("\x0c\x07\x08\x90\x01\xc6"), PROGRAM(""), 0, GUESS},
    {"no CFA", NULL, PROGRAM("\x90\x01"), PROGRAM(""), 0, GUESS},
    {"offset of a CFA that has none", NULL, PROGRAM("\x90\x01\x0e\x10"), PROGRAM(""), 0, GUESS},
    {"operand cut off", NULL, DEFAULT_CIE, PROGRAM("\x0e"), 0, GUESS},
    {"number without an end", NULL, DEFAULT_CIE, PROGRAM("\x0e\x80\x80\x80"), 0, GUESS},
    {"number of 77 bits", NULL, DEFAULT_CIE,
     PROGRAM("\x0e\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), 0, GUESS},
    {"offset that overflows", NULL, DEFAULT_CIE,
     PROGRAM("\x13\x80\x80\x80\x80\x80\x80\x80\x80\xc0\x00"), 0, GUESS},
    {"expression longer than the program", NULL, DEFAULT_CIE, PROGRAM("\x0f\x20\x77\x08"), 0,
     GUESS},
    {"behind the function", NULL, DEFAULT_CIE, PROGRAM(""), FUNCTION_BYTES, GUESS},
};

Test(unwind_rules, row_becomes_the_rule_it_says)
{
    for (size_t i = 0; i < sizeof(wanted_rules) / sizeof(wanted_rules[0]); i++) {
        const struct wanted *wanted = &wanted_rules[i];
        /* The stub's place in its 16 bytes is taken from the address: give it one of 0. */
        struct wanted placed = *wanted;
        if (strncmp(wanted->name, "PLT", 3) == 0) {
            struct image image = image_make(wanted);
            placed.pc = ((0u - (unsigned)(PAGE - image.size)) & 15) + wanted->pc;
        }
        uint64_t rule = rule_of(&placed);
        cr_expect_eq(rule, rt_rule_make(wanted->kind, wanted->offset, wanted->slot),
                     "%s: kind %d offset %zu slot %zu", wanted->name, rt_rule_kind(rule),
                     rt_rule_offset(rule), rt_rule_slot(rule));
    }
}

Test(unwind_rules, set_loc_moves_to_an_address)
{
    /* pc-relative: the operand stands 1 byte into the FDE's program */
    struct wanted wanted = {.fde = "\x01\x00\x00\x00\x00\x0e\x20", .fde_bytes = 7};
    struct image image = image_make(&wanted);
    size_t operand = image.size - 6;
    set_u32(&image, operand, (uint32_t)(FUNCTION + 32 - operand));
    struct rt_cfi_section section = section_at_guard(&image, image.size);
    uintptr_t function = (uintptr_t)section.header + FUNCTION;
    cr_expect_eq(rt_rule_read(&section, function + 31), rt_rule_make(RT_RULE_SP, 8, 0));
    cr_expect_eq(rt_rule_read(&section, function + 32), rt_rule_make(RT_RULE_SP, 32, 0));
}

Test(unwind_rules, address_before_the_first_function_has_no_row)
{
    struct wanted wanted = {.fde = "", .pc = (unsigned)-1};
    cr_expect_eq(rule_of(&wanted), rt_rule_make(RT_RULE_GUESS, 0, 0));
}

Test(unwind_rules, section_cut_anywhere_is_read_no_further)
{
    for (size_t i = 0; i < sizeof(wanted_rules) / sizeof(wanted_rules[0]); i++) {
        struct image image = image_make(&wanted_rules[i]);
        for (size_t count = 0; count < image.size; count++) {
            struct rt_cfi_section section = section_at_guard(&image, count);
            struct rt_cfi_row row;
            uintptr_t pc = (uintptr_t)section.header + FUNCTION;
            cr_expect_neq(rt_cfi_row_find(&section, pc, &row), 0, "%s cut at %zu",
                          wanted_rules[i].name, count);
        }
    }
}

Test(unwind_rules, hostile_bytes_are_survived)
{
    uint64_t random = 88172645463325252u;
    for (unsigned round = 0; round < 400000; round++) {
        size_t count = sizeof(wanted_rules) / sizeof(wanted_rules[0]);
        struct image image = image_make(&wanted_rules[round % count]);
        for (unsigned change = 0; change < 1 + round % 3; change++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            image.bytes[random % image.size] = (uint8_t)(random >> 32);
        }
        struct rt_cfi_section section = section_at_guard(&image, image.size);
        rt_rule_read(&section, (uintptr_t)section.header + FUNCTION + (random >> 60));
    }
}

/* Some code to look up: 4 KiB of this program. */
static uintptr_t some_code(void)
{
    return (uintptr_t)rt_cfi_row_find & ~(uintptr_t)31;
}

static unsigned line_count(uintptr_t pc)
{
    unsigned count = 0;
    for (unsigned way = 0; way < RT_RULE_WAYS; way++) {
        count += rt_rule_line(pc)[way] != 0;
    }
    return count;
}

Test(unwind_rules, cached_rule_is_the_computed_one)
{
    uintptr_t code = some_code();
    uint64_t first[1024];
    for (unsigned i = 0; i < 1024; i++) {
        first[i] = rt_rule_fill(code + i, rt_rules_epoch());
        cr_assert_eq(rt_rule_find(code + i, rt_rules_epoch()), first[i]);
    }
    /* By now 32 addresses have fought for the 8 ways of each line. */
    for (unsigned i = 0; i < 1024; i++) {
        cr_assert_eq(rt_rule_find(code + i, rt_rules_epoch()), first[i], "at %u", i);
    }
}

Test(unwind_rules, second_look_up_hits_the_cache)
{
    uintptr_t code = some_code();
    uint64_t rule = rt_rule_find(code, rt_rules_epoch());
    cr_assert_eq(line_count(code), 1);
    /* Plant another one in its place: a hit must give this. */
    uint64_t planted = rt_rule_make(RT_RULE_FP, 0x1238, 77);
    cr_assert_neq(rule, planted);
    for (unsigned way = 0; way < RT_RULE_WAYS; way++) {
        if (rt_rule_line(code)[way]) {
            rt_rule_line(code)[way] = rt_rule_tag(code, rt_rules_epoch()) | planted;
        }
    }
    cr_assert_eq(rt_rule_find(code, rt_rules_epoch()), planted);
    cr_assert_eq(rt_rule_offset(planted), 0x1238);
    cr_assert_eq(rt_rule_slot(planted), 77);
    cr_assert_eq(rt_rule_kind(planted), RT_RULE_FP);
}

Test(unwind_rules, addresses_of_one_line_are_told_apart)
{
    /* Same line number, other high bits: all tags of 2^20 addresses must differ within a line. */
    uint64_t epoch = rt_rules_epoch();
    for (uintptr_t a = 0; a < 64; a++) {
        for (uintptr_t b = 0; b < a; b++) {
            uintptr_t pc = 0x7f0012345678u ^ a << 12, other = 0x7f0012345678u ^ b << 12;
            bool same_line = rt_rule_line(pc) == rt_rule_line(other);
            cr_assert(!same_line || rt_rule_tag(pc, epoch) != rt_rule_tag(other, epoch));
        }
    }
    for (unsigned bit = 0; bit < RT_RULE_PC_BITS; bit++) {
        uintptr_t pc = 0x555555554000u, other = pc ^ (uintptr_t)1 << bit;
        cr_assert(rt_rule_line(pc) != rt_rule_line(other) ||
                  rt_rule_tag(pc, epoch) != rt_rule_tag(other, epoch));
    }
}

Test(unwind_rules, forget_empties_the_cache)
{
    uintptr_t code = some_code();
    uint64_t rule = rt_rule_find(code, rt_rules_epoch());
    uint64_t before = rt_rules_epoch();
    rt_rules_forget();
    cr_assert_neq(rt_rules_epoch(), before);
    cr_assert_eq(line_count(code), 0);
    cr_assert_eq(rt_rule_find(code, rt_rules_epoch()), rule);
}

Test(unwind_rules, late_fill_does_not_stay)
{
    uintptr_t code = some_code();
    for (unsigned forgotten = 1; forgotten < 8; forgotten++) {
        uint64_t before = rt_rules_epoch();
        for (unsigned i = 0; i < forgotten; i++) {
            rt_rules_forget();
        }
        rt_rule_fill(code, before);
        /* Three epochs on, the bits come round: then the rule is one of the epoch that is now. */
        bool same_bits = rt_rules_epoch() == before;
        cr_assert_eq(line_count(code), same_bits, "after %u", forgotten);
        rt_rules_forget();
    }
}

Test(unwind_rules, word_of_another_epoch_is_not_used)
{
    uintptr_t code = some_code();
    uint64_t rule = rt_rule_find(code, rt_rules_epoch());
    uint64_t before = rt_rules_epoch();
    rt_rules_forget();
    for (unsigned way = 0; way < RT_RULE_WAYS; way++) {
        rt_rule_line(code)[way] = rt_rule_tag(code, before) | rt_rule_make(RT_RULE_FP, 0x1238, 77);
    }
    cr_assert_eq(rt_rule_find(code, rt_rules_epoch()), rule);
}

Test(unwind_rules, epoch_bits_are_never_those_of_an_empty_word)
{
    for (unsigned i = 0; i < 9; i++) {
        uint64_t before = rt_rules_epoch();
        cr_assert_neq(before, 0);
        rt_rules_forget();
        cr_assert_neq(rt_rules_epoch(), before);
    }
}

Test(unwind_rules, address_without_a_module_is_a_guess)
{
    void *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_eq(rt_rule_kind(rt_rule_find((uintptr_t)page, rt_rules_epoch())), RT_RULE_GUESS);
}
