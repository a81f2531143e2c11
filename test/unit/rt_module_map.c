#include "runtime/hot/module_map.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/hot/recording.h"
#include "runtime/hot/stack_table.h"
#include "test/fake/unwind_fake.h"
#include "test/support/rt_fixture.h"

enum { TID = 7 };

static const struct rec_module *module_at(uint64_t index)
{
    return rt_fixture_record(REC_KIND_MODULES, index, sizeof(struct rec_module));
}

/* The number of the last module that holds ADDRESS, -1: none. */
static int module_of(uintptr_t address)
{
    int found = -1;
    for (uint64_t i = 0; i < rt_recording.header->module_count; i++) {
        if (address >= module_at(i)->start && address < module_at(i)->end) {
            found = (int)i;
        }
    }
    return found;
}

static bool path_ends(const struct rec_module *module, const char *end)
{
    size_t bytes = strlen(end);
    const char *path = (const char *)rt_recording.header + module->path.offset;
    return module->path.bytes >= bytes &&
           memcmp(path + module->path.bytes - bytes, end, bytes) == 0;
}

static void visit(void)
{
    __atomic_fetch_add(&rt_module_map.epoch, 1, __ATOMIC_RELEASE);
    cr_assert_eq(rt_module_map_review(TID), rt_module_map_epoch());
}

static void *load(const char *path, uintptr_t *ret_address)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(library, "%s", dlerror());
    *ret_address = (uintptr_t)dlsym(library, "plugin_answer");
    return library;
}

Test(rt_module_map, a_module_is_recorded_once_as_the_loader_knows_it)
{
    Dl_info info;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_module_map_note((uintptr_t)module_of, TID);
    rt_module_map_note((uintptr_t)load, TID);
    rt_module_map_note((uintptr_t)gnu_get_libc_version, TID);
    rt_module_map_note((uintptr_t)0x10, TID);
    cr_assert_eq(rt_recording.header->module_count, 2);
    const struct rec_module *own = module_at(0), *libc = module_at(1);
    cr_assert(dladdr((void *)module_of, &info));
    cr_assert_eq(own->start, (uintptr_t)info.dli_fbase);
    cr_assert_eq(own->bias, (uintptr_t)info.dli_fbase);
    cr_assert_eq(own->flags, REC_MODULE_MAIN);
    cr_assert_eq(own->first_generation, 1);
    cr_assert_eq(own->last_generation, UINT32_MAX);
    cr_assert_eq(libc->flags, 0);
    cr_assert(path_ends(libc, "libc.so.6"));
    cr_assert_eq(libc->build_id_bytes, 20);
}

/* The bytes of the note, as the program headers of the module lead to them. */
static int build_id_find(struct dl_phdr_info *info, size_t bytes, void *argument)
{
    (void)bytes;
    const struct rec_module *module = argument;
    for (int i = 0; i < info->dlpi_phnum && info->dlpi_addr == module->bias; i++) {
        const char *notes = (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_NOTE &&
            memmem(notes, info->dlpi_phdr[i].p_memsz, module->build_id, module->build_id_bytes)) {
            return 1;
        }
    }
    return 0;
}

Test(rt_module_map, the_build_id_is_the_modules)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_module_map_note((uintptr_t)gnu_get_libc_version, TID);
    cr_assert_eq(dl_iterate_phdr(build_id_find, (void *)(uintptr_t)module_at(0)), 1);
}

Test(rt_module_map, a_return_address_in_the_loader_is_a_visit)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_module_map.loader_start = 0x5000;
    rt_module_map.loader_bytes = 0x1000;
    uint32_t epoch = rt_module_map_epoch();
    rt_module_map_notice(0x4fff);
    rt_module_map_notice(0x6000);
    cr_assert_eq(rt_module_map_epoch(), epoch);
    rt_module_map_notice(0x5000);
    rt_module_map_notice(0x5fff);
    cr_assert_eq(rt_module_map_epoch(), epoch + 2);
    rt_module_map.loader_bytes = 0; /* not known */
    rt_module_map_notice(0x5000);
    cr_assert_eq(rt_module_map_epoch(), epoch + 2);
}

Test(rt_module_map, a_review_without_a_change_changes_nothing)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    rt_module_map_note((uintptr_t)module_of, TID);
    rt_module_map_note((uintptr_t)gnu_get_libc_version, TID);
    unwind_fake_forgets = 0;
    visit();
    cr_assert_eq(rt_module_map.generation, 1);
    cr_assert_eq(unwind_fake_forgets, 0);
}

Test(rt_module_map, what_is_gone_is_forgotten_and_the_same_may_come_back)
{
    uintptr_t address, again;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    void *library = load(PLUGIN_ONE, &address);
    rt_module_map_note(address, TID);
    cr_assert(path_ends(module_at(0), "plugin_one.so"));
    unwind_fake_forgets = 0;
    dlclose(library);
    visit();
    cr_assert_eq(unwind_fake_forgets, 1);
    visit();
    cr_assert_eq(unwind_fake_forgets, 1);
    cr_assert_eq(rt_module_map.generation, 1); /* nothing lies there yet */
    load(PLUGIN_ONE, &again);
    if (again != address) {
        cr_skip_test("the loader did not choose the same address again");
    }
    visit();
    cr_assert_eq(rt_module_map.generation, 1);
    cr_assert_eq(rt_recording.header->module_count, 1);
    cr_assert_eq(module_at(0)->last_generation, UINT32_MAX);
}

