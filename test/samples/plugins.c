/*
 * plugins.c DIRECTORY SITUATION -- loads the plug-ins of DIRECTORY: one after another, in threads
 * while others allocate, for a thread that is new, deeply bound, into a namespace of their own; and
 * has libc load its own.
 */
#include <dlfcn.h>
#include <iconv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many blocks as libc keeps for a thread of one size. */
enum { ROUNDS = 20, THREADS = 3, CACHED = 7, PLUGIN_A_BYTES = 64 };

static const char *directory;
static void *kept[100];
static atomic_int stop;

static void *load(const char *name, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/lib%s.so", directory, name);
    void *plugin = dlopen(path, flags);
    if (!plugin) {
        puts(dlerror());
        exit(1);
    }
    return plugin;
}

static void run(void *plugin, void **blocks)
{
    void (*function)(void **) = (void (*)(void **))dlsym(plugin, "plugin_run");
    function(blocks);
}

static void use(const char *name)
{
    void *plugin = load(name, RTLD_NOW);
    run(plugin, kept);
    dlclose(plugin);
}

static void one_after_another(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        use(i % 2 ? "plugin_b" : "plugin_a");
    }
}

static void *allocate(void *unused)
{
    while (!stop) {
        free(malloc(50));
    }
    return unused;
}

static void *load_and_run(void *name)
{
    void *blocks[100];
    for (int i = 0; i < ROUNDS; i++) {
        void *plugin = load(name, RTLD_NOW);
        run(plugin, blocks);
        dlclose(plugin);
    }
    return NULL;
}

static void in_threads(void)
{
    static char names[THREADS][16] = {"plugin_a", "plugin_b", "plugin_a"};
    pthread_t loading[THREADS], allocating;
    pthread_create(&allocating, NULL, allocate, NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&loading[i], NULL, load_and_run, names[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(loading[i], NULL);
    }
    stop = 1;
    pthread_join(allocating, NULL);
}

static void *wait_and_run(void *loaded)
{
    while (!*(void *volatile *)loaded) {
        sched_yield();
    }
    run(*(void **)loaded, kept);
    return NULL;
}

/* The thread's first allocation is in a plug-in that has taken another one's place. The loader's
 * last word about it was a free(), and nobody has allocated since. */
static void for_a_new_thread(void)
{
    static void *loaded;
    pthread_t thread;
    pthread_create(&thread, NULL, wait_and_run, &loaded);
    use("plugin_b");
    void *plugin = load("plugin_a", RTLD_NOW);
    *(void *volatile *)&loaded = plugin;
    pthread_join(thread, NULL);
    dlclose(plugin);
}

/* Such a plug-in has libc's malloc for its own: blocks go over the border in both ways. */
static void deeply_bound(void)
{
    void *plugin = load("plugin_a", RTLD_NOW | RTLD_DEEPBIND);
    void (*release)(void **, int) = (void (*)(void **, int))dlsym(plugin, "plugin_free");
    void *own[CACHED];
    run(plugin, kept);
    for (int i = 0; i < 10; i++) {
        free(kept[i]);
    }
    void *again = malloc(PLUGIN_A_BYTES); /* libc keeps the first ones for the next call */
    printf("freed for good: %d\n", again == kept[CACHED - 1]);
    free(again);
    for (int i = 0; i < CACHED; i++) {
        own[i] = malloc(1000);
    }
    release(own, CACHED);
    for (int i = 0; i < CACHED; i++) {
        own[i] = malloc(1000); /* the same places */
    }
    for (int i = 0; i < CACHED; i++) {
        free(own[i]);
    }
    dlclose(plugin);
}

static void in_a_namespace(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/libplugin_a.so", directory);
    void *plugin = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
    if (!plugin) {
        puts(dlerror());
        exit(1);
    }
    run(plugin, kept);
    kept[0] = malloc(100);
    dlclose(plugin);
}

static void by_libc(void)
{
    char in[] = "\x83\x65\x83\x58\x83\x67", out[64] = "";
    for (int i = 0; i < 5; i++) {
        char *from = in, *to = out;
        size_t in_bytes = sizeof in - 1, out_bytes = sizeof out;
        iconv_t table = iconv_open(i % 2 ? "UTF-16LE" : "EUC-JP", "SHIFT_JIS");
        size_t result = iconv(table, &from, &in_bytes, &to, &out_bytes);
        printf("iconv: %zd, %zd bytes left\n", (ssize_t)result, out_bytes);
        iconv_close(table);
    }
}

static const struct situation {
    const char *name;
    void (*run)(void);
} situations[] = {
    {"one-after-another", one_after_another},
    {"threads", in_threads},
    {"new-thread", for_a_new_thread},
    {"deeply-bound", deeply_bound},
    {"namespace", in_a_namespace},
    {"libc", by_libc},
};

int main(int count, char **arguments)
{
    if (count < 3) {
        return 2;
    }
    directory = arguments[1];
    for (size_t i = 0; i < sizeof situations / sizeof situations[0]; i++) {
        if (strcmp(situations[i].name, arguments[2]) == 0) {
            situations[i].run();
        }
    }
    puts("done");
    return 0;
}
