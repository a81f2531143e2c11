/* C23. */
[[nodiscard]] int attribute(void) { return 1'000'000; }
[[gnu::naked]] void naked(void) { __asm__("ret"); }
[[gnu::noinline, deprecated("use } instead {")]] static int more(int, int) { return 0b1010; }
enum small : unsigned char { FEW, SOME };
constexpr int limit = 3;
_BitInt(17) bits(_BitInt(17) x) { return x; }
typeof_unqual(limit) copy(void) { return limit; }
int dots(...) { return 0; }
static_assert(sizeof(int) == 4, "{");
struct [[deprecated]] old { int x; };
_Noreturn void stop(void) { for (;;) { } }
int chosen(int x) { return _Generic(x, int: 1, default: 2); }
auto deduced = 2;
#ifdef A
int variant(void) {
#elifdef B
int variant(long x) {
#elifndef C
int variant(char x) {
#else
int variant(short x) {
#endif
    return 0;
}