Test(rt_module_map, another_module_at_the_same_address_ends_the_generation)
{
    uintptr_t address, other;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    void *library = load(PLUGIN_ONE, &address);
    rt_module_map_note(address, TID);
    uint64_t seed = rt_stack_seed();
    dlclose(library);
    load(PLUGIN_TWO, &other);
    if (other != address) {
        cr_skip_test("the loader did not choose the same address again");
    }
    visit(); /* both at once, as when no hook ran in between */
    cr_assert_eq(rt_module_map.generation, 2);
    cr_assert_eq(rt_recording.header->generation, 2);
    cr_assert_neq(rt_stack_seed(), seed);
    rt_module_map_note(other, TID);
    cr_assert_eq(rt_recording.header->module_count, 2);
    cr_assert_eq(module_at(0)->last_generation, 1);
    cr_assert_eq(module_at(1)->first_generation, 2);
    cr_assert_eq(module_of(other), 1);
    cr_assert(path_ends(module_at(1), "plugin_two.so"));
    cr_assert_neq(memcmp(module_at(0)->build_id, module_at(1)->build_id, 20), 0);
}

Test(rt_module_map, what_was_gone_for_long_still_has_its_successor_noticed)
{
    uintptr_t address, other;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    void *library = load(PLUGIN_ONE, &address);
    rt_module_map_note(address, TID);
    dlclose(library);
    visit();
    visit();
    load(PLUGIN_TWO, &other);
    if (other != address) {
        cr_skip_test("the loader did not choose the same address again");
    }
    visit();
    cr_assert_eq(rt_module_map.generation, 2);
}

static volatile bool stop;

static void *review_again_and_again(void *unused)
{
    while (!stop) {
        __atomic_fetch_add(&rt_module_map.epoch, 1, __ATOMIC_RELEASE);
        rt_module_map_review(TID + 1);
    }
    return unused;
}

/* One thread unloads what another one's hook is looking at. */
Test(rt_module_map, a_review_survives_a_module_that_goes_away_meanwhile, .timeout = 600)
{
    pthread_t reviewer;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    pthread_create(&reviewer, NULL, review_again_and_again, NULL);
    for (int i = 0; i < 3000; i++) {
        uintptr_t address;
        void *library = load(i % 2 ? PLUGIN_ONE : PLUGIN_TWO, &address);
        rt_module_map_note(address, TID);
        dlclose(library);
    }
    stop = true;
    pthread_join(reviewer, NULL);
}

/* The module of a node, by its generation as the reader takes it. */
static bool is_covered(const struct rec_node *node)
{
    uintptr_t address = REC_NODE_ADDRESS(node->key);
    for (uint64_t i = 0; i < rt_recording.header->module_count; i++) {
        const struct rec_module *module = module_at(i);
        if (address >= module->start && address < module->end &&
            node->generation >= module->first_generation &&
            node->generation <= module->last_generation) {
            return true;
        }
    }
    return false;
}

/* What a hook does that is called from a plug-in which has just been loaded. */
static void *load_and_walk(void *tid)
{
    struct rt_frame frame[1];
    struct rt_walk walk = {.frame = frame, .limit = 1};
    for (int i = 0; i < 2000; i++) {
        uintptr_t address;
        void *library = load(i % 2 ? PLUGIN_ONE : PLUGIN_TWO, &address);
        __atomic_fetch_add(&rt_module_map.epoch, 1, __ATOMIC_RELEASE);
        rt_module_map_review((uint32_t)(uintptr_t)tid);
        rt_walk_reset(&walk, rt_stack_seed());
        unwind_fake_set(address);
        rt_unwind(&walk, &rt_fixture_registers);
        rt_stack_find(&walk, (uint32_t)(uintptr_t)tid);
        dlclose(library);
    }
    return NULL;
}

Test(rt_module_map, every_new_stack_has_its_module_though_generations_end_meanwhile, .timeout = 600)
{
    pthread_t other, reviewer;
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    pthread_create(&reviewer, NULL, review_again_and_again, NULL);
    pthread_create(&other, NULL, load_and_walk, (void *)(uintptr_t)(TID + 2));
    load_and_walk((void *)(uintptr_t)TID);
    pthread_join(other, NULL);
    stop = true;
    pthread_join(reviewer, NULL);
    for (uint32_t i = RT_STACK_UNKNOWN + 1; i < rt_recording.header->stack_count; i++) {
        const struct rec_stack *stack = rt_fixture_record(REC_KIND_STACKS, i, sizeof *stack);
        const struct rec_node *node = rt_fixture_record(REC_KIND_NODES, stack->node, sizeof *node);
        cr_assert(is_covered(node), "stack %u of generation %u", i, node->generation);
    }
}
