/*
 * statistics.c -- a call tree as a table.
 */
#include "analyzer/model/statistics.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/walk.h"
#include "analyzer/support/memory.h"

static const char *const by_names[] = {"function", "stack", "file", "module", "process"};
static const char *const sort_names[] = {"self", "total", "calls", "average", "min", "max", "name"};

bool an_by_find(const char *name, enum an_by *ret_by)
{
    for (unsigned by = 0; by < sizeof(by_names) / sizeof(by_names[0]); by++) {
        if (strcmp(by_names[by], name) == 0) {
            *ret_by = (enum an_by)by;
            return true;
        }
    }
    return false;
}

const char *an_by_name(enum an_by by)
{
    return by_names[by];
}

bool an_sort_find(const char *name, enum an_sort *ret_sort)
{
    for (unsigned sort = 0; sort < sizeof(sort_names) / sizeof(sort_names[0]); sort++) {
        if (strcmp(sort_names[sort], name) == 0) {
            *ret_sort = (enum an_sort)sort;
            return true;
        }
    }
    return false;
}

const char *an_frame_file(const char *name, size_t bytes, size_t *ret_bytes)
{
    if (bytes < 5 || name[bytes - 1] != ')')
        return NULL;
    size_t colon = bytes - 2;
    while (colon && name[colon] >= '0' && name[colon] <= '9')
        colon--;
    if (name[colon] != ':' || colon + 2 == bytes)
        return NULL;
    size_t open = colon;
    while (open && name[open] != '(')
        open--;
    if (open == 0 || name[open - 1] != ' ' || open + 1 == colon)
        return NULL;
    *ret_bytes = colon - open - 1;
    return name + open + 1;
}

/* Which value counts the events of VALUE. */
static bool statistics_find_calls(const struct an_tree *tree, enum an_value value,
                                  enum an_value *ret_calls)
{
    enum an_value calls;
    switch (value) {
    case AN_TIME:
    case AN_INCLUSIVE:
    case AN_CALLS:
    case AN_ON_CPU:
    case AN_OFF_CPU:
        calls = AN_CALLS;
        break;
    case AN_SAMPLE_TIME:
    case AN_SAMPLES:
        calls = AN_SAMPLES;
        break;
    case AN_LIVE_BYTES:
    case AN_LIVE_BLOCKS:
        calls = AN_LIVE_BLOCKS;
        break;
    default:
        calls = AN_ALLOCATIONS;
        break;
    }
    if (!an_tree_has(tree, calls))
        return false;
    *ret_calls = calls;
    return true;
}

/* An average of VALUE per what is counted: bytes that live at the peak were counted by nobody. */
static bool statistics_find_average(const struct an_statistics *statistics)
{
    return statistics->has_calls && an_value_unit(statistics->value) != AN_UNIT_COUNT &&
           statistics->value != AN_PEAK_BYTES;
}

/* The text under which a node is counted. */
static uint32_t statistics_key(struct an_statistics *statistics, const struct an_tree *tree,
                               uint32_t node)
{
    size_t bytes;
    const char *text = an_names_text(tree->names, tree->name[node], &bytes);
    if (statistics->by == AN_BY_FILE) {
        text = an_frame_file(text, bytes, &bytes);
    } else if (statistics->by == AN_BY_MODULE) {
        text = tree->module[node] == UINT32_MAX
                   ? NULL
                   : an_names_text(tree->names, tree->module[node], &bytes);
    }
    if (!text) {
        text = "[unknown]";
        bytes = strlen(text);
    }
    return an_names_intern(statistics->keys, text, bytes);
}

/* For every node the number of its row. */
static uint32_t *statistics_assign(struct an_statistics *statistics, const struct an_tree *tree)
{
    uint32_t *row_of = an_memory_array(tree->node_count, sizeof(*row_of));
    row_of[0] = UINT32_MAX;
    for (uint32_t node = 1; node < tree->node_count; node++) {
        if (statistics->by == AN_BY_STACK)
            row_of[node] = node - 1;
        else if (statistics->by == AN_BY_PROCESS && tree->parent[node])
            row_of[node] = row_of[tree->parent[node]];
        else
            row_of[node] = statistics_key(statistics, tree, node);
    }
    uint32_t count =
        statistics->by == AN_BY_STACK ? tree->node_count - 1 : an_names_count(statistics->keys);
    statistics->row = an_memory_zeroed(count, sizeof(*statistics->row));
    statistics->row_count = count;
    for (uint32_t node = 1; node < tree->node_count; node++) {
        struct an_statistics_row *row = &statistics->row[row_of[node]];
        row->node = node;
        row->facts.shortest = UINT64_MAX;
        row->sizes = AN_SIZE_FACTS_NONE;
        row->name = statistics->by == AN_BY_STACK ? 0 : row_of[node];
    }
    return row_of;
}

