/* cfi.c -- reads .eh_frame: header table, CIE, FDE and their call frame programs. */
#include "runtime/hot/cfi.h"

#include <errno.h>
#include <stddef.h>

#include "runtime/hot/rt_forbid.h"

/* Pointer encodings of .eh_frame (LSB Core, "DWARF Extensions"). */
enum {
    ENCODING_FORMAT = 0x0f,
    ENCODING_ABSOLUTE = 0x00,
    ENCODING_ULEB128 = 0x01,
    ENCODING_UDATA2 = 0x02,
    ENCODING_UDATA4 = 0x03,
    ENCODING_UDATA8 = 0x04,
    ENCODING_SLEB128 = 0x09,
    ENCODING_SDATA2 = 0x0a,
    ENCODING_SDATA4 = 0x0b,
    ENCODING_SDATA8 = 0x0c,
    ENCODING_BASE = 0x70,
    ENCODING_FROM_HERE = 0x10,
    ENCODING_FROM_HEADER = 0x30,
    ENCODING_INDIRECT = 0x80,
    ENCODING_OMITTED = 0xff,
    ENCODING_TABLE = ENCODING_FROM_HEADER | ENCODING_SDATA4,
};

/* Call frame instructions. The first three carry an operand in their low six bits. */
enum {
    CFA_ADVANCE_LOC = 0x40,
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0,
    CFA_NOP = 0x00,
    CFA_SET_LOC = 0x01,
    CFA_ADVANCE_LOC1 = 0x02,
    CFA_ADVANCE_LOC2 = 0x03,
    CFA_ADVANCE_LOC4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME_VALUE = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER_STATE = 0x0a,
    CFA_RESTORE_STATE = 0x0b,
    CFA_DEF_CFA = 0x0c,
    CFA_DEF_CFA_REGISTER = 0x0d,
    CFA_DEF_CFA_OFFSET = 0x0e,
    CFA_DEF_CFA_EXPRESSION = 0x0f,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_EXTENDED_SF = 0x11,
    CFA_DEF_CFA_SF = 0x12,
    CFA_DEF_CFA_OFFSET_SF = 0x13,
    CFA_VAL_OFFSET = 0x14,
    CFA_VAL_OFFSET_SF = 0x15,
    CFA_VAL_EXPRESSION = 0x16,
    CFA_GNU_ARGS_SIZE = 0x2e,
    CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

enum {
    OP_DEREF = 0x06,
    OP_BREG0 = 0x70,
};

/* Compilers remember one state at a time; nesting comes from hand-written code. */
#define REMEMBERED_STATES 8

/* A run of bytes. After the first read past END it is BAD and yields zeros. */
struct bytes {
    const uint8_t *at;
    const uint8_t *end;
    bool bad;
};

struct cie {
    struct bytes program;
    uint64_t code_align;
    int64_t data_align;
    uint8_t pointer_encoding;
    bool augmentation_sized; /* each FDE has augmentation data with its length before it */
    bool signal_frame;
};

/* One run of a call frame program. */
struct program {
    struct bytes bytes;
    const struct cie *cie;
    const uint8_t *header;
    uintptr_t location; /* the row so far holds from here on */
    uintptr_t pc;
    struct rt_cfi_row *row;
    const struct rt_cfi_row *initial; /* as the CIE left it; NULL while that runs */
    struct rt_cfi_row remembered[REMEMBERED_STATES];
    unsigned remembered_count;
};

static uint64_t bytes_read(struct bytes *bytes, unsigned count)
{
    if (bytes->bad || (size_t)(bytes->end - bytes->at) < count) {
        bytes->bad = true;
        return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++) {
        value |= (uint64_t)bytes->at[i] << (8 * i);
    }
    bytes->at += count;
    return value;
}

static int64_t bytes_read_signed(struct bytes *bytes, unsigned count)
{
    unsigned unused_bits = 64 - 8 * count;
    return (int64_t)(bytes_read(bytes, count) << unused_bits) >> unused_bits;
}

static void bytes_skip(struct bytes *bytes, uint64_t count)
{
    if (bytes->bad || (uint64_t)(bytes->end - bytes->at) < count) {
        bytes->bad = true;
        return;
    }
    bytes->at += count;
}

/* LEB128 of at most 64 bits; longer ones can only be broken or padding that nobody writes here. */
static uint64_t bytes_read_leb128(struct bytes *bytes, bool is_signed)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = (uint8_t)bytes_read(bytes, 1);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80) {
            continue;
        }
        if (is_signed && (byte & 0x40) && shift + 7 < 64) {
            value |= ~UINT64_C(0) << (shift + 7);
        }
        return value;
    }
    bytes->bad = true;
    return 0;
}

