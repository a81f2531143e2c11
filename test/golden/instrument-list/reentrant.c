/* What the guard itself would run in, and what may run at any moment. */
#include <signal.h>
static void on_interrupt(int sig) { (void)sig; }
static void on_alarm(int sig) { (void)sig; }
static void on_fault(int sig, siginfo_t *info, void *more) { (void)sig; (void)info; (void)more; }
static void on_child(int sig) { (void)sig; }
static void ordinary(int sig) { (void)sig; }
void install(void)
{
    struct sigaction action = { .sa_handler = on_alarm };
    signal(SIGINT, on_interrupt);
    action.sa_sigaction = &on_fault;
    signal(SIGCHLD, (void (*)(int))on_child);
    signal(SIGPIPE, SIG_IGN);
    ordinary(0);
}
void *malloc(unsigned long n) { return n ? 0 : 0; }
void free(void *p) { (void)p; }
int posix_memalign(void **p, unsigned long a, unsigned long n) { *p = 0; return (int)(a + n); }
void *memcpy(void *to, const void *from, unsigned long n) { (void)from; (void)n; return to; }
unsigned long strlen(const char *s) { return *s; }
void __cyg_profile_func_enter(void *f, void *c) { (void)f; (void)c; }
void mcount(void) { }
void thag_snapshot(void) { }
void mallocate(void) { }
void interrupt_handler(void) { }
__attribute__((signal)) void vector(void) { }
notrace void untraced(void) { }
void declared_apart(void) __attribute__((no_instrument_function));
void declared_apart(void) { }
