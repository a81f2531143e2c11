/*
 * declarations.c -- declarations without a body that say something about a later one.
 */
#include "instrument/header.h"
#include "instrument/scanner.h"

/* Declarations of K&R parameters have no more tokens. */
#define OLD_STYLE_ITEMS 64

/*
 * The declaration of a K&R parameter; or the head of a definition with the first of them.
 * Result:   true if it was one.
 */
static bool declarations_old_style(struct in_scanner *scanner)
{
    struct in_frame *top = &scanner->frames.top;
    struct in_old_style *old = &top->old_style;
    uint32_t name, left;
    if (old->name_end > old->name_start && top->item_count > 0 && old->left > 0) {
        old->left--;
        return true;
    }
    old->name_end = old->name_start;
    if (top->item_count > OLD_STYLE_ITEMS)
        return false;
    uint32_t count = in_frames_items(&scanner->frames, scanner->items, OLD_STYLE_ITEMS);
    if (!in_header_is_old_style(&scanner->lexer, scanner->items, count, &name, &left))
        return false;
    old->name_start = scanner->items[name].start;
    old->name_end = scanner->items[name].end;
    old->left = (uint16_t)(left < UINT16_MAX ? left : UINT16_MAX);
    old->reasons = in_header_reasons(&scanner->lexer, scanner->items, name, name);
    /* It may as well be a prototype with attributes. */
    return false;
}

/* "void f(void) __attribute__((naked));" holds for the definition of f. */
static void declarations_note(struct in_scanner *scanner)
{
    uint32_t count = in_frames_items(&scanner->frames, scanner->items, IN_ITEMS_LIMIT);
    struct in_header header = in_header_read(&scanner->lexer, scanner->items, count);
    uint16_t reasons = header.reasons & IN_REASONS_DECLARED;
    if (header.kind == IN_HEADER_FUNCTION && reasons != 0)
        in_facts_note(scanner, header.name_start, header.name_end, reasons);
}

void in_declarations_end(struct in_scanner *scanner)
{
    const struct in_frame *top = &scanner->frames.top;
    bool parameter = !scanner->lexer.cplusplus && declarations_old_style(scanner);
    if (!parameter && top->attributed)
        declarations_note(scanner);
}
