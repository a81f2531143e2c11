/*
 * recording_dump.c FILE.thag [--stacks] -- what a recording holds, as key=value lines.
 *
 * For the tests of the recorder, and therefore independent of the analyzer: it knows the layout
 * alone, checks what it relies on, and exits 1 with a reason if the file does not hold together.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/format/recording_format.h"

struct sums {
    int64_t allocations, bytes, frees, live_bytes, at_peak, temporary, max_bytes;
};

static struct {
    const char *memory;
    uint64_t bytes;
    const struct rec_header *header;
    const struct rec_node **node;
    const struct rec_stack **stack;
    const struct rec_thread **thread;
    const struct rec_module **module;
    struct sums *by_stack, *by_module, *by_thread;
    struct sums all;
} file;

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("recording_dump: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(1);
}

static const void *at(uint64_t offset, uint64_t bytes)
{
    if (offset > file.bytes || bytes > file.bytes - offset) {
        fail("%" PRIu64 " bytes at offset %" PRIu64 " are not in the file", bytes, offset);
    }
    return file.memory + offset;
}

static void load(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) < 0) {
        fail("%s: %s", path, strerror(errno));
    }
    file.bytes = (uint64_t)status.st_size;
    if (file.bytes < REC_PAGE_BYTES) {
        fail("%s: %" PRIu64 " bytes are no recording", path, file.bytes);
    }
    file.memory = mmap(NULL, file.bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (file.memory == MAP_FAILED) {
        fail("%s: %s", path, strerror(errno));
    }
    close(fd);
    file.header = (const struct rec_header *)file.memory;
    const struct rec_header *header = file.header;
    if (header->magic != REC_MAGIC || header->version != REC_VERSION ||
        header->header_bytes != sizeof *header || header->byte_order != REC_BYTE_ORDER) {
        fail("%s: not a recording of this version", path);
    }
    printf("file_bytes=%" PRIu64 "\nfile_mode=%o\n", file.bytes, status.st_mode & 07777u);
}

static const struct rec_extent *extent(uint64_t index)
{
    uint64_t position = index + REC_EXTENT_FIRST;
    unsigned segment = 0;
    while (position >= (uint64_t)REC_EXTENT_FIRST << (segment + 1)) {
        segment++;
    }
    uint64_t first = file.header->extent_segment[segment];
    uint64_t entry = position - ((uint64_t)REC_EXTENT_FIRST << segment);
    return at((first << REC_PAGE_SHIFT) + entry * sizeof(struct rec_extent),
              sizeof(struct rec_extent));
}

/* Enter the records of one extent into a table of COUNT pointers. */
static void enter(const void **table, uint64_t count, const struct rec_extent *from, size_t size)
{
    uint64_t records = (from->page_count << REC_PAGE_SHIFT) / size;
    const char *first = at(from->first_page << REC_PAGE_SHIFT, from->page_count << REC_PAGE_SHIFT);
    for (uint64_t i = 0; i < records && from->first_index + i < count; i++) {
        table[from->first_index + i] = first + i * size;
    }
}

static void *table_new(uint64_t count, size_t size)
{
    void *table = calloc(count + 1, size);
    if (!table) {
        fail("no memory for %" PRIu64 " records", count);
    }
    return table;
}