static uint64_t bytes_read_unsigned_leb128(struct bytes *bytes)
{
    return bytes_read_leb128(bytes, false);
}

static int64_t bytes_read_signed_leb128(struct bytes *bytes)
{
    return (int64_t)bytes_read_leb128(bytes, true);
}

static uint64_t bytes_read_format(struct bytes *bytes, uint8_t encoding)
{
    switch (encoding & ENCODING_FORMAT) {
    case ENCODING_ABSOLUTE:
    case ENCODING_UDATA8:
    case ENCODING_SDATA8:
        return bytes_read(bytes, 8);
    case ENCODING_ULEB128:
        return bytes_read_unsigned_leb128(bytes);
    case ENCODING_UDATA2:
        return bytes_read(bytes, 2);
    case ENCODING_UDATA4:
        return bytes_read(bytes, 4);
    case ENCODING_SLEB128:
        return (uint64_t)bytes_read_signed_leb128(bytes);
    case ENCODING_SDATA2:
        return (uint64_t)bytes_read_signed(bytes, 2);
    case ENCODING_SDATA4:
        return (uint64_t)bytes_read_signed(bytes, 4);
    default:
        bytes->bad = true;
        return 0;
    }
}

/* An encoded pointer. An indirect one would have us follow an address from the file: refused. */
static uintptr_t bytes_read_pointer(struct bytes *bytes, uint8_t encoding, const uint8_t *header)
{
    uintptr_t here = (uintptr_t)bytes->at;
    uintptr_t value = bytes_read_format(bytes, encoding);
    uintptr_t base = 0;
    switch (encoding & (ENCODING_BASE | ENCODING_INDIRECT)) {
    case 0:
        break;
    case ENCODING_FROM_HERE:
        base = here;
        break;
    case ENCODING_FROM_HEADER:
        base = (uintptr_t)header;
        break;
    default:
        bytes->bad = true;
    }
    return base + value; /* wraps for negative offsets, as meant */
}

static bool section_has(const struct rt_cfi_section *section, const uint8_t *at, uint64_t count)
{
    return at >= section->low && at <= section->high && (uint64_t)(section->high - at) >= count;
}

/*
 * The bytes of the CIE or FDE at AT, behind its length. AT is inside the section only if the file
 * is sound.
 */
static int entry_open(const struct rt_cfi_section *section, const uint8_t *at,
                      struct bytes *ret_bytes)
{
    if (!section_has(section, at, 4)) {
        return -EINVAL;
    }
    struct bytes bytes = {.at = at, .end = section->high};
    uint64_t length = bytes_read(&bytes, 4);
    if (length == UINT32_MAX) {
        return -ENOTSUP; /* 64-bit DWARF: no tool writes it into .eh_frame */
    }
    if (length < 4 || !section_has(section, bytes.at, length)) {
        return -EINVAL;
    }
    bytes.end = bytes.at + length;
    *ret_bytes = bytes;
    return 0;
}