/*
 * Add each node's total to its row, unless a node above belongs to the same row: recursion counts
 * once. A walk that remembers how often each row is open needs one step a node; looking upwards
 * from every node would need its depth.
 */
static void statistics_add_totals(struct an_statistics *statistics, const struct an_tree *tree,
                                  const uint32_t *row_of, const uint64_t *total)
{
    uint32_t *open = an_memory_zeroed(statistics->row_count, sizeof(*open));
    struct an_walk walk;
    enum an_step step;
    uint32_t node;
    an_walk_begin(&walk, tree, AN_BY_TIME, NULL);
    while ((step = an_walk_step(&walk, &node)) != AN_STEP_END) {
        uint32_t row = row_of[node];
        if (step == AN_STEP_LEAVE)
            open[row]--;
        else if (open[row]++ == 0)
            statistics->row[row].total += total[node];
    }
    an_walk_end(&walk);
    free(open);
}

/* Rows that nothing was counted in only were on the way to others. */
static void statistics_drop_empty(struct an_statistics *statistics)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < statistics->row_count; i++) {
        const struct an_statistics_row *row = &statistics->row[i];
        bool wanted = row->self || row->calls ||
                      (row->total && (statistics->by != AN_BY_STACK || !statistics->has_self));
        if (wanted)
            statistics->row[kept++] = *row;
    }
    statistics->row_count = kept;
}

static void statistics_add_facts(struct an_statistics_row *row, const struct an_call_facts *facts)
{
    if (facts->shortest < row->facts.shortest)
        row->facts.shortest = facts->shortest;
    if (facts->longest > row->facts.longest)
        row->facts.longest = facts->longest;
    if (__builtin_add_overflow(row->facts.cost, facts->cost, &row->facts.cost))
        row->facts.cost = UINT64_MAX;
}

bool an_statistics_is_below(const struct an_statistics *statistics,
                            const struct an_statistics_row *row)
{
    return statistics->has_facts && statistics->value == AN_TIME && row->facts.cost != 0 &&
           row->facts.cost >= row->self;
}

struct an_statistics *an_statistics_new(const struct an_tree *tree, enum an_value value,
                                        enum an_by by)
{
    struct an_statistics *statistics = an_memory_zeroed(1, sizeof(*statistics));
    statistics->by = by;
    statistics->value = value;
    statistics->has_self = value != AN_INCLUSIVE;
    statistics->has_calls = statistics_find_calls(tree, value, &statistics->calls_value);
    statistics->has_average = statistics_find_average(statistics);
    statistics->has_facts = tree->facts && (value == AN_TIME || value == AN_INCLUSIVE);
    statistics->has_sizes = tree->sizes && value == AN_BYTES && statistics->has_calls;
    statistics->keys = an_names_new();
    statistics->whole = tree->sum[value];
    uint32_t *row_of = statistics_assign(statistics, tree);
    uint64_t *total = an_memory_array(tree->node_count, sizeof(*total));
    if (statistics->has_self)
        an_tree_totals(tree, value, total);
    else
        memcpy(total, tree->self[value], tree->node_count * sizeof(*total));
    statistics_add_totals(statistics, tree, row_of, total);
    for (uint32_t node = 1; node < tree->node_count; node++) {
        struct an_statistics_row *row = &statistics->row[row_of[node]];
        if (statistics->has_self && tree->self[value])
            row->self += tree->self[value][node];
        if (statistics->has_calls)
            row->calls += tree->self[statistics->calls_value][node];
        if (statistics->has_facts)
            statistics_add_facts(row, &tree->facts[node]);
        if (statistics->has_sizes)
            an_size_facts_join(&row->sizes, &tree->sizes[node]);
    }
    if (!statistics->has_self) {
        /* Inclusive amounts do not add up over levels: the outermost ones are the whole. */
        statistics->whole = 0;
        for (uint32_t node = 1; node < tree->node_count; node++)
            statistics->whole += tree->parent[node] == 0 ? total[node] : 0;
    }
    free(total);
    free(row_of);
    statistics_drop_empty(statistics);
    return statistics;
}

void an_statistics_free(struct an_statistics *statistics)
{
    if (!statistics)
        return;
    an_names_free(statistics->keys);
    free(statistics->row);
    free(statistics);
}

char *an_stack_text(const struct an_tree *tree, uint32_t node, size_t *ret_bytes)
{
    size_t bytes = 0, part;
    for (uint32_t n = node; n; n = tree->parent[n]) {
        an_names_text(tree->names, tree->name[n], &part);
        bytes += part + 1;
    }
    char *text = an_memory_array(bytes + 1, 1);
    size_t at = bytes;
    for (uint32_t n = node; n; n = tree->parent[n]) {
        const char *name = an_names_text(tree->names, tree->name[n], &part);
        text[--at] = ';';
        at -= part;
        memcpy(text + at, name, part);
    }
    *ret_bytes = bytes ? bytes - 1 : 0;
    text[*ret_bytes] = '\0';
    return text;
}