static void tables_fill(void)
{
    const struct rec_header *header = file.header;
    file.node = table_new(header->node_count, sizeof *file.node);
    file.stack = table_new(header->stack_count, sizeof *file.stack);
    file.thread = table_new(header->thread_count, sizeof *file.thread);
    file.module = table_new(header->module_count, sizeof *file.module);
    file.by_stack = table_new(header->stack_count, sizeof *file.by_stack);
    file.by_module = table_new(header->module_count, sizeof *file.by_module);
    file.by_thread = table_new(header->thread_count, sizeof *file.by_thread);
    uint64_t last_page = header->used_pages;
    for (uint64_t i = 0; i < header->extent_count; i++) {
        const struct rec_extent *from = extent(i);
        if (from->kind && from->first_page + from->page_count > last_page) {
            fail("extent %" PRIu64 " ends behind the used pages", i);
        }
        if (from->kind == REC_KIND_NODES) {
            enter((const void **)file.node, header->node_count, from, sizeof **file.node);
        } else if (from->kind == REC_KIND_STACKS) {
            enter((const void **)file.stack, header->stack_count, from, sizeof **file.stack);
        } else if (from->kind == REC_KIND_THREADS) {
            enter((const void **)file.thread, header->thread_count, from, sizeof **file.thread);
        } else if (from->kind == REC_KIND_MODULES) {
            enter((const void **)file.module, header->module_count, from, sizeof **file.module);
        }
    }
}

/* The largest size; the histogram must count each allocation once, but for the last one of a thread
 * that still ran at the end. */
static void sizes_read(const struct rec_counter *counter, struct sums *sums)
{
    if (counter->size_mark < REC_SIZES_MANY) {
        sums->max_bytes = counter->size_mark ? (int64_t)counter->size_mark - 1 : 0;
        return;
    }
    if (!counter->histogram) {
        return;
    }
    uint64_t classes = (uint64_t)REC_SIZES_OCTAVES(counter->size_mark) * REC_OCTAVE_CLASSES;
    const struct rec_histogram *histogram = at((uint64_t)counter->histogram * REC_HISTOGRAM_UNIT,
                                               sizeof *histogram + classes * sizeof(uint64_t));
    uint64_t counted = 0;
    for (uint64_t i = 0; i < classes; i++) {
        counted += histogram->count[i];
    }
    if (file.header->end_ns && counter->allocations - counted > 1) {
        fail("a histogram counts %" PRIu64 " of %" PRIu64 " allocations", counted,
             counter->allocations);
    }
    sums->max_bytes = (int64_t)histogram->max_bytes;
}

static void sums_add(struct sums *to, const struct sums *from)
{
    to->allocations += from->allocations;
    to->bytes += from->bytes;
    to->frees += from->frees;
    to->live_bytes += from->live_bytes;
    to->at_peak += from->at_peak;
    to->temporary += from->temporary;
    to->max_bytes = from->max_bytes > to->max_bytes ? from->max_bytes : to->max_bytes;
}

static void counters_add(const struct rec_extent *from)
{
    uint64_t count = from->page_count * REC_COUNTERS_PER_PAGE;
    const struct rec_counter *counter =
        at(from->first_page << REC_PAGE_SHIFT, from->page_count << REC_PAGE_SHIFT);
    if (from->owner >= file.header->thread_count) {
        fail("counters of slot %u, which is not there", from->owner);
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t stack = from->first_index + i;
        struct sums sums = {
            .allocations = (int64_t)counter[i].allocations,
            .bytes = (int64_t)counter[i].bytes,
            .frees = (int64_t)counter[i].frees,
            .live_bytes = counter[i].live_bytes,
            .at_peak = counter[i].epoch == file.header->peak_epoch ? counter[i].saved_bytes
                                                                   : counter[i].live_bytes,
            .temporary = (int64_t)counter[i].temporary,
        };
        if (!sums.allocations && !sums.frees) {
            continue;
        }
        if (stack >= file.header->stack_count) {
            fail("counter of stack %" PRIu64 ", which is not there", stack);
        }
        sizes_read(&counter[i], &sums);
        sums_add(&file.by_stack[stack], &sums);
        sums_add(&file.by_thread[from->owner], &sums);
        sums_add(&file.all, &sums);
    }
}

/* The module of a node, by address and generation; module_count: none. */
static uint64_t module_of(const struct rec_node *node)
{
    uint64_t address = REC_NODE_ADDRESS(node->key);
    for (uint64_t i = 0; i < file.header->module_count; i++) {
        const struct rec_module *module = file.module[i];
        if (module && module->start <= address && address < module->end &&
            module->first_generation <= node->generation &&
            node->generation <= module->last_generation) {
            return i;
        }
    }
    return file.header->module_count;
}

