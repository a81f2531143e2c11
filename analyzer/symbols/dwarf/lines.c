/*
 * lines.c -- the table that tells the source line of each instruction of a unit.
 */
#include "analyzer/symbols/dwarf/lines.h"

#include <stdlib.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/dwarf/constants.h"
#include "analyzer/symbols/dwarf/value.h"

#define MOST_FORMATS 16u /* of the columns of a list of files */

struct row_state {
    uint64_t address, file, line;
};

/* What runs the program of a table. */
struct run {
    const struct an_lines *lines;
    an_lines_row *row;
    void *context;
    struct row_state now, last;
    bool has_last; /* a row was told in this sequence */
    bool dropped;  /* the sequence is of code that is not there */
};

static void file_add(struct an_lines *lines, const char *name)
{
    if (lines->file_count == lines->file_room) {
        lines->file_room = lines->file_room == 0 ? 32 : lines->file_room * 2;
        lines->file = an_memory_resize(lines->file, lines->file_room, sizeof(*lines->file));
    }
    lines->file[lines->file_count++] = name;
}

/* DWARF 2 to 4: directories, then files, each list ended by an empty name. */
static void old_files(struct an_lines *lines, struct an_bytes *bytes)
{
    const char *name;
    lines->first_file = 1;
    while ((name = an_bytes_text(bytes)) != NULL && name[0] != '\0')
        continue;
    while ((name = an_bytes_text(bytes)) != NULL && name[0] != '\0') {
        for (int i = 0; i < 3; i++)
            an_bytes_unsigned(bytes);
        file_add(lines, name);
    }
}

/* DWARF 5: a list of which the columns are told. Result: false if it cannot be read. */
static bool new_list(struct an_lines *lines, const struct an_unit *unit, struct an_bytes *bytes,
                     bool files)
{
    struct an_abbreviated column[MOST_FORMATS];
    uint64_t kind[MOST_FORMATS];
    unsigned columns = an_bytes_u8(bytes);
    if (columns > MOST_FORMATS)
        return false;
    for (unsigned i = 0; i < columns; i++) {
        kind[i] = an_bytes_unsigned(bytes);
        column[i] = (struct an_abbreviated){.form = (uint16_t)an_bytes_unsigned(bytes)};
    }
    uint64_t count = an_bytes_unsigned(bytes);
    for (uint64_t at = 0; at < count && columns != 0 && !bytes->cut; at++) {
        const char *name = NULL;
        const uint8_t *before = bytes->at;
        for (unsigned i = 0; i < columns; i++) {
            struct an_value value;
            if (!an_value_read(unit, &column[i], bytes, &value))
                return false;
            if (kind[i] == DW_LNCT_path)
                name = an_value_text(unit, &value);
        }
        if (bytes->at == before)
            return false; /* items of no size: their count means nothing */
        if (files)
            file_add(lines, name);
    }
    return !bytes->cut;
}

/* Read the head. UNIT's offsets are those of the table's own. */
static bool head_read(struct an_lines *lines, struct an_unit *unit, struct an_bytes bytes)
{
    uint64_t size = an_bytes_u32(&bytes);
    unit->offset_bytes = size == UINT32_MAX ? 8 : 4;
    if (unit->offset_bytes == 8)
        size = an_bytes_number(&bytes, 8);
    bytes = an_bytes_take(&bytes, size);
    unsigned version = an_bytes_u16(&bytes);
    if (version < 2 || version > 5)
        return false;
    if (version >= 5) {
        unit->address_bytes = an_bytes_u8(&bytes);
        an_bytes_u8(&bytes); /* segment selectors */
    }
    uint64_t head = an_bytes_number(&bytes, unit->offset_bytes);
    lines->program = an_bytes_from(bytes, head);
    lines->instruction_bytes = an_bytes_u8(&bytes);
    if (version >= 4)
        an_bytes_u8(&bytes); /* operations of an instruction, 1 but on odd machines */
    an_bytes_u8(&bytes);     /* whether rows begin statements */
    lines->line_base = (int8_t)an_bytes_u8(&bytes);
    lines->line_range = an_bytes_u8(&bytes);
    lines->opcode_base = an_bytes_u8(&bytes);
    for (unsigned i = 1; i < lines->opcode_base; i++)
        lines->operands[i] = an_bytes_u8(&bytes);
    lines->address_bytes = unit->address_bytes;
    lines->offset_bytes = unit->offset_bytes;
    if (version < 5)
        old_files(lines, &bytes);
    else if (!new_list(lines, unit, &bytes, false) || !new_list(lines, unit, &bytes, true))
        return false;
    return lines->line_range != 0 && lines->opcode_base != 0 && !lines->program.cut;
}

