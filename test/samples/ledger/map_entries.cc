// 500 map entries of 800 bytes; every third one is erased again.
#include <array>
#include <map>

int main()
{
    std::map<int, std::array<char, 800>> entries;
    for (int i = 0; i < 500; i++) {
        entries[i * 37 % 500].fill(static_cast<char>(i));
    }
    for (int i = 0; i < 500; i += 3) {
        entries.erase(i);
    }
    return entries.size() == 333 ? 0 : 1;
}
