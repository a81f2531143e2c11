/*
 * folded_reader.c -- reads folded stacks.
 *
 * A profile that was written one line per event repeats few stacks many times. So a line's stack
 * text is looked up as a whole, by its 128-bit hash, before anything in it is looked at: splitting
 * and interning every frame of every line costs seven times as much. At 128 bits, two stacks among
 * a billion share a hash with a chance of 1 in 10^21: the texts are not compared.
 */
#include "analyzer/input/folded_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analyzer/model/node_sizes.h"
#include "analyzer/support/memory.h"
#include "analyzer/support/task.h"

#define FOLDED_BUFFER_BYTES (256u * 1024)
#define FOLDED_FIRST_SLOTS  1024u
/* Digits behind the point that are kept beyond the unit's own: more is no measurement. */
#define FOLDED_FRACTION_MAX 9u

struct folded_slot {
    XXH128_hash_t hash;
    uint32_t leaf; /* 0: empty, for the root is no leaf */
};

struct folded_reader {
    const struct an_folded_format *format;
    struct an_profile *profile;
    struct an_profile *before; /* or NULL */
    unsigned columns;          /* 0: not known yet */
    uint64_t line_number;
    struct folded_slot *slot;
    size_t slot_count, slot_used;
    struct an_node_sizes *sizes; /* of lines that may be filtered out; NULL: none may */
    uint32_t *path;              /* in_order: the nodes of the line before */
    size_t path_count, path_room;
};

/* DIGITS / 10^DECIMALS, without a trailing zero behind the point. */
struct folded_number {
    uint64_t digits;
    uint32_t decimals;
    bool too_large;
};

/* A piece of a line. */
struct folded_span {
    const char *text;
    size_t bytes;
};

static inline bool folded_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct folded_span folded_trim(struct folded_span span)
{
    while (span.bytes && folded_is_blank(span.text[span.bytes - 1]))
        span.bytes--;
    while (span.bytes && folded_is_blank(span.text[0])) {
        span.text++;
        span.bytes--;
    }
    return span;
}

static bool folded_parse_number(struct folded_span span, struct folded_number *ret_number)
{
    struct folded_number number = {0, 0, false};
    bool behind_point = false;
    uint32_t zeros = 0; /* seen behind the point and not yet counted in */
    if (span.bytes == 0 || span.text[0] == '.')
        return false;
    for (size_t i = 0; i < span.bytes; i++) {
        unsigned digit = (unsigned char)span.text[i] - (unsigned)'0';
        if (span.text[i] == '.' && !behind_point) {
            behind_point = true;
            continue;
        }
        if (digit > 9)
            return false;
        if (behind_point && digit == 0) {
            zeros++;
            continue;
        }
        for (uint32_t shift = behind_point ? zeros + 1 : 1; shift; shift--) {
            if (__builtin_mul_overflow(number.digits, 10u, &number.digits))
                number.too_large = true;
            if (number.too_large)
                break;
        }
        if (__builtin_add_overflow(number.digits, digit, &number.digits))
            number.too_large = true;
        if (behind_point)
            number.decimals += zeros + 1;
        zeros = 0;
    }
    *ret_number = number;
    return true;
}

/*
 * Cut the number off the end of SPAN.
 * Result: false if there is none, or nothing before it; SPAN is then as before.
 */
static bool folded_split(struct folded_span *span, struct folded_number *ret_number)
{
    size_t at = span->bytes;
    while (at && !folded_is_blank(span->text[at - 1]))
        at--;
    struct folded_span rest = folded_trim((struct folded_span){span->text, at});
    if (rest.bytes == 0 ||
        !folded_parse_number((struct folded_span){span->text + at, span->bytes - at}, ret_number))
        return false;
    *span = rest;
    return true;
}

static bool folded_is_comment(struct folded_span line)
{
    return line.bytes == 0 ||
           (line.text[0] == '#' && (line.bytes == 1 || folded_is_blank(line.text[1])));
}

/*
 * All lines of the first piece have two numbers: then so has the file. Its last line may be cut,
 * unless the file has ENDED there.
 */
