/* Functions inside functions, and what only looks so. */
#define UNTIL(x) while (!(x))
int outer(int n)
{
    int inner(int k) { return k + n; }
    auto int later(int k);
    int later(int k) { return k - n; }
    static inline struct point *attributed(int a) __attribute__((unused));
    static inline struct point *attributed(int a) __attribute__((unused)) { return 0; }
    int sum = ({ int twice(int v) { return 2 * v; } twice(n); });
    struct point { int x; } p = { 1 }, *q = &(struct point){ 2 };
    if (n) { sum++; } else if (sum) { sum--; }
    UNTIL(n) { n++; }
    do { n--; } while (n > 3);
    switch (n) { case 1: { break; } default: { sum = 0; } }
    return inner(n) + later(n) + sum + p.x + q->x;
}
int qsort_user(void)
{
    return ({ __label__ out; int r = 0; if (r) { goto out; } out: r; });
}
