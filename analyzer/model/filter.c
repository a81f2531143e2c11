/*
 * filter.c -- leaves frames and values out of a call tree.
 *
 * Expressions run once per distinct name. What is true of a stack is then gathered from parent to
 * child in one loop, because a parent's number is smaller.
 */
#include "analyzer/model/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "analyzer/support/memory.h"

/* Names need not be UTF-8; with MATCH_INVALID the bad bytes match nothing and do no harm. */
#define FILTER_FLAGS (PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C)
/* A hostile pattern on a hostile name gives up here, as no match. */
#define FILTER_MATCH_LIMIT 1000000u

/* Kinds of rules that are part of the facts to keep or to drop. */
#define FILTER_KEEP_TEXT AN_FILTER_KIND_COUNT
#define FILTER_DROP_TEXT (AN_FILTER_KIND_COUNT + 1)

struct filter_rule {
    unsigned kind;    /* enum an_filter_kind, or one of the two above */
    uint32_t focus;   /* a bit of its own for a focus, else 0 */
    pcre2_code *code; /* NULL: the name is meant as it is */
    char *name;
};

struct an_filter {
    struct filter_rule *rule;
    size_t rule_count;
    uint32_t focus_all; /* the bits of all focuses */
    unsigned keep_facts, drop_facts;
    bool has[AN_FILTER_KIND_COUNT + 2];
    bool ignore_case;
};

/* Of a name, and of a stack: which kinds matched (bits 1 << kind), and which focuses. */
struct filter_match {
    uint32_t kinds;
    uint32_t focus;
};

struct an_filter *an_filter_new(bool ignore_case)
{
    struct an_filter *filter = an_memory_zeroed(1, sizeof(*filter));
    filter->ignore_case = ignore_case;
    return filter;
}

void an_filter_free(struct an_filter *filter)
{
    if (!filter)
        return;
    for (size_t i = 0; i < filter->rule_count; i++) {
        pcre2_code_free(filter->rule[i].code);
        free(filter->rule[i].name);
    }
    free(filter->rule);
    free(filter);
}

static struct filter_rule *filter_new_rule(struct an_filter *filter, unsigned kind)
{
    filter->rule = an_memory_resize(filter->rule, filter->rule_count + 1, sizeof(*filter->rule));
    struct filter_rule *rule = &filter->rule[filter->rule_count++];
    *rule = (struct filter_rule){.kind = kind};
    if (kind == AN_FILTER_FOCUS) {
        rule->focus = filter->focus_all + 1; /* the lowest bit still free */
        filter->focus_all |= rule->focus;
    }
    filter->has[kind] = true;
    return rule;
}

int an_filter_add(struct an_filter *filter, enum an_filter_kind kind, const char *pattern,
                  struct an_fault *fault)
{
    int error;
    PCRE2_SIZE offset;
    if (kind == AN_FILTER_FOCUS && filter->focus_all == UINT32_MAX)
        return an_fault_set(fault, -EINVAL, "more than %d --focus", AN_FILTER_FOCUS_MAX);
    uint32_t flags = FILTER_FLAGS;
    if (filter->ignore_case)
        flags |= PCRE2_CASELESS;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, flags, &error, &offset, NULL);
    if (!code) {
        PCRE2_UCHAR why[200] = "";
        pcre2_get_error_message(error, why, sizeof(why));
        return an_fault_set(fault, -EINVAL, "expression '%s', at character %zu: %s", pattern,
                            (size_t)offset + 1, (const char *)why);
    }
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    filter_new_rule(filter, kind)->code = code;
    return 0;
}

void an_filter_add_name(struct an_filter *filter, enum an_filter_kind kind, const char *name)
{
    filter_new_rule(filter, kind)->name = an_memory_text(name);
}

/* Quoted up to each \\E of its own, which ends a quotation. */
char *an_filter_quote(const char *text)
{
    char *quoted = an_memory_array(strlen(text) * 7 + sizeof("\\Q\\E"), 1);
    char *end = stpcpy(quoted, "\\Q");
    for (; *text; text++) {
        if (text[0] == '\\' && text[1] == 'E')
            end = stpcpy(end, "\\E\\\\\\Q");
        else
            *end++ = *text;
    }
    strcpy(end, "\\E");
    return quoted;
}

void an_filter_add_facts(struct an_filter *filter, bool keep, unsigned facts, const char *text)
{
    unsigned *into = keep ? &filter->keep_facts : &filter->drop_facts;
    *into |= facts;
    if (!(facts & AN_FACT_TEXT))
        return;
    int error;
    PCRE2_SIZE offset;
    char *pattern = an_filter_quote(text);
    /* A text that is no UTF-8 is in no name. */
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                                     FILTER_FLAGS | PCRE2_CASELESS, &error, &offset, NULL);
    free(pattern);
    if (code)
        filter_new_rule(filter, keep ? FILTER_KEEP_TEXT : FILTER_DROP_TEXT)->code = code;
}

bool an_filter_is_empty(const struct an_filter *filter)
{
    return filter->rule_count == 0 && !filter->keep_facts && !filter->drop_facts;
}