/* The augmentation letters behind the 'z'. LETTERS is as long as the string and its NUL. */
static int cie_read_augmentation(struct bytes *bytes, const char *letters, struct cie *cie)
{
    uint64_t data_bytes = bytes_read_unsigned_leb128(bytes);
    struct bytes data = *bytes;
    bytes_skip(bytes, data_bytes);
    if (bytes->bad) {
        return -EINVAL;
    }
    data.end = bytes->at;
    cie->augmentation_sized = true;
    for (; *letters; letters++) {
        switch (*letters) {
        case 'R':
            cie->pointer_encoding = (uint8_t)bytes_read(&data, 1);
            break;
        case 'L':
            bytes_skip(&data, 1);
            break;
        case 'P': {
            uint8_t encoding = (uint8_t)bytes_read(&data, 1);
            bytes_read_format(&data, encoding);
            break;
        }
        case 'S':
            cie->signal_frame = true;
            break;
        default:
            return -ENOTSUP;
        }
    }
    return data.bad ? -EINVAL : 0;
}

static int cie_read(const struct rt_cfi_section *section, const uint8_t *at, struct cie *ret_cie)
{
    struct bytes bytes;
    int error = entry_open(section, at, &bytes);
    if (error) {
        return error;
    }
    if (bytes_read(&bytes, 4) != 0) {
        return -EINVAL; /* an FDE, not a CIE */
    }
    uint64_t version = bytes_read(&bytes, 1);
    const char *letters = (const char *)bytes.at;
    while (bytes_read(&bytes, 1) != 0) {
    }
    if (bytes.bad) {
        return -EINVAL;
    }
    if (version != 1 && version != 3) {
        return -ENOTSUP;
    }
    struct cie cie = {.pointer_encoding = ENCODING_ABSOLUTE};
    cie.code_align = bytes_read_unsigned_leb128(&bytes);
    cie.data_align = bytes_read_signed_leb128(&bytes);
    uint64_t ret = version == 1 ? bytes_read(&bytes, 1) : bytes_read_unsigned_leb128(&bytes);
    if (!bytes.bad && ret != RT_REGISTER_RETURN) {
        return -ENOTSUP;
    }
    if (*letters == 'z') {
        error = cie_read_augmentation(&bytes, letters + 1, &cie);
    } else if (*letters) {
        error = -ENOTSUP;
    }
    if (error || bytes.bad) {
        return error ? error : -EINVAL;
    }
    cie.program = bytes;
    *ret_cie = cie;
    return 0;
}

static struct rt_place *row_place(struct rt_cfi_row *row, uint64_t number)
{
    switch (number) {
    case RT_REGISTER_FP:
        return &row->fp;
    case RT_REGISTER_SP:
        return &row->sp;
    case RT_REGISTER_RETURN:
        return &row->ret;
    default:
        return NULL;
    }
}

static void place_set(struct program *program, uint64_t number, enum rt_place_kind kind)
{
    struct rt_place *place = row_place(program->row, number);
    if (place) {
        *place = (struct rt_place){.kind = (uint8_t)kind};
    }
}

/* OFFSET counts in units of the data alignment. */
static void place_set_offset(struct program *program, uint64_t number, int64_t offset)
{
    struct rt_place *place = row_place(program->row, number);
    int64_t bytes;
    if (__builtin_mul_overflow(offset, program->cie->data_align, &bytes)) {
        program->bytes.bad = true;
    } else if (place) {
        *place = (struct rt_place){.kind = RT_PLACE_OFFSET, .offset = bytes};
    }
}

/* An unsigned operand of an instruction that places a register in memory. */
static int64_t program_read_offset(struct program *program)
{
    uint64_t offset = bytes_read_unsigned_leb128(&program->bytes);
    if (offset > INT64_MAX) {
        program->bytes.bad = true;
        return 0;
    }
    return (int64_t)offset;
}

static void place_restore(struct program *program, uint64_t number)
{
    struct rt_place *place = row_place(program->row, number);
    if (!program->initial) {
        program->bytes.bad = true; /* in the CIE itself there is nothing to go back to */
    } else if (place) {
        struct rt_cfi_row initial = *program->initial;
        *place = *row_place(&initial, number);
    }
}