static void text_print(const char *name, struct rec_text text)
{
    const char *bytes = at(text.offset, text.bytes);
    printf("%s=", name);
    for (uint32_t i = 0; i < text.bytes; i++) {
        putchar(bytes[i] == '\n' || bytes[i] == 0 ? ' ' : bytes[i]);
    }
    putchar('\n');
}

static void sums_print(const char *prefix, const struct sums *sums)
{
    printf("%sallocations=%" PRId64 "\n%sbytes=%" PRId64 "\n%sfrees=%" PRId64 "\n", prefix,
           sums->allocations, prefix, sums->bytes, prefix, sums->frees);
    printf("%slive=%" PRId64 "\n%slive_blocks=%" PRId64 "\n%sat_peak=%" PRId64
           "\n%stemporary=%" PRId64 "\n%smax_bytes=%" PRId64 "\n",
           prefix, sums->live_bytes, prefix, sums->allocations - sums->frees, prefix, sums->at_peak,
           prefix, sums->temporary, prefix, sums->max_bytes);
}

static void header_print(void)
{
    static const char *const ends[] = {"none", "return", "_exit", "quick_exit", "exec"};
    const struct rec_header *header = file.header;
    printf("end_reason=%s\nended=%d\n", header->end_reason < 5 ? ends[header->end_reason] : "?",
           header->end_ns != 0);
#define PRINT(field) printf(#field "=%" PRIi64 "\n", (int64_t)header->field)
    PRINT(content), PRINT(machine), PRINT(exit_status), PRINT(pid), PRINT(parent_pid);
    PRINT(family_pid), PRINT(uid), PRINT(utc_offset_s), PRINT(generation);
    PRINT(size_threshold_bytes), PRINT(reservation_bytes), PRINT(used_pages);
    PRINT(node_count), PRINT(stack_count), PRINT(thread_count), PRINT(module_count);
    PRINT(live_bytes), PRINT(peak_bytes), PRINT(pending_bound_bytes), PRINT(max_threads);
    PRINT(moment_count), PRINT(before_start_allocations), PRINT(before_start_bytes);
    PRINT(nested_calls), PRINT(guard_takeovers), PRINT(stacks_unknown), PRINT(events_lost);
    PRINT(unknown_frees), PRINT(children), PRINT(resolver_seen);
    PRINT(sample_clock), PRINT(sample_hz), PRINT(sample_lost_ns), PRINT(sample_refused);
    PRINT(sample_end);
#undef PRINT
    printf("full=%d\n", header->full_ns != 0);
    text_print("program", header->program);
    text_print("arguments", header->arguments);
    text_print("directory", header->directory);
    text_print("base_name", header->base_name);
    text_print("host", header->host);
    text_print("config", header->config);
}

static void modules_print(void)
{
    for (uint64_t i = 0; i < file.header->module_count; i++) {
        const struct rec_module *module = file.module[i];
        char name[64];
        if (!module || !module->start) {
            continue;
        }
        if (module->start >= module->end) {
            fail("module %" PRIu64 " is empty", i);
        }
        snprintf(name, sizeof name, "module.%" PRIu64 ".path", i);
        text_print(name, module->path);
        printf("module.%" PRIu64 ".generations=%u-%u\nmodule.%" PRIu64 ".build_id_bytes=%u\n", i,
               module->first_generation, module->last_generation, i, module->build_id_bytes);
        snprintf(name, sizeof name, "module.%" PRIu64 ".", i);
        sums_print(name, &file.by_module[i]);
        if (module->flags & REC_MODULE_MAIN) {
            sums_print("main.", &file.by_module[i]);
        }
    }
}