static bool filter_rule_matches(const struct filter_rule *rule, pcre2_match_context *context,
                                const char *text, size_t bytes)
{
    if (!rule->code)
        return strlen(rule->name) == bytes && memcmp(rule->name, text, bytes) == 0;
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    int found = pcre2_match(rule->code, (PCRE2_SPTR)text, bytes, 0, 0, data, context);
    pcre2_match_data_free(data);
    return found >= 0;
}

bool an_filter_means(const struct an_filter *filter, enum an_filter_kind kind, const char *name,
                     size_t bytes)
{
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    bool means = false;
    pcre2_set_match_limit(context, FILTER_MATCH_LIMIT);
    for (size_t i = 0; i < filter->rule_count && !means; i++)
        means = filter->rule[i].kind == kind &&
                filter_rule_matches(&filter->rule[i], context, name, bytes);
    pcre2_match_context_free(context);
    return means;
}

bool an_filter_has(const struct an_filter *filter, enum an_filter_kind kind)
{
    return filter->has[kind];
}

static struct filter_match *filter_match_names(const struct an_filter *filter,
                                               const struct an_names *names)
{
    uint32_t count = an_names_count(names);
    struct filter_match *match = an_memory_zeroed(count, sizeof(*match));
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(context, FILTER_MATCH_LIMIT);
    for (uint32_t name = 0; name < count; name++) {
        size_t bytes;
        const char *text = an_names_text(names, name, &bytes);
        for (size_t i = 0; i < filter->rule_count; i++) {
            const struct filter_rule *rule = &filter->rule[i];
            if (!filter_rule_matches(rule, context, text, bytes))
                continue;
            match[name].kinds |= 1u << rule->kind;
            match[name].focus |= rule->focus;
        }
    }
    pcre2_match_context_free(context);
    return match;
}

/* What is true of a stack: FACTS by its values, and the text by its names. */
static bool filter_keeps_facts(const struct an_filter *filter, struct filter_match stack,
                               unsigned facts)
{
    unsigned keep = facts | (stack.kinds & 1u << FILTER_KEEP_TEXT ? AN_FACT_TEXT : 0);
    unsigned drop = facts | (stack.kinds & 1u << FILTER_DROP_TEXT ? AN_FACT_TEXT : 0);
    return (!filter->keep_facts || keep & filter->keep_facts) && !(drop & filter->drop_facts);
}

/* STACK: what matched from the root to the node. OWN: what the node's function matched. */
static bool filter_keeps(const struct an_filter *filter, struct filter_match stack,
                         struct filter_match own)
{
    if (filter->has[AN_FILTER_INCLUDE] && !(stack.kinds & 1u << AN_FILTER_INCLUDE))
        return false;
    if (filter->has[AN_FILTER_SHOW_FROM] && !(stack.kinds & 1u << AN_FILTER_SHOW_FROM))
        return false;
    return stack.focus == filter->focus_all && !(stack.kinds & 1u << AN_FILTER_EXCLUDE) &&
           !(own.kinds & 1u << AN_FILTER_EXCLUDE_SELF);
}

enum filter_fate {
    FILTER_GONE = 0,
    FILTER_FRAME = 1, /* something below stays, so the frame does */
    FILTER_VALUE = 2, /* its own value stays */
};

/* True if a node has something of its own, or is a stack that was written down with nothing. */
static bool filter_owns(const struct an_tree *tree, uint32_t node, bool leaf)
{
    bool owns = leaf;
    for (int value = 0; value < AN_VALUE_COUNT && !owns; value++)
        owns = tree->self[value] && tree->self[value][node] != 0;
    return owns;
}

/* For each node 1 if it has no callees. Freed by free(). */
static uint8_t *filter_leaves(const struct an_tree *tree)
{
    uint8_t *leaf = an_memory_array(tree->node_count, 1);
    memset(leaf, 1, tree->node_count);
    for (uint32_t node = 1; node < tree->node_count; node++)
        leaf[tree->parent[node]] = 0;
    return leaf;
}

/* RET_STACK[n]: what matched from the root to n. Result: the fate of every node. */
static uint8_t *filter_judge(const struct an_filter *filter, const struct an_tree *tree,
                             const struct filter_match *match, struct filter_match *ret_stack)
{
    uint8_t *fate = an_memory_zeroed(tree->node_count, 1);
    uint8_t *leaf = filter_leaves(tree);
    uint8_t *facts = filter->keep_facts || filter->drop_facts ? an_facts_of(tree) : NULL;
    ret_stack[0] = (struct filter_match){0, 0};
    for (uint32_t node = 0; node < tree->node_count; node++) {
        struct filter_match own = {0, 0};
        if (node) {
            struct filter_match above = ret_stack[tree->parent[node]];
            own = match[tree->name[node]];
            ret_stack[node].kinds = above.kinds | own.kinds;
            ret_stack[node].focus = above.focus | own.focus;
        }
        if (filter_owns(tree, node, leaf[node]) && filter_keeps(filter, ret_stack[node], own) &&
            (!facts || filter_keeps_facts(filter, ret_stack[node], facts[node])))
            fate[node] = FILTER_FRAME | FILTER_VALUE;
    }
    free(facts);
    free(leaf);
    for (uint32_t node = tree->node_count - 1; node > 0; node--) {
        if (fate[node])
            fate[tree->parent[node]] |= FILTER_FRAME;
    }
    return fate;
}

