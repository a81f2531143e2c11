#include "analyzer/symbols/dwarf/bytes.h"

#include <criterion/criterion.h>

#include "analyzer/symbols/dwarf/abbreviations.h"
#include "analyzer/symbols/dwarf/lines.h"

#define BYTES(...) bytes_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static struct an_bytes bytes_of(const uint8_t *at, size_t count)
{
    return (struct an_bytes){.at = at, .end = at + count};
}

Test(dwarf, numbers_of_any_length_are_read)
{
    struct an_bytes bytes = BYTES(0x7f, 0x80, 0x01, 0x7f, 0xff, 0x7e, 1, 2, 3, 4, 5, 6, 7, 0x88);
    cr_assert_eq(an_bytes_unsigned(&bytes), 127);
    cr_assert_eq(an_bytes_unsigned(&bytes), 128);
    cr_assert_eq(an_bytes_signed(&bytes), -1);
    cr_assert_eq(an_bytes_signed(&bytes), -129);
    cr_assert_eq(an_bytes_number(&bytes, 8), UINT64_C(0x8807060504030201));
    cr_assert_not(bytes.cut);
}

Test(dwarf, number_that_never_ends_ends_with_its_bytes)
{
    uint8_t endless[40];
    memset(endless, 0xff, sizeof(endless));
    struct an_bytes bytes = bytes_of(endless, sizeof(endless));
    cr_assert_eq(an_bytes_unsigned(&bytes), UINT64_MAX);
    cr_assert(bytes.cut);
    cr_assert_eq(an_bytes_left(&bytes), 0);
    cr_assert_eq(an_bytes_u32(&bytes), 0);
}

Test(dwarf, text_without_an_end_is_none)
{
    struct an_bytes bytes = BYTES('a', 0, 'b');
    cr_assert_str_eq(an_bytes_text(&bytes), "a");
    cr_assert_null(an_bytes_text(&bytes));
    cr_assert(bytes.cut);
}

Test(dwarf, parts_stay_inside)
{
    struct an_bytes bytes = BYTES(1, 2, 3, 4);
    struct an_bytes part = an_bytes_take(&bytes, 3);
    cr_assert_eq(an_bytes_left(&part), 3);
    cr_assert_eq(an_bytes_left(&bytes), 1);
    part = an_bytes_take(&bytes, UINT64_MAX);
    cr_assert_eq(an_bytes_left(&part), 1);
    cr_assert(bytes.cut);
    bytes = an_bytes_from(bytes, 1);
    cr_assert(bytes.cut);
}

/* Codes that are not 1, 2, 3: 0x11 is a unit, 0x2e a function; low_pc, and a constant line. */
Test(dwarf, abbreviations_are_found_by_any_code)
{
    struct an_abbreviations table;
    an_abbreviations_read(&table, BYTES(9, 0x11, 1, 0x11, 0x01, 0, 0, /**/
                                        4, 0x2e, 0, 0x59, 0x21, 0x7f, 0x77, 0x08, 0, 0, 0));
    cr_assert_eq(table.entry_count, 2);
    const struct an_abbreviation *unit = an_abbreviations_find(&table, 9);
    const struct an_abbreviation *function = an_abbreviations_find(&table, 4);
    cr_assert_eq(unit->tag, 0x11);
    cr_assert(unit->has_children);
    cr_assert_eq(function->count, 2);
    cr_assert_eq(table.attribute[function->first].slot, AN_SLOT_CALL_LINE);
    cr_assert_eq(table.attribute[function->first].constant, -1);
    cr_assert_eq(table.attribute[function->first + 1].slot, AN_SLOT_NONE);
    cr_assert_null(an_abbreviations_find(&table, 1));
    cr_assert_null(an_abbreviations_find(&table, 0));
    an_abbreviations_release(&table);
}

struct told {
    uint64_t low[8], high[8], line[8];
    int count;
};

static void on_row(void *context, struct an_range range, uint64_t file, uint64_t line)
{
    struct told *told = context;
    (void)file;
    told->low[told->count] = range.low;
    told->high[told->count] = range.high;
    told->line[told->count++] = line;
}

static void run(struct an_bytes program, struct told *ret_told)
{
    const struct an_dwarf dwarf = {.lowest_code = 0x100};
    const struct an_lines lines = {.dwarf = &dwarf,
                                   .program = program,
                                   .address_bytes = 8,
                                   .instruction_bytes = 1,
                                   .line_base = -5,
                                   .line_range = 14,
                                   .opcode_base = 13};
    *ret_told = (struct told){.count = 0};
    an_lines_run(&lines, on_row, ret_told);
}

Test(dwarf, rows_of_a_line_table_end_where_the_next_begins)
{
    struct told told;
    run(BYTES(0, 9, 2, 0, 2, 0, 0, 0, 0, 0, 0, /* address 0x200 */
              3, 9, 1,                         /* line 10, a row */
              13 + 14 * 4 + 5 + 2,             /* 4 bytes on, line 12, a row */
              2, 6, 0, 1, 1),                  /* 6 bytes on, the end */
        &told);
    cr_assert_eq(told.count, 2);
    cr_assert_eq(told.low[0], 0x200);
    cr_assert_eq(told.high[0], 0x204);
    cr_assert_eq(told.line[0], 10);
    cr_assert_eq(told.high[1], 0x20a);
    cr_assert_eq(told.line[1], 12);
}

Test(dwarf, lines_of_code_that_the_linker_dropped_are_left_out)
{
    struct told told;
    /* From 0 for 0x300 bytes: over where real code may be. */
    run(BYTES(0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0x80, 6, 0, 1, 1), &told);
    cr_assert_eq(told.count, 0);
}
