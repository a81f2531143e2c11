/*
 * page_from_folded.c -- a page from plain folded lines on standard input, for the browser tests.
 *
 * usage: page_from_folded [html|svg] [VALUE[,VALUE...]] [TITLE] [PALETTE] [diff] <FOLDED >PAGE
 *
 * "page_from_folded policy" prints the policy under which such pages work, "policy svg" that of
 * the other format.
 *
 * A line is "frame;frame;frame amount[ amount...]", one amount per VALUE; for a differential first
 * all amounts before, then all after. A frame may carry a
 * module as "name@@module" and a trailing "@@inlined". The byte after a backslash is written in
 * octal:
 * "\033" is the escape character, so that tests can hold any byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/diff.h"
#include "analyzer/output/page.h"
#include "analyzer/support/memory.h"

struct columns {
    enum an_value value[AN_VALUE_COUNT];
    int count;
    bool both; /* amounts before, then amounts after */
};

static int fail(const char *message, const char *detail)
{
    fprintf(stderr, "page_from_folded: %s: %s\n", message, detail);
    return 2;
}

/* Octal escapes become their bytes, in place. Result: the new length. */
static size_t frame_unescape(char *text)
{
    size_t bytes = 0;

    for (const char *at = text; *at != '\0';) {
        unsigned int byte;
        if (*at == '\\' && sscanf(at, "\\%3o", &byte) == 1) {
            text[bytes++] = (char)byte;
            at += 4;
        } else {
            text[bytes++] = *at++;
        }
    }
    text[bytes] = '\0';
    return bytes;
}

static uint32_t frame_add(struct an_tree *tree, uint32_t parent, char *frame)
{
    char *module = strstr(frame, "@@");
    bool inlined = false;

    if (module != NULL) {
        *module = '\0';
        module += 2;
        char *mark = strstr(module, "@@inlined");
        inlined = mark != NULL;
        if (mark != NULL)
            *mark = '\0';
    }
    size_t bytes = frame_unescape(frame);
    uint32_t name = an_names_intern(tree->names, frame, bytes);
    uint32_t node = an_tree_child(tree, parent, name);
    if (module != NULL)
        tree->module[node] = an_names_intern(tree->names, module, strlen(module));
    if (inlined)
        tree->flags[node] |= AN_NODE_INLINED;
    return node;
}

/* A stack with amounts of 0 only is not in the profile at all. */
static int stack_add(struct an_profile *profile, const struct columns *columns, const char *stack,
                     const char *const *amount)
{
    char *copy = an_memory_text(stack), *rest = copy, *frame;
    uint32_t node = 0;
    uint64_t any = 0;
    int result = 0;

    for (int i = 0; i < columns->count; i++)
        any |= strtoull(amount[i], NULL, 10);
    while ((any != 0 || !columns->both) && (frame = strsep(&rest, ";")) != NULL)
        node = frame_add(profile->tree, node, frame);
    for (int i = 0; i < columns->count && result == 0; i++)
        result = an_tree_add(profile->tree, node, columns->value[i], strtoull(amount[i], NULL, 10));
    free(copy);
    return result;
}

static int line_add(struct an_profile *profiles, const struct columns *columns, char *line)
{
    const char *amount[2 * AN_VALUE_COUNT];
    int sides = columns->both ? 2 : 1;

    line[strcspn(line, "\n")] = '\0';
    for (int i = columns->count * sides - 1; i >= 0; i--) {
        char *space = strrchr(line, ' ');
        if (space == NULL)
            return fail("too few amounts", line);
        *space = '\0';
        amount[i] = space + 1;
    }
    for (int side = 0; side < sides; side++) {
        if (stack_add(&profiles[side], columns, line, amount + side * columns->count) < 0)
            return fail("the sum is too large", line);
    }
    return 0;
}

static int columns_read(char *list, struct columns *columns)
{
    char *name;

    while ((name = strsep(&list, ",")) != NULL) {
        if (columns->count == AN_VALUE_COUNT ||
            !an_value_find(name, &columns->value[columns->count++]))
            return fail("unknown value", name);
    }
    return 0;
}

static int page_print(const struct an_profile *profiles, const struct columns *columns,
                      struct an_page_options *options)
{
    struct an_diff diff;
    int result;

    options->value = columns->value[0];
    if (!columns->both) {
        result = an_page_write(profiles[0].tree, options, stdout);
    } else {
        result = an_diff_make(&profiles[0], &profiles[1], &diff);
        if (result == 0) {
            options->kind = AN_PAGE_DIFFERENTIAL;
            options->before = diff.before;
            result = an_page_write(diff.after, options, stdout);
            an_diff_release(&diff);
        }
    }
    return result < 0 ? fail("the page cannot be written", strerror(-result)) : 0;
}

static int policy_print(bool svg)
{
    char *policy = an_page_policy(AN_PAGE_FLAMEGRAPH, svg ? AN_PAGE_SVG : AN_PAGE_HTML);
    puts(policy);
    free(policy);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "policy") == 0)
        return policy_print(argc > 2 && strcmp(argv[2], "svg") == 0);
    static const char *const notes[] = {"12 events were lost: the \"ring\" <was> full & so on."};
    char default_value[] = "samples";
    struct columns columns = {.both = argc > 5 && strcmp(argv[5], "diff") == 0};
    struct an_profile profiles[2];
    struct an_page_options options = {
        .format = argc > 1 && strcmp(argv[1], "svg") == 0 ? AN_PAGE_SVG : AN_PAGE_HTML,
        .title = argc > 3 ? argv[3] : "Flamegraph",
        .subtitle = "made from folded lines",
        .note = notes,
        .note_count = 1,
        .order = AN_BY_NAME,
    };
    char *line = NULL;
    size_t room = 0;
    int status = columns_read(argc > 2 ? argv[2] : default_value, &columns);

    an_profile_init(&profiles[0]);
    an_profile_init(&profiles[1]);
    while (status == 0 && getline(&line, &room, stdin) > 0)
        status = line_add(profiles, &columns, line);
    if (status == 0 && argc > 4 && !an_palette_find(argv[4], &options.palette))
        status = fail("unknown palette", argv[4]);
    if (status == 0)
        status = page_print(profiles, &columns, &options);
    free(line);
    an_profile_release(&profiles[0]);
    an_profile_release(&profiles[1]);
    return status;
}