static void place_set_expression(struct program *program, struct rt_place *place)
{
    uint64_t length = bytes_read_unsigned_leb128(&program->bytes);
    const uint8_t *expression = program->bytes.at;
    bytes_skip(&program->bytes, length);
    if (place && !program->bytes.bad) {
        *place = (struct rt_place){.kind = RT_PLACE_EXPRESSION,
                                   .expression_bytes = (uint32_t)length,
                                   .expression = expression};
    }
}

static void program_advance(struct program *program, uint64_t delta)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(delta, program->cie->code_align, &bytes) ||
        __builtin_add_overflow(program->location, bytes, &program->location)) {
        program->bytes.bad = true;
    }
}

static void program_state_remember(struct program *program)
{
    if (program->remembered_count == REMEMBERED_STATES) {
        program->bytes.bad = true;
        return;
    }
    program->remembered[program->remembered_count++] = *program->row;
}

static void program_state_restore(struct program *program)
{
    if (program->remembered_count == 0) {
        program->bytes.bad = true;
        return;
    }
    *program->row = program->remembered[--program->remembered_count];
}

static void cfa_set_register(struct program *program, uint64_t number)
{
    program->row->cfa.register_base = number < UINT8_MAX ? (uint8_t)number : UINT8_MAX;
}

static void cfa_set_offset(struct program *program, int64_t offset, int64_t unit)
{
    struct rt_place *cfa = &program->row->cfa;
    if (__builtin_mul_overflow(offset, unit, &cfa->offset)) {
        program->bytes.bad = true;
    }
    cfa->kind = RT_PLACE_OFFSET;
}

/* Half of "register + offset" can only be changed where there is a whole one. */
static void cfa_require_offset(struct program *program)
{
    if (program->row->cfa.kind != RT_PLACE_OFFSET) {
        program->bytes.bad = true;
    }
}

/* Instructions that move the location or say where the CFA is. False: not one of them. */
static bool program_step_location_or_cfa(struct program *program, uint8_t opcode)
{
    struct bytes *bytes = &program->bytes;
    switch (opcode) {
    case CFA_SET_LOC:
        program->location =
            bytes_read_pointer(bytes, program->cie->pointer_encoding, program->header);
        return true;
    case CFA_ADVANCE_LOC1:
        program_advance(program, bytes_read(bytes, 1));
        return true;
    case CFA_ADVANCE_LOC2:
        program_advance(program, bytes_read(bytes, 2));
        return true;
    case CFA_ADVANCE_LOC4:
        program_advance(program, bytes_read(bytes, 4));
        return true;
    case CFA_DEF_CFA:
        cfa_set_register(program, bytes_read_unsigned_leb128(bytes));
        cfa_set_offset(program, program_read_offset(program), 1);
        return true;
    case CFA_DEF_CFA_SF:
        cfa_set_register(program, bytes_read_unsigned_leb128(bytes));
        cfa_set_offset(program, bytes_read_signed_leb128(bytes), program->cie->data_align);
        return true;
    case CFA_DEF_CFA_REGISTER:
        cfa_require_offset(program);
        cfa_set_register(program, bytes_read_unsigned_leb128(bytes));
        return true;
    case CFA_DEF_CFA_OFFSET:
        cfa_require_offset(program);
        cfa_set_offset(program, program_read_offset(program), 1);
        return true;
    case CFA_DEF_CFA_OFFSET_SF:
        cfa_require_offset(program);
        cfa_set_offset(program, bytes_read_signed_leb128(bytes), program->cie->data_align);
        return true;
    case CFA_DEF_CFA_EXPRESSION:
        place_set_expression(program, &program->row->cfa);
        return true;
    default:
        return false;
    }
}

