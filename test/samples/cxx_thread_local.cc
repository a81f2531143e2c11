/*
 * cxx_thread_local.cc -- thread-local objects whose destructors free and allocate.
 */
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

struct keeper {
    std::vector<std::string> words;
    ~keeper()
    {
        std::string last(200, 'y');
        words.push_back(last);
        words.clear();
    }
};

static thread_local keeper kept;

int main()
{
    for (int round = 0; round < 20; round++) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++) {
            threads.emplace_back([] {
                for (int k = 0; k < 50; k++) {
                    kept.words.push_back(std::string(100, 'x'));
                }
            });
        }
        for (auto &thread : threads) {
            thread.join();
        }
    }
    std::puts("joined");
    return 0;
}
