"""Print heap_work.c: malloc and free through many distinct call stacks of a chosen depth.

    heap_work DEPTH PAIRS THREADS

Every allocation ends in one of 1000 call paths (three levels of ten call sites each, so that a
profiler meets shared prefixes and different leaves, as in a real program), below a straight chain
that brings the whole stack to DEPTH frames, the thread's own function included. 10000 blocks are
live at a time; sizes are 16 to 519 bytes, four for each path, as a call site of a real program
allocates few different sizes. (With sizes at random, hundreds of thousands of pairs of size and
stack, heaptrack 1.4 filled the memory and ended with bad_alloc.) Prints nothing: who runs it
measures it.
"""

SITES = 10
DEEPEST = 60
FIXED_FRAMES = 4  # work() and the three levels

HEAD = """/* Written by make_heap_work.py. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define APART __attribute__((noipa))

struct path {
    unsigned site[3];
    size_t bytes;
};

typedef void *step(const struct path *);
"""

TAIL = """
struct task {
    pthread_t thread;
    step *enter;
    uint64_t random;
    long pairs;
    unsigned live;
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 24;
}

static APART void *work(void *argument)
{
    struct task *task = argument;
    void **blocks = calloc(task->live, sizeof(*blocks));
    for (long i = 0; i < task->pairs; i++) {
        uint64_t dice = next_random(&task->random);
        struct path path = {.site = {dice % 10, dice / 10 % 10, dice / 100 % 10}};
        path.bytes = 16 + dice % 1000 * 7 % 126 * 4 + dice / 1000 % 4;
        unsigned victim = (unsigned)(next_random(&task->random) % task->live);
        free(blocks[victim]);
        blocks[victim] = task->enter(&path);
    }
    for (unsigned i = 0; i < task->live; i++) {
        free(blocks[i]);
    }
    free(blocks);
    return NULL;
}

int main(int argc, char **argv)
{
    long depth = argc > 1 ? atol(argv[1]) : 20;
    long pairs = argc > 2 ? atol(argv[2]) : 1000000;
    long threads = argc > 3 ? atol(argv[3]) : 1;
    if (depth < FIXED || depth > DEEPEST || threads < 1 || threads > 64) {
        return 2;
    }
    struct task tasks[64];
    for (long i = 0; i < threads; i++) {
        tasks[i] = (struct task){.enter = chain[depth - FIXED], .random = (uint64_t)i + 1,
                                 .pairs = pairs / threads, .live = 10000 / (unsigned)threads};
    }
    if (threads == 1) {
        work(&tasks[0]);
        return 0;
    }
    for (long i = 0; i < threads; i++) {
        if (pthread_create(&tasks[i].thread, NULL, work, &tasks[i]) != 0) {
            return 1;
        }
    }
    for (long i = 0; i < threads; i++) {
        pthread_join(tasks[i].thread, NULL);
    }
    return 0;
}
"""


def level(number, callee):
    """One function with ten call sites of its own; the empty asm keeps them from being merged."""
    lines = [f"static APART void *level{number}(const struct path *path)", "{",
             "    void *block = NULL;", f"    switch (path->site[{number}]) {{"]
    for site in range(SITES):
        lines += [f"    case {site}:", f"        block = {callee};",
                  f"        __asm__ volatile(\"/* {number}.{site} */\" : \"+r\"(block));",
                  "        break;"]
    return "\n".join(lines + ["    }", "    return block;", "}"])


def chain(number):
    callee = "level2" if number == 0 else f"chain{number - 1}"
    return "\n".join([f"static APART void *chain{number}(const struct path *path)", "{",
                      f"    void *block = {callee}(path);",
                      "    __asm__ volatile(\"\" : \"+r\"(block));", "    return block;", "}"])


def main():
    print(HEAD)
    print(level(0, "malloc(path->bytes)"))
    print(level(1, "level0(path)"))
    print(level(2, "level1(path)"))
    links = DEEPEST - FIXED_FRAMES
    for number in range(links):
        print(chain(number))
    names = ", ".join(["level2"] + [f"chain{number}" for number in range(links)])
    print(f"static step *const chain[] = {{{names}}};")
    print(f"enum {{ FIXED = {FIXED_FRAMES}, DEEPEST = {DEEPEST} }};")
    print(TAIL)


if __name__ == "__main__":
    main()