/* Instructions about one register. False: not one of them. */
static bool program_step_register(struct program *program, uint8_t opcode)
{
    struct bytes *bytes = &program->bytes;
    if (opcode < CFA_OFFSET_EXTENDED ||
        (opcode > CFA_VAL_EXPRESSION && opcode != CFA_GNU_NEGATIVE_OFFSET_EXTENDED)) {
        return false;
    }
    uint64_t number = bytes_read_unsigned_leb128(bytes);
    switch (opcode) {
    case CFA_OFFSET_EXTENDED:
        place_set_offset(program, number, program_read_offset(program));
        return true;
    case CFA_OFFSET_EXTENDED_SF:
        place_set_offset(program, number, bytes_read_signed_leb128(bytes));
        return true;
    case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
        place_set_offset(program, number, -program_read_offset(program));
        return true;
    case CFA_RESTORE_EXTENDED:
        place_restore(program, number);
        return true;
    case CFA_UNDEFINED:
        place_set(program, number, RT_PLACE_UNDEFINED);
        return true;
    case CFA_SAME_VALUE:
        place_set(program, number, RT_PLACE_SAME);
        return true;
    case CFA_EXPRESSION:
        place_set_expression(program, row_place(program->row, number));
        return true;
    case CFA_REGISTER:
    case CFA_VAL_OFFSET:
    case CFA_VAL_OFFSET_SF:
        bytes_read_unsigned_leb128(bytes); /* signed ones have the same length */
        place_set(program, number, RT_PLACE_OTHER);
        return true;
    case CFA_VAL_EXPRESSION:
        place_set_expression(program, NULL);
        place_set(program, number, RT_PLACE_OTHER);
        return true;
    default:
        return false;
    }
}

static void program_step(struct program *program)
{
    uint8_t opcode = (uint8_t)bytes_read(&program->bytes, 1);
    uint8_t operand = opcode & 0x3f;
    switch (opcode & 0xc0) {
    case CFA_ADVANCE_LOC:
        program_advance(program, operand);
        return;
    case CFA_OFFSET:
        place_set_offset(program, operand, program_read_offset(program));
        return;
    case CFA_RESTORE:
        place_restore(program, operand);
        return;
    }
    switch (opcode) {
    case CFA_NOP:
        return;
    case CFA_REMEMBER_STATE:
        program_state_remember(program);
        return;
    case CFA_RESTORE_STATE:
        program_state_restore(program);
        return;
    case CFA_GNU_ARGS_SIZE:
        bytes_read_unsigned_leb128(&program->bytes);
        return;
    }
    if (!program_step_location_or_cfa(program, opcode) && !program_step_register(program, opcode)) {
        program->bytes.bad = true;
    }
}

/* Runs BYTES until they end or the location passes the pc. */
static int program_run(struct program *program, struct bytes bytes)
{
    program->bytes = bytes;
    while (!program->bytes.bad && program->bytes.at < program->bytes.end) {
        program_step(program);
        if (program->location > program->pc) {
            break;
        }
    }
    return program->bytes.bad ? -EINVAL : 0;
}

static int32_t table_read(const uint8_t *at)
{
    struct bytes bytes = {.at = at, .end = at + 4};
    return (int32_t)bytes_read(&bytes, 4);
}

/*
 * Binary search in .eh_frame_hdr: pairs of (function start, FDE), 32 bits each, counted from the
 * header. Its order is not trusted: a wrong one leads to a wrong FDE, and that is checked.
 */
