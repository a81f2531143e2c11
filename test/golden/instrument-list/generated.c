/* Definitions whose heads are macros. */
SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)
{
    return 0;
}
static DEFINE_SPINLOCK(lock);
DECLARE_LIST(all) = { .next = 0 };
TRACE_EVENT(thing, TP_PROTO(int x), TP_fast_assign(__entry->x = x; { }), TP_printk("%d", x));
PG_FUNCTION_INFO_V1(add_one);
Datum add_one(PG_FUNCTION_ARGS) { PG_RETURN_INT32(1); }
PG_FUNCTION_INFO_V1(add_two)
Datum add_two(PG_FUNCTION_ARGS)
{
    PG_TRY();
    {
        work();
    }
    PG_CATCH();
    {
        PG_RE_THROW();
    }
    PG_END_TRY();
}
TEST(suite, constexpr_name) { check(1); }
STRUCT(pair) { int a, b; };
API(int) exported(void) { return 1; }
static API(unsigned) hidden_here(int x) { return x; }
int PRINTF(1, 2) say(const char *format, ...) { return *format; }
int checked(int x) REQUIRES(lock) { return x; }
void NAME(codec)(int x) { (void)x; }
#define GETTER(f) int get_##f(void) { return f; }
GETTER(x)
int behind_macro(void) { return 2; }
int body_macro(void) BODY
USB_ENTRY(1, 2), QUIRK { .field = 1 },
struct __aligned(8) packed_name { int x; };
class_like(int) __init start(void) { return 0; }
