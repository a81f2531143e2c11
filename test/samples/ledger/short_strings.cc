// 6000 short strings, some small enough to need no block of their own.
#include <string>
#include <vector>

int main()
{
    std::vector<std::string> strings;
    for (int i = 0; i < 6000; i++) {
        strings.push_back("string number " + std::to_string(i * 7919));
    }
    return strings.size() == 6000 ? 0 : 1;
}