static int header_search(const struct rt_cfi_section *section, uintptr_t pc,
                         const uint8_t **ret_fde)
{
    const uint8_t *header = section->header;
    if (!section_has(section, header, 4)) {
        return -EINVAL;
    }
    struct bytes bytes = {.at = header, .end = section->high};
    uint32_t encodings = (uint32_t)bytes_read(&bytes, 4);
    uint8_t count_encoding = (uint8_t)(encodings >> 16);
    if ((encodings & 0xff) != 1 || count_encoding == ENCODING_OMITTED ||
        encodings >> 24 != ENCODING_TABLE) {
        return -ENOTSUP;
    }
    bytes_read_pointer(&bytes, (uint8_t)(encodings >> 8), header);
    uint64_t count = bytes_read_pointer(&bytes, count_encoding, header);
    if (bytes.bad || count > (uint64_t)(bytes.end - bytes.at) / 8) {
        return -EINVAL;
    }
    int64_t wanted = (int64_t)(pc - (uintptr_t)header);
    if (count == 0 || wanted < table_read(bytes.at)) {
        return -ENOENT;
    }
    uint64_t low = 0;
    while (count - low > 1) {
        uint64_t middle = low + (count - low) / 2;
        if (table_read(bytes.at + 8 * middle) <= wanted) {
            low = middle;
        } else {
            count = middle;
        }
    }
    /* By way of integers: the sum may lie anywhere, and is checked by the one who opens it. */
    *ret_fde = (const uint8_t *)((uintptr_t)header +
                                 (uintptr_t)(int64_t)table_read(bytes.at + 8 * low + 4));
    return 0;
}

/* Opens the FDE at AT and its CIE, and leaves RET_BYTES at the FDE's call frame program. */
static int fde_read(const struct rt_cfi_section *section, const uint8_t *at, uintptr_t pc,
                    struct cie *ret_cie, struct bytes *ret_bytes, uintptr_t *ret_start)
{
    struct bytes bytes;
    int error = entry_open(section, at, &bytes);
    if (error) {
        return error;
    }
    const uint8_t *field = bytes.at;
    uint64_t back = bytes_read(&bytes, 4);
    if (back == 0) {
        return -EINVAL; /* a CIE, not an FDE */
    }
    error = cie_read(section, (const uint8_t *)((uintptr_t)field - back), ret_cie);
    if (error) {
        return error;
    }
    uintptr_t start = bytes_read_pointer(&bytes, ret_cie->pointer_encoding, section->header);
    uintptr_t length = bytes_read_format(&bytes, ret_cie->pointer_encoding);
    if (ret_cie->augmentation_sized) {
        bytes_skip(&bytes, bytes_read_unsigned_leb128(&bytes));
    }
    if (bytes.bad) {
        return -EINVAL;
    }
    if (pc < start || pc - start >= length) {
        return -ENOENT;
    }
    *ret_bytes = bytes;
    *ret_start = start;
    return 0;
}

int rt_cfi_row_find(const struct rt_cfi_section *section, uintptr_t pc, struct rt_cfi_row *ret_row)
{
    const uint8_t *fde;
    int error = header_search(section, pc, &fde);
    if (error) {
        return error;
    }
    struct cie cie;
    struct bytes bytes;
    uintptr_t start;
    error = fde_read(section, fde, pc, &cie, &bytes, &start);
    if (error) {
        return error;
    }
    struct rt_cfi_row row = {.signal_frame = cie.signal_frame};
    struct program program = {.cie = &cie, .header = section->header, .row = &row, .pc = pc};
    error = program_run(&program, cie.program);
    if (error) {
        return error;
    }
    const struct rt_cfi_row initial = row;
    program.initial = &initial;
    program.location = start;
    program.remembered_count = 0;
    error = program_run(&program, bytes);
    if (error) {
        return error;
    }
    if (row.cfa.kind != RT_PLACE_OFFSET && row.cfa.kind != RT_PLACE_EXPRESSION) {
        return -EINVAL;
    }
    *ret_row = row;
    return 0;
}

bool rt_cfi_expression_is_offset(const struct rt_place *place, unsigned base, bool deref,
                                 int64_t *ret_offset)
{
    if (place->kind != RT_PLACE_EXPRESSION) {
        return false;
    }
    struct bytes bytes = {.at = place->expression,
                          .end = place->expression + place->expression_bytes};
    if (bytes_read(&bytes, 1) != OP_BREG0 + base) {
        return false;
    }
    int64_t offset = bytes_read_signed_leb128(&bytes);
    if (deref && bytes_read(&bytes, 1) != OP_DEREF) {
        return false;
    }
    if (bytes.bad || bytes.at != bytes.end) {
        return false;
    }
    *ret_offset = offset;
    return true;
}
