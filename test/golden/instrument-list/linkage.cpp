// Linkage, namespaces, templates.
extern "C" {
int in_c(void) { return 1; }
int main(void) { return 0; }
}
extern "C" int alone(void) { return 2; }
extern "C++" { namespace { int hidden() { return 3; } } }
namespace a::b { inline namespace v1 { int deep() { return 4; } } }
namespace [[deprecated]] c { int odd() { return 5; } }
namespace d = a::b;
inline int in_line() { return 6; }
template <typename T, int N = (3 > 2), typename = enable<(N > 0)>> T bounded(T t) { return t; }
template <> int special<int>(int t) { return t; }
template <class T> requires integral<T> && (sizeof(T) > 1) T constrained(T t) { return t; }
template <class T> concept addable = requires(T a, T b) { a + b; { a - b } -> same<T>; };
template <class T> requires requires(T t) { t.x(); } int has(T t) { return t.x(); }
template <bool is_constexpr = false> int not_constant() { return 7; }
constexpr int constant() { return 8; }
LIB_CONSTEXPR14 int maybe_constant() { return 9; }
bool is_constexpr(int x) { return x; }
auto trailing() -> decltype(in_line()) { return 1; }
auto abbreviated(auto x, addable auto y) { return x + y; }
std::vector<std::map<int, int>> nested() { return {}; }
class EXPORT shown { int get() { return 1; } };
class EXPORT(x) listed : public base { int get() { return 2; } };
enum class kind : int { one, two };
enum type MACRO_TYPE(unsigned char) { first, second };
struct derived : wrap(base) { int get() { return 3; } };
std::initializer_list<int> list{1, 2, 3};
export int exported() { return 10; }
__global__ void kernel(float *x) { *x = 1; }
