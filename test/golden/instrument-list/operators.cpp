// Operators, conversions and what is around them.
#include <string>
class number {
public:
    operator bool() const { return n; }
    operator std::string() const { return ""; }
    explicit operator const number *() const { return this; }
    template <class T> operator std::function<T(int)>() { return {}; }
    number operator+(int x) const & { return {n + x}; }
    bool operator()(int a, int b) { return a < b; }
    int &operator[](int i) { return n; }
    number *operator->() { return this; }
    bool operator<(const number &o) const = default;
    auto operator<=>(const number &) const noexcept { return 0; }
    friend bool operator==(number a, number b) { return a.n == b.n; }
    void operator,(int) { }
    static void *operator new[](unsigned long n) { return nullptr; }
    void free() { }
private:
    int n = 0;
    struct deep { struct deeper { deeper() { } }; };
};
number &number::operator+=(const number &o) { n += o.n; return *this; }
long double operator""_km(long double x) { return x; }
void operator delete(void *p) noexcept { }
bool operator and(flags a, flags b) { return a && b; }