static unsigned folded_tell_columns(const char *text, size_t bytes, bool ended)
{
    unsigned columns = 1;
    while (bytes) {
        const char *end = memchr(text, '\n', bytes);
        if (!end && !ended)
            break;
        size_t length = end ? (size_t)(end - text) : bytes;
        struct folded_span line = folded_trim((struct folded_span){text, length});
        struct folded_number number;
        if (!folded_is_comment(line) && folded_split(&line, &number)) {
            if (!folded_split(&line, &number))
                return 1;
            columns = 2;
        }
        length += end != NULL;
        text += length;
        bytes -= length;
    }
    return columns;
}

static void folded_grow_slots(struct folded_reader *reader)
{
    size_t count = reader->slot_count ? reader->slot_count * 2 : FOLDED_FIRST_SLOTS;
    struct folded_slot *slot = an_memory_zeroed(count, sizeof(*slot));
    for (size_t i = 0; i < reader->slot_count; i++) {
        if (!reader->slot[i].leaf)
            continue;
        size_t at = reader->slot[i].hash.low64 & (count - 1);
        while (slot[at].leaf)
            at = (at + 1) & (count - 1);
        slot[at] = reader->slot[i];
    }
    free(reader->slot);
    reader->slot = slot;
    reader->slot_count = count;
}

/* The next frame of STACK, which loses it. A stack with no frame left has TEXT == NULL. */
static struct folded_span folded_next_frame(struct folded_span *stack)
{
    const char *end = memchr(stack->text, ';', stack->bytes);
    struct folded_span frame = {stack->text, end ? (size_t)(end - stack->text) : stack->bytes};
    stack->bytes -= frame.bytes + (end != NULL);
    stack->text = end ? end + 1 : NULL;
    return frame;
}

static uint32_t folded_grow_branch(struct an_tree *tree, struct folded_span stack)
{
    uint32_t node = 0;
    while (stack.text) {
        struct folded_span frame = folded_next_frame(&stack);
        node = an_tree_child(tree, node, an_names_intern(tree->names, frame.text, frame.bytes));
    }
    return node;
}

/* The same, but a frame is only shared with the line before. */
static uint32_t folded_append_branch(struct folded_reader *reader, struct an_tree *tree,
                                     struct folded_span stack)
{
    uint32_t node = 0;
    size_t depth = 0;
    bool shared = true;
    while (stack.text) {
        struct folded_span frame = folded_next_frame(&stack);
        uint32_t name = an_names_intern(tree->names, frame.text, frame.bytes);
        if (depth == reader->path_room) {
            reader->path_room = reader->path_room ? reader->path_room * 2 : 64;
            reader->path = an_memory_resize(reader->path, reader->path_room, sizeof(*reader->path));
        }
        shared = shared && depth < reader->path_count && tree->name[reader->path[depth]] == name;
        if (!shared)
            reader->path[depth] = an_tree_append(tree, node, name);
        node = reader->path[depth++];
    }
    reader->path_count = depth;
    return node;
}

static uint32_t folded_find_leaf(struct folded_reader *reader, struct folded_span stack)
{
    if (reader->format->in_order)
        return folded_append_branch(reader, reader->profile->tree, stack);
    if (reader->slot_used >= reader->slot_count / 2)
        folded_grow_slots(reader);
    XXH128_hash_t hash = XXH3_128bits(stack.text, stack.bytes);
    size_t at = hash.low64 & (reader->slot_count - 1);
    for (; reader->slot[at].leaf; at = (at + 1) & (reader->slot_count - 1)) {
        if (XXH128_isEqual(reader->slot[at].hash, hash))
            return reader->slot[at].leaf;
    }
    uint32_t leaf = folded_grow_branch(reader->profile->tree, stack);
    /* The same steps on an equal tree give the same numbers. */
    if (reader->before)
        folded_grow_branch(reader->before->tree, stack);
    reader->slot[at] = (struct folded_slot){hash, leaf};
    reader->slot_used++;
    return leaf;
}