bool an_lines_open(struct an_lines *lines, struct an_unit *unit)
{
    struct an_unit own = *unit;
    *lines = (struct an_lines){.dwarf = unit->dwarf};
    if (unit->lines == UINT64_MAX)
        return false;
    struct an_bytes bytes = an_dwarf_section(&unit->dwarf->sections, AN_DWARF_LINE);
    return head_read(lines, &own, an_bytes_from(bytes, unit->line_base + unit->lines));
}

void an_lines_release(struct an_lines *lines)
{
    free(lines->file);
    lines->file = NULL;
}

const char *an_lines_file(const struct an_lines *lines, uint64_t number)
{
    uint64_t at = number - lines->first_file;
    return at < lines->file_count ? lines->file[at] : NULL;
}

/* A row begins where the last one ends. */
static void row_tell(struct run *run)
{
    if (run->has_last && !run->dropped && run->now.address > run->last.address)
        run->row(run->context, (struct an_range){run->last.address, run->now.address},
                 run->last.file, run->last.line);
    if (!run->has_last)
        run->dropped = run->now.address < run->lines->dwarf->lowest_code;
    run->last = run->now;
    run->has_last = true;
}

static void sequence_begin(struct run *run)
{
    run->now = (struct row_state){.file = 1, .line = 1};
    run->has_last = false;
    run->dropped = false;
}

static void extended_run(struct run *run, struct an_bytes *program)
{
    uint64_t size = an_bytes_unsigned(program);
    struct an_bytes own = an_bytes_take(program, size);
    switch (an_bytes_u8(&own)) {
    case DW_LNE_end_sequence:
        row_tell(run);
        sequence_begin(run);
        break;
    case DW_LNE_set_address:
        run->now.address = an_bytes_number(&own, size == 5 ? 4 : 8);
        break;
    default:
        break; /* files that are defined here are long out of use */
    }
}

static void advance(struct run *run, uint64_t operation)
{
    run->now.address += operation * run->lines->instruction_bytes;
}

static void standard_run(struct run *run, unsigned opcode, struct an_bytes *program)
{
    const struct an_lines *lines = run->lines;
    switch (opcode) {
    case DW_LNS_copy:
        row_tell(run);
        break;
    case DW_LNS_advance_pc:
        advance(run, an_bytes_unsigned(program));
        break;
    case DW_LNS_advance_line:
        run->now.line += (uint64_t)an_bytes_signed(program);
        break;
    case DW_LNS_set_file:
        run->now.file = an_bytes_unsigned(program);
        break;
    case DW_LNS_const_add_pc:
        advance(run, (255u - lines->opcode_base) / lines->line_range);
        break;
    case DW_LNS_fixed_advance_pc:
        run->now.address += an_bytes_u16(program);
        break;
    default:
        for (unsigned i = 0; i < lines->operands[opcode]; i++)
            an_bytes_unsigned(program);
        break;
    }
}

void an_lines_run(const struct an_lines *lines, an_lines_row *row, void *context)
{
    struct run run = {.lines = lines, .row = row, .context = context};
    struct an_bytes program = lines->program;
    sequence_begin(&run);
    while (an_bytes_left(&program) != 0) {
        unsigned opcode = an_bytes_u8(&program);
        if (opcode >= lines->opcode_base) {
            unsigned special = opcode - lines->opcode_base;
            advance(&run, special / lines->line_range);
            run.now.line += (uint64_t)((int64_t)lines->line_base + special % lines->line_range);
            row_tell(&run);
        } else if (opcode == 0) {
            extended_run(&run, &program);
        } else {
            standard_run(&run, opcode, &program);
        }
    }
}