struct filter_build {
    const struct an_tree *from;
    struct an_tree *into;
    uint32_t *last_child; /* of a node of INTO; NULL: merge whatever has one name */
    uint32_t *place;      /* of a node of FROM: the node of INTO that takes its value */
};

static uint32_t filter_place(struct filter_build *build, uint32_t parent, uint32_t node)
{
    size_t bytes;
    const char *text = an_names_text(build->from->names, build->from->name[node], &bytes);
    uint32_t name = an_names_intern(build->into->names, text, bytes);
    if (!build->last_child)
        return an_tree_child(build->into, parent, name);
    /* Nodes of a tree in order come depth first, so the child made last is the adjacent one. */
    uint32_t last = build->last_child[parent];
    if (last && build->into->name[last] == name)
        return last;
    last = an_tree_append(build->into, parent, name);
    build->last_child[parent] = last;
    build->last_child[last] = 0;
    return last;
}

static void filter_copy_facts(struct filter_build *build, uint32_t node, uint32_t place)
{
    const struct an_tree *from = build->from;
    struct an_tree *into = build->into;
    into->flags[place] |= from->flags[node];
    if (from->module[node] != UINT32_MAX && into->module[place] == UINT32_MAX) {
        size_t bytes;
        const char *text = an_names_text(from->names, from->module[node], &bytes);
        into->module[place] = an_names_intern(into->names, text, bytes);
    }
}

static void filter_copy_values(struct filter_build *build, uint32_t node, uint32_t place)
{
    const struct an_tree *from = build->from;
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        /* A part of a sum that fits fits. */
        if (from->self[value])
            (void)an_tree_add(build->into, place, (enum an_value)value, from->self[value][node]);
    }
    if (from->sizes)
        an_tree_note_sizes(build->into, place, &from->sizes[node]);
}

static void filter_copy_values_present(const struct an_tree *from, struct an_tree *into)
{
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        if (from->self[value])
            (void)an_tree_add(into, 0, (enum an_value)value, 0);
    }
}

struct an_tree *an_filter_apply_placing(const struct an_filter *filter, const struct an_tree *tree,
                                        bool in_order, uint32_t *ret_node)
{
    uint32_t count = tree->node_count;
    struct filter_match *match = filter_match_names(filter, tree->names);
    struct filter_match *stack = an_memory_array(count, sizeof(*stack));
    uint8_t *fate = filter_judge(filter, tree, match, stack);
    struct filter_build build = {.from = tree, .into = an_tree_new()};
    build.place = an_memory_zeroed(count, sizeof(*build.place));
    if (in_order)
        build.last_child = an_memory_zeroed(count, sizeof(*build.last_child));
    filter_copy_values_present(tree, build.into);
    for (uint32_t node = 0; node < count; node++) {
        ret_node[node] = UINT32_MAX;
        if (!fate[node])
            continue;
        uint32_t parent = build.place[tree->parent[node]];
        bool cut =
            filter->has[AN_FILTER_SHOW_FROM] && !(stack[node].kinds & 1u << AN_FILTER_SHOW_FROM);
        bool hidden = node && match[tree->name[node]].kinds & 1u << AN_FILTER_HIDE;
        build.place[node] = parent;
        if (node && !cut && !hidden) {
            build.place[node] = filter_place(&build, parent, node);
            ret_node[node] = build.place[node];
            filter_copy_facts(&build, node, build.place[node]);
            if (tree->facts && fate[node] & FILTER_VALUE)
                an_tree_note_calls(build.into, build.place[node], &tree->facts[node]);
        }
        if (fate[node] & FILTER_VALUE)
            filter_copy_values(&build, node, build.place[node]);
    }
    free(match);
    free(stack);
    free(fate);
    free(build.place);
    free(build.last_child);
    return build.into;
}

struct an_tree *an_filter_apply(const struct an_filter *filter, const struct an_tree *tree,
                                bool in_order)
{
    uint32_t *node = an_memory_array(tree->node_count, sizeof(*node));
    struct an_tree *filtered = an_filter_apply_placing(filter, tree, in_order, node);
    free(node);
    return filtered;
}

uint8_t *an_filter_kept(const struct an_filter *filter, const struct an_tree *tree)
{
    struct filter_match *match = filter_match_names(filter, tree->names);
    struct filter_match *stack = an_memory_array(tree->node_count, sizeof(*stack));
    uint8_t *kept = filter_judge(filter, tree, match, stack);
    for (uint32_t node = 0; node < tree->node_count; node++)
        kept[node] = (kept[node] & FILTER_VALUE) != 0;
    free(match);
    free(stack);
    return kept;
}
