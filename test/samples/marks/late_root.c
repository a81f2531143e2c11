/*
 * A root in a library that is loaded while the program runs (-DLIBRARY: that library). What ran
 * before its first entry is recorded, for nobody could know; what runs behind its last exit is not.
 */
#include <thag_profiler.h>

#include <dlfcn.h>
#include <stdlib.h>

#ifdef LIBRARY
void late_root(void (*callee)(void))
{
    THAG_ENABLE_PROFILING;
    callee();
}
#else
static void *volatile kept;

__attribute__((noinline)) void work(void)
{
    THAG_PROFILED;
    kept = malloc(10);
}

int main(int count, char **arguments)
{
    work();
    void *library = dlopen(arguments[count - 1], RTLD_NOW);
    void (*root)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(library, "late_root");
    root(work);
    work();
    work();
    root(work);
    work();
    return 0;
}
#endif
