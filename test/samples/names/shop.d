/// Allocates by malloc in places whose names only D has: members, templates, nested functions.
module shopping;

import core.stdc.stdlib : malloc;
import core.stdc.stdio : printf;

class Shop
{
    pragma(inline, false) void* fill(size_t count)
    {
        return malloc(1000 * count);
    }
}

pragma(inline, false) void* boxed(T)(T count)
{
    return malloc(10_000 + cast(size_t) count);
}

pragma(inline, false) void* outer(int count)
{
    void* nested()
    {
        return malloc(3000 + count);
    }
    return nested();
}

int main()
{
    auto shop = new Shop;
    printf("%d\n", shop.fill(7) !is null && boxed!int(0) !is null && outer(0) !is null);
    return 0;
}
