/* A brace too many and one too few: the rest is still found. */
int before(void) { return 1; }
int lost(int x)
{
    if (x) {
        return 1;
    return 2;
}
int after(void)
{
    return 3;
}
