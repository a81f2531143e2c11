/*
 * frames.h -- where in a source we are: the brackets that are open, and the declaration so far.
 *
 * The open brackets are frames. A frame that may hold declarations has a list of items: the tokens
 * of the current declaration, each closed bracket one item. At an #if all of that must be kept, to
 * begin each branch from the same place. So frames and items are never changed once something else
 * was put on top of them; a place in the source is one struct in_frame, and keeping it is a copy.
 *
 * What was put on top is given back when its bracket closes, but not below the place that the
 * innermost open #if keeps.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_FRAMES_H
#define THAG_IN_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "instrument/lexer.h"

#define IN_NONE UINT32_MAX

/* A token of a declaration, or a closed bracket: then SIGN is the opening one. */
struct in_item {
    uint32_t start, end; /* a bracket's with both its ends */
    uint32_t before;     /* the item before it, IN_NONE at the first */
    uint8_t sign;
    uint8_t word;
};

enum in_frame_kind {
    IN_FRAME_DECLARATIONS, /* the file, a namespace, a linkage block */
    IN_FRAME_CLASS,
    IN_FRAME_CODE, /* all other braces: bodies, blocks, initialisers, enumerators */
    IN_FRAME_PAREN,
    IN_FRAME_BRACKET,
};

/* A K&R definition whose parameters are being declared. */
struct in_old_style {
    uint32_t name_start, name_end; /* equal: there is none */
    uint32_t start;                /* of the definition */
    uint16_t reasons;              /* enum in_reason bits of its head */
    uint16_t left;                 /* declarations that may still come */
};

struct in_frame {
    uint8_t kind;         /* enum in_frame_kind */
    bool global;          /* declarations here are of the global namespace */
    bool continues;       /* its closing brace is an item of the declaration around it */
    bool attributed;      /* the current declaration has words that may be attributes */
    bool lambda_begun;    /* a [ was seen where a lambda may begin; the next { is its body */
    uint32_t depth;       /* frames around it */
    uint32_t outer;       /* the one around it, IN_NONE of the file */
    uint32_t open;        /* offset of its bracket */
    uint32_t function;    /* whose body this brace opens, IN_NONE if no function's */
    uint32_t owner;       /* in whose body this is, IN_NONE in none or in a lambda */
    uint32_t items_below; /* items that were there before it */
    uint32_t last_item;   /* of the current declaration, IN_NONE at its start */
    uint32_t item_count;
    struct in_old_style old_style;
};

struct in_frames {
    struct in_frame top;
    struct in_frame *outer; /* those around it, and those that an open #if keeps */
    struct in_item *items;
    uint32_t outer_used, outer_room, outer_floor;
    uint32_t items_used, items_room, items_floor;
};

/* At the start of a source: one frame, of declarations. Ended by in_frames_release(). */
void in_frames_start(struct in_frames *frames);
void in_frames_release(struct in_frames *frames);

/* Open a bracket. The new frame has the owner of the one around it. */
void in_frames_push(struct in_frames *frames, enum in_frame_kind kind, uint32_t open);

/* Close the top frame, which is not the file's. Result: what it was. */
struct in_frame in_frames_pop(struct in_frames *frames);

/* One more item of the current declaration. */
void in_frames_add(struct in_frames *frames, const struct in_item *item);

/* The current declaration is over. */
void in_frames_clear(struct in_frames *frames);

/*
 * The last items of the current declaration, first to last.
 *
 * Inputs:   RET_ITEMS has room for LIMIT.
 * Result:   their number, at most LIMIT: of more the first are left out.
 */
uint32_t in_frames_items(const struct in_frames *frames, struct in_item *ret_items, uint32_t limit);

/* Keep what there is, for in_frames.top may be set back to the present one. */
void in_frames_keep(struct in_frames *frames);

/* Keep no more than these; the fields OUTER_FLOOR and ITEMS_FLOOR as they were earlier. */
void in_frames_unkeep(struct in_frames *frames, uint32_t outer_floor, uint32_t items_floor);

#endif