/* Raise the scale of a profile's amounts until DECIMALS digits behind the point are whole. */
static int folded_raise_scale(const struct an_folded_format *format, struct an_profile *profile,
                              uint64_t power)
{
    uint64_t *scale = &profile->scale[format->value];
    uint64_t factor = 1;
    while (*scale * format->factor * factor % power != 0)
        factor *= 10;
    int failed = an_tree_scale(profile->tree, format->value, factor);
    if (!failed)
        *scale *= factor;
    return failed;
}

/*
 * Result: 0; -ERANGE if the fraction cannot be kept exactly: the line is refused; -EOVERFLOW if the
 *         number alone passes 2^64 - 1.
 */
static int folded_amount(const struct an_folded_format *format, struct an_profile *profile,
                         struct folded_number number, uint64_t *ret_amount)
{
    uint64_t power = 1;
    if (number.too_large)
        return number.decimals ? -ERANGE : -EOVERFLOW;
    if (number.decimals > FOLDED_FRACTION_MAX)
        return -ERANGE;
    for (uint32_t i = 0; i < number.decimals; i++)
        power *= 10;
    if (profile->scale[format->value] * format->factor % power != 0 &&
        folded_raise_scale(format, profile, power) != 0)
        return -ERANGE;
    uint64_t multiplier = profile->scale[format->value] * format->factor / power;
    if (__builtin_mul_overflow(number.digits, multiplier, ret_amount))
        return -EOVERFLOW;
    return 0;
}

static int folded_add(struct folded_reader *reader, struct an_profile *profile, uint32_t leaf,
                      struct folded_number number)
{
    const struct an_folded_format *format = reader->format;
    uint64_t amount;
    int failed = folded_amount(format, profile, number, &amount);
    if (!failed)
        failed = an_tree_add(profile->tree, leaf, format->value, amount);
    if (failed || !format->single)
        return failed;
    if (!profile->sizes) {
        profile->sizes = an_memory_zeroed(1, sizeof(*profile->sizes));
        profile->sizes->bytes_exact = true;
    }
    uint64_t size = amount / profile->scale[format->value];
    if (format->node_sizes)
        an_tree_note_sizes(profile->tree, leaf, &(struct an_size_facts){1, size, size, size});
    if (reader->sizes)
        an_node_sizes_add(reader->sizes, leaf, size);
    else
        an_sizes_add(profile->sizes, size, 1);
    return an_tree_add(profile->tree, leaf, AN_ALLOCATIONS, 1);
}

/* Result: 0 also for a bad line, which is counted; else -errno. */
static int folded_read_line(struct folded_reader *reader, struct folded_span line)
{
    struct folded_number number, first = {0, 0, false};
    reader->line_number++;
    line = folded_trim(line);
    if (folded_is_comment(line))
        return 0;
    if (!folded_split(&line, &number) || (reader->columns == 2 && !folded_split(&line, &first))) {
        an_profile_bad_line(reader->profile, reader->line_number);
        return 0;
    }
    uint64_t amount;
    int failed = folded_amount(reader->format, reader->profile, number, &amount);
    if (!failed && reader->before)
        failed = folded_amount(reader->format, reader->before, first, &amount);
    if (failed == -ERANGE) {
        an_profile_bad_line(reader->profile, reader->line_number);
        return 0;
    }
    uint32_t leaf = failed ? 0 : folded_find_leaf(reader, line);
    if (!failed)
        failed = folded_add(reader, reader->profile, leaf, number);
    if (!failed && reader->before)
        failed = folded_add(reader, reader->before, leaf, first);
    reader->profile->good_lines += !failed;
    return failed;
}

/* A stretch of the input: the lines in it that are whole are read from `start` on. */
struct folded_buffer {
    char *text;
    size_t size, start, filled;
    uint64_t taken; /* of the input, so far */
    bool ended;
};

