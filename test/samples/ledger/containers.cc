// Standard containers that grow, rehash and move.
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

int main()
{
    std::vector<std::unique_ptr<int>> owned;
    std::unordered_map<int, std::vector<int>> groups;
    std::list<int> line;
    for (int i = 0; i < 2000; i++) {
        owned.push_back(std::make_unique<int>(i));
        groups[i % 97].push_back(i);
        line.push_front(i);
        if (i % 5 == 0) {
            line.pop_back();
        }
    }
    owned.resize(500);
    owned.shrink_to_fit();
    return groups.size() == 97 ? 0 : 1;
}
