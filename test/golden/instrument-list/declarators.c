/* Every way to write the head of a function. */
typedef int number;
int (main)(void) { return 0; }
int (*pointer(int x))(int) { return x ? 0 : pointer(x); }
char (*array(void))[4] { static char a[4]; return &a; }
void (*signal2(int sig, void (*func)(int)))(int) { return sig ? func : 0; }
int (*(*twice(void))(int))(char) { return 0; }
int (*const constant(void))(int) { return 0; }
number (parenthesised)(int x) { return x; }
static number *const *(stars)(void) { return 0; }
struct made { int y; } make(void) { struct made m = { 1 }; return m; }
enum { RED, GREEN } colour(void) { return RED; }
enum shade { DARK, LIGHT } shade(enum shade s) { return s; }
union either { int i; float f; } *either(union either *u) { return u; }
unsigned long long int words(void) { return 1ull; }
typeof(int) typed(void) { return 2; }
static inline typeof(words()) (enclosed(int x)) { return (unsigned)x; }
int many(int a[static 2], int n, int (*f)(int, int), ...) { return a[n] + f(1, 2); }
const char *const table[] = { "a", "b" }, *first(void);
int data = 3, (*handler)(int) = 0;
_Bool
split
(void)
{
    return 1;
}