static void threads_print(void)
{
    for (uint64_t i = 0; i < file.header->thread_count; i++) {
        const struct rec_thread *thread = file.thread[i];
        if (!thread) {
            fail("slot %" PRIu64 " is not there", i);
        }
        printf("thread.%" PRIu64 ".name=%.16s\nthread.%" PRIu64 ".times_taken=%u\n", i,
               thread->name, i, thread->times_taken);
        printf("thread.%" PRIu64 ".allocations=%" PRId64 "\nthread.%" PRIu64 ".frees=%" PRId64 "\n",
               i, file.by_thread[i].allocations, i, file.by_thread[i].frees);
    }
}

/* "module+0xaddress", as it is looked up: one byte before a return address. */
static void frame_print(const struct rec_node *node)
{
    static const char *const special[] = {"?", "[unknown]", "[cut]", "[before start]", "[elided]"};
    if (node->key < REC_SPECIAL_LIMIT) {
        printf("%s", node->key < 5 ? special[node->key] : "?");
        return;
    }
    uint64_t number = module_of(node);
    uint64_t address = REC_NODE_ADDRESS(node->key) - (node->key & REC_NODE_EXACT ? 0 : 1);
    if (number == file.header->module_count) {
        printf("+0x%" PRIx64, address);
        return;
    }
    const struct rec_module *module = file.module[number];
    const char *path = at(module->path.offset, module->path.bytes);
    uint32_t from = module->path.bytes;
    while (from > 0 && path[from - 1] != '/') {
        from--;
    }
    printf("%.*s+0x%" PRIx64, (int)(module->path.bytes - from), path + from,
           address - module->bias);
}

static void stack_print(uint64_t number)
{
    const struct sums *sums = &file.by_stack[number];
    printf("stack=%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %u ", sums->allocations,
           sums->bytes, sums->frees, sums->live_bytes, file.stack[number]->flags);
    for (uint32_t i = file.stack[number]->node; i; i = file.node[i]->parent) {
        frame_print(file.node[i]);
        putchar(file.node[i]->parent ? ';' : '\n');
    }
}

/* Checks each stack's frames on the way, books its values on the leaf's module. */
static void stacks_read(bool print)
{
    struct sums no_module = {0};
    int64_t cut = 0, deepest = 0;
    for (uint64_t i = 1; i < file.header->stack_count; i++) {
        const struct rec_stack *stack = file.stack[i];
        if (!stack || !stack->node) {
            continue;
        }
        int64_t depth = 0;
        for (uint32_t n = stack->node; n; n = file.node[n]->parent, depth++) {
            if (n >= file.header->node_count || !file.node[n] || !file.node[n]->key ||
                file.node[n]->parent >= n) {
                fail("stack %" PRIu64 " leads to node %u, which is not right", i, n);
            }
        }
        uint64_t module = module_of(file.node[stack->node]);
        sums_add(module < file.header->module_count ? &file.by_module[module] : &no_module,
                 &file.by_stack[i]);
        cut += stack->flags & REC_STACK_CUT ? file.by_stack[i].allocations : 0;
        deepest = depth > deepest ? depth : deepest;
        if (print && file.by_stack[i].allocations) {
            stack_print(i);
        }
    }
    printf("cut_allocations=%" PRId64 "\ndeepest=%" PRId64 "\n", cut, deepest);
    sums_print("no_module.", &no_module);
}

int main(int count, char **arguments)
{
    if (count < 2 || count > 3) {
        fputs("usage: recording_dump FILE.thag [--stacks]\n", stderr);
        return 2;
    }
    load(arguments[1]);
    tables_fill();
    for (uint64_t i = 0; i < file.header->extent_count; i++) {
        if (extent(i)->kind == REC_KIND_COUNTERS) {
            counters_add(extent(i));
        }
    }
    header_print();
    stacks_read(count == 3);
    sums_print("", &file.all);
    modules_print();
    threads_print();
    return 0;
}