char *an_statistics_text(const struct an_statistics *statistics, const struct an_tree *tree,
                         const struct an_statistics_row *row, size_t *ret_bytes)
{
    if (statistics->by == AN_BY_STACK)
        return an_stack_text(tree, row->node, ret_bytes);
    const char *text = an_names_text(statistics->keys, row->name, ret_bytes);
    return an_memory_text_part(text, *ret_bytes);
}

uint64_t an_statistics_average(const struct an_statistics *statistics,
                               const struct an_statistics_row *row)
{
    uint64_t amount =
        statistics->calls_value == AN_CALLS || !statistics->has_self ? row->total : row->self;
    if (!statistics->has_average || row->calls == 0)
        return 0;
    return amount / row->calls + (amount % row->calls >= row->calls - amount % row->calls);
}

bool an_statistics_single(const struct an_statistics *statistics,
                          const struct an_statistics_row *row,
                          struct an_statistics_single *ret_single)
{
    if (statistics->has_sizes && row->calls != 0 && row->sizes.count == row->calls) {
        *ret_single = (struct an_statistics_single){row->sizes.least, row->sizes.smallest,
                                                    row->sizes.largest};
        return true;
    }
    if (!statistics->has_facts || row->facts.shortest == UINT64_MAX)
        return false;
    *ret_single =
        (struct an_statistics_single){row->facts.shortest, row->facts.shortest, row->facts.longest};
    return true;
}

/* What is not known comes last. */
static struct an_statistics_single statistics_single(const struct an_statistics *statistics,
                                                     const struct an_statistics_row *row)
{
    struct an_statistics_single single = {0, 0, 0};
    (void)an_statistics_single(statistics, row, &single);
    return single;
}

struct statistics_comparison {
    const struct an_statistics *statistics;
    const struct an_tree *tree;
    enum an_sort sort;
};

static int statistics_compare_amounts(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int statistics_compare_texts(const struct an_names *names, uint32_t a, uint32_t b)
{
    size_t a_bytes, b_bytes;
    const char *a_text = an_names_text(names, a, &a_bytes);
    const char *b_text = an_names_text(names, b, &b_bytes);
    int compared = memcmp(a_text, b_text, a_bytes < b_bytes ? a_bytes : b_bytes);
    return compared ? compared : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

/* Stacks by their last functions, then in the order in which they were seen. */
static int statistics_compare_keys(const struct statistics_comparison *comparison,
                                   const struct an_statistics_row *a,
                                   const struct an_statistics_row *b)
{
    const struct an_tree *tree = comparison->tree;
    if (comparison->statistics->by != AN_BY_STACK)
        return statistics_compare_texts(comparison->statistics->keys, a->name, b->name);
    int compared = statistics_compare_texts(tree->names, tree->name[a->node], tree->name[b->node]);
    return compared ? compared : (a->node > b->node) - (a->node < b->node);
}

static int statistics_compare(const void *a_pointer, const void *b_pointer, void *context)
{
    const struct statistics_comparison *comparison = context;
    const struct an_statistics *statistics = comparison->statistics;
    const struct an_statistics_row *a = a_pointer, *b = b_pointer;
    int compared = 0;
    switch (comparison->sort) {
    case AN_SORT_SELF:
        compared = statistics_compare_amounts(a->self, b->self);
        break;
    case AN_SORT_TOTAL:
        compared = statistics_compare_amounts(a->total, b->total);
        break;
    case AN_SORT_CALLS:
        compared = statistics_compare_amounts(a->calls, b->calls);
        break;
    case AN_SORT_AVERAGE:
        compared = statistics_compare_amounts(an_statistics_average(statistics, a),
                                              an_statistics_average(statistics, b));
        break;
    case AN_SORT_MIN:
        compared = statistics_compare_amounts(statistics_single(statistics, a).shortest,
                                              statistics_single(statistics, b).shortest);
        break;
    case AN_SORT_MAX:
        compared = statistics_compare_amounts(statistics_single(statistics, a).longest,
                                              statistics_single(statistics, b).longest);
        break;
    case AN_SORT_NAME:
        return statistics_compare_keys(comparison, a, b);
    }
    if (!compared)
        compared = statistics_compare_amounts(a->self, b->self);
    if (!compared)
        compared = statistics_compare_amounts(a->total, b->total);
    return compared ? compared : statistics_compare_keys(comparison, a, b);
}

void an_statistics_sort(struct an_statistics *statistics, const struct an_tree *tree,
                        enum an_sort sort)
{
    struct statistics_comparison comparison = {statistics, tree, sort};
    qsort_r(statistics->row, statistics->row_count, sizeof(*statistics->row), statistics_compare,
            &comparison);
}
