/* The least that a hook can do and still know the time: what ours are measured against. */
#include <stdint.h>

static __thread volatile uint64_t sum __attribute__((tls_model("initial-exec")));

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)function, (void)site;
    sum += __builtin_ia32_rdtsc();
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function, (void)site;
    sum += __builtin_ia32_rdtsc();
}