/* Make room behind what is left, then read. */
static int folded_refill(struct an_source *source, struct folded_buffer *buffer)
{
    buffer->filled -= buffer->start;
    memmove(buffer->text, buffer->text + buffer->start, buffer->filled);
    buffer->start = 0;
    if (buffer->filled == buffer->size) {
        if (buffer->size >= AN_FOLDED_LINE_MAX)
            return -EFBIG;
        buffer->size *= 2;
        buffer->text = an_memory_resize(buffer->text, buffer->size, 1);
    }
    ssize_t got =
        an_source_read(source, buffer->text + buffer->filled, buffer->size - buffer->filled);
    if (got < 0)
        return (int)got;
    buffer->filled += (size_t)got;
    buffer->taken += (uint64_t)got;
    buffer->ended = got == 0;
    return 0;
}

static int folded_read_lines(struct folded_reader *reader, struct folded_buffer *buffer,
                             size_t searched)
{
    for (;;) {
        char *start = buffer->text + buffer->start;
        size_t bytes = buffer->filled - buffer->start;
        char *end = memchr(start + searched, '\n', bytes - searched);
        if (!end && !(buffer->ended && bytes))
            return 0;
        size_t length = end ? (size_t)(end - start) : bytes;
        int failed = folded_read_line(reader, (struct folded_span){start, length});
        if (failed)
            return failed;
        buffer->start += length + (end != NULL);
        searched = 0;
    }
}

/* The first piece: it tells the columns, and may begin with a UTF-8 mark. */
static int folded_begin(struct folded_reader *reader, struct an_source *source,
                        struct folded_buffer *buffer)
{
    int failed = 0;
    while (!failed && !buffer->ended && buffer->filled < FOLDED_BUFFER_BYTES)
        failed = folded_refill(source, buffer);
    if (failed)
        return failed;
    if (buffer->filled >= 3 && memcmp(buffer->text, "\xef\xbb\xbf", 3) == 0)
        buffer->start = 3;
    reader->columns = 1;
    if (!reader->format->one_column)
        reader->columns = folded_tell_columns(buffer->text + buffer->start,
                                              buffer->filled - buffer->start, buffer->ended);
    if (reader->before && reader->columns == 1)
        return -EINVAL;
    if (!reader->before && reader->columns == 2)
        an_profile_note(reader->profile, "two numbers a line: the second one, after, is shown");
    return 0;
}

static int folded_read_all(struct folded_reader *reader, struct an_source *source,
                           struct folded_buffer *buffer)
{
    int failed = folded_begin(reader, source, buffer);
    size_t searched = 0;
    while (!failed) {
        failed = folded_read_lines(reader, buffer, searched);
        if (failed || buffer->ended)
            break;
        /* A line that needs several pieces is not searched from its start each time. */
        searched = buffer->filled - buffer->start;
        failed = folded_refill(source, buffer);
        an_task_step("reading", buffer->taken, 0);
        if (!failed && !an_task_is_wanted())
            failed = -ECANCELED;
    }
    if (!failed && reader->profile->good_lines == 0)
        failed = -ENODATA;
    return failed;
}

static void folded_filter_sizes(const struct folded_reader *reader)
{
    struct an_profile *profile = reader->profile;
    if (!reader->sizes || !profile->sizes)
        return;
    uint8_t *kept = an_filter_kept(reader->format->sizes_of, profile->tree);
    an_node_sizes_sum(reader->sizes, kept, profile->sizes);
    free(kept);
}

int an_folded_load(struct an_source *source, const struct an_folded_format *format,
                   struct an_profile *profile, struct an_profile *before)
{
    struct folded_reader reader = {.format = format, .profile = profile, .before = before};
    struct folded_buffer buffer = {.size = FOLDED_BUFFER_BYTES};
    buffer.text = an_memory_array(buffer.size, 1);
    if (format->single && format->sizes_of)
        reader.sizes = an_node_sizes_new();
    int failed = folded_read_all(&reader, source, &buffer);
    if (!failed)
        folded_filter_sizes(&reader);
    an_node_sizes_free(reader.sizes);
    free(buffer.text);
    free(reader.slot);
    free(reader.path);
    return failed;
}
