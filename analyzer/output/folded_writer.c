/*
 * folded_writer.c -- a call tree as folded stacks.
 *
 * The line being made is kept as text; going down appends a frame and going up cuts it off, so each
 * frame is made fit once per node and not once per line below it.
 */
#include "analyzer/output/folded_writer.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/walk.h"
#include "analyzer/output/amount.h"
#include "analyzer/output/escape.h"
#include "analyzer/support/memory.h"

struct folded_line {
    char *text;
    size_t bytes, room;
};

static void folded_line_add(struct folded_line *line, const char *text, size_t bytes)
{
    if (line->bytes + bytes > line->room) {
        line->room = (line->bytes + bytes) * 2;
        line->text = an_memory_resize(line->text, line->room, 1);
    }
    memcpy(line->text + line->bytes, text, bytes);
    line->bytes += bytes;
}

/* The UTF-8 form of the next character of a name. Result: how many bytes of NAME it stands for. */
static size_t folded_next(const char *name, size_t bytes, char ret_utf8[4], size_t *ret_length)
{
    uint32_t code;
    size_t used = an_escape_next(name, bytes, &code);
    if (code == ';')
        code = ':';
    *ret_length = an_escape_encode(code, ret_utf8);
    return used;
}

static void folded_line_add_frame(struct folded_line *line, const char *name, size_t bytes)
{
    while (bytes) {
        char utf8[4];
        size_t length, used = folded_next(name, bytes, utf8, &length);
        folded_line_add(line, utf8, length);
        name += used;
        bytes -= used;
    }
}

void an_folded_write_frame(FILE *out, const char *name, size_t bytes)
{
    while (bytes) {
        char utf8[4];
        size_t length, used = folded_next(name, bytes, utf8, &length);
        fwrite(utf8, 1, length, out);
        name += used;
        bytes -= used;
    }
}

static void folded_write_line(const struct folded_line *line, uint64_t amount,
                              const struct an_folded_output *output, FILE *out)
{
    char number[AN_AMOUNT_MAX];
    bool microseconds = an_value_unit(output->value) == AN_UNIT_NS && !output->nanoseconds;
    uint64_t divisor = output->scale * (microseconds ? 1000 : 1);
    if (!output->exact) {
        amount = amount / divisor + (amount % divisor >= divisor - amount % divisor);
        divisor = 1;
    }
    an_amount_exact(amount, divisor, number);
    fwrite(line->text, 1, line->bytes, out);
    fprintf(out, " %s\n", number);
}

/* Does a node without an amount of its own get a line? Of times, what was called does; where calls
 * are not known, all that is last. */
static bool line_without_amount(const struct an_tree *tree, enum an_value value, uint32_t node,
                                bool is_leaf)
{
    const uint64_t *calls = tree->self[AN_CALLS];
    if ((value == AN_TIME || value == AN_INCLUSIVE) && calls)
        return calls[node] != 0;
    return is_leaf && an_value_unit(value) == AN_UNIT_NS;
}

void an_folded_write(const struct an_tree *tree, const struct an_folded_output *output, FILE *out)
{
    const uint64_t *self = tree->self[output->value];
    if (!self)
        return;
    uint64_t *total = an_memory_array(tree->node_count, sizeof(*total));
    size_t *cut = an_memory_array(tree->node_count, sizeof(*cut)); /* the line without a node */
    struct folded_line line = {NULL, 0, 0};
    struct an_walk walk;
    enum an_step step;
    uint32_t node;
    an_tree_totals(tree, output->value, total);
    an_walk_begin(&walk, tree, output->order, total);
    /* A value that a filter left at the root has no stack to be written under. */
    if (self[0]) {
        folded_line_add(&line, "[all]", 5);
        folded_write_line(&line, self[0], output, out);
        line.bytes = 0;
    }
    while ((step = an_walk_step(&walk, &node)) != AN_STEP_END) {
        if (step == AN_STEP_LEAVE) {
            line.bytes = cut[node];
            continue;
        }
        size_t bytes;
        const char *name = an_names_text(tree->names, tree->name[node], &bytes);
        cut[node] = line.bytes;
        if (tree->parent[node])
            folded_line_add(&line, ";", 1);
        folded_line_add_frame(&line, name, bytes);
        bool is_leaf = walk.order->first[node] == walk.order->first[node + 1];
        if (self[node] || line_without_amount(tree, output->value, node, is_leaf))
            folded_write_line(&line, self[node], output, out);
    }
    an_walk_end(&walk);
    free(line.text);
    free(cut);
    free(total);
}
