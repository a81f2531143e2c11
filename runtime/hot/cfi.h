/*
 * cfi.h -- what the call frame information (.eh_frame) says of one instruction.
 *
 * Words used here:
 *   CFA   canonical frame address: the caller's stack pointer after the return.
 *   row   how CFA, frame pointer and return address are found at one instruction.
 *   FDE, CIE  the record of one function, and what several of those share (DWARF 4, section 6.4).
 *
 * The bytes may be anything: every read is checked against the record's end and the section's
 * range, every sum and product against overflow, and no pointer in them is followed.
 *
 * x86-64 only: the register numbers and the word size are its own.
 *
 * Context of all functions: hot. No heap, no locks, no errno.
 */
#ifndef THAG_RT_CFI_H
#define THAG_RT_CFI_H

#include <stdbool.h>
#include <stdint.h>

/* DWARF register numbers of the x86-64 psABI. */
enum rt_register {
    RT_REGISTER_FP = 6,
    RT_REGISTER_SP = 7,
    RT_REGISTER_RETURN = 16,
};

/* The readable range [LOW, HIGH) of a loaded object, and its .eh_frame_hdr in it. */
struct rt_cfi_section {
    const uint8_t *header;
    const uint8_t *low;
    const uint8_t *high;
};

enum rt_place_kind {
    RT_PLACE_SAME = 0,   /* nothing said: the register still holds it */
    RT_PLACE_OFFSET,     /* in memory at CFA + offset; for the CFA itself: register + offset */
    RT_PLACE_EXPRESSION, /* in memory at the value of a DWARF expression; for the CFA itself: the
                            value of the expression */
    RT_PLACE_UNDEFINED,  /* said to be lost */
    RT_PLACE_OTHER,      /* in another register, or a computed value */
};

/* Where one value is found. */
struct rt_place {
    uint8_t kind;          /* enum rt_place_kind */
    uint8_t register_base; /* CFA only: DWARF register number, 255 for any above 254 */
    uint32_t expression_bytes;
    union {
        int64_t offset;
        const uint8_t *expression; /* inside the section */
    };
};

/* Always true after a successful read: cfa.kind is RT_PLACE_OFFSET or RT_PLACE_EXPRESSION. */
struct rt_cfi_row {
    struct rt_place cfa;
    struct rt_place fp;
    struct rt_place sp; /* anything but RT_PLACE_SAME: the caller's sp is not the CFA */
    struct rt_place ret;
    bool signal_frame; /* the frame was made by the kernel, its caller was interrupted */
};

/*
 * Read the row of the instruction at PC.
 *
 * Result:   0; -ENOENT if the section has no record for PC; -ENOTSUP if it has one of a form that
 *           is legal but not read here; -EINVAL if the bytes are broken.
 */
int rt_cfi_row_find(const struct rt_cfi_section *section, uintptr_t pc, struct rt_cfi_row *ret_row);

/*
 * Whether PLACE is the expression "register BASE plus offset", followed by a dereference if DEREF.
 *
 * Result:   true and the offset.
 */
bool rt_cfi_expression_is_offset(const struct rt_place *place, unsigned base, bool deref,
                                 int64_t *ret_offset);

#endif
