/*
 * Marks in the source, and every way out of them: return, goto, break, the end of a block, an end
 * of the outer section, an end that comes twice, longjmp.
 *
 * marks alone
 * expect run 1
 * expect run;twice 2
 * expect run;twice;first 2
 * expect run;twice;first;helper 2
 * expect run;twice;second 2
 * expect run;early 2
 * expect run;early;part 2
 * expect run;jumps 3
 * expect run;jumps;loop 3
 * expect run;jumps;loop;helper 3
 * expect run;breaks 1
 * expect run;breaks;round 2
 * expect run;ends_outer 1
 * expect run;ends_outer;wide 1
 * expect run;ends_outer;wide;narrow 1
 * expect run;ends_outer;helper 1
 * expect run;leaps 4
 * expect run;leaps;deep 4
 * expect run;helper 4
 * expect run;sometimes 2
 * expect run;scoped 1
 * expect run;scoped;area 1
 * expect run;scoped;area;helper 1
 */
#include <thag_profiler.h>

#include <setjmp.h>

static volatile int sink;
static jmp_buf place;

__attribute__((noinline)) void helper(void)
{
    THAG_PROFILED(time, test);
    sink++;
}

__attribute__((noinline)) void twice(void)
{
    THAG_PROFILED;
    THAG_SECTION(first);
    helper();
    THAG_END(first);
    THAG_END(first);
    THAG_SECTION(second, both);
    sink++;
}

__attribute__((noinline)) int early(int x)
{
    THAG_PROFILED;
    {
        THAG_SECTION(part);
        if (x) {
            return 1;
        }
    }
    return 0;
}

__attribute__((noinline)) void jumps(void)
{
    THAG_PROFILED;
    int i = 0;
again: {
    THAG_SECTION(loop);
    helper();
    if (++i < 3) {
        goto out;
    }
}
out:
    sink++;
}

__attribute__((noinline)) void breaks(void)
{
    THAG_PROFILED;
    for (int i = 0; i < 5; i++) {
        THAG_SECTION(round);
        if (i == 1) {
            break;
        }
        sink++;
    }
}

__attribute__((noinline)) void ends_outer(void)
{
    THAG_PROFILED;
    THAG_SECTION(wide);
    THAG_SECTION(narrow);
    THAG_END(wide);
    helper();
    THAG_END(narrow);
}

__attribute__((noinline)) void leaps(void)
{
    THAG_PROFILED;
    THAG_SECTION(deep);
    longjmp(place, 1);
}

__attribute__((noinline)) void sometimes(int x)
{
    THAG_PROFILED_IF(x > 1, both);
    sink++;
}

__attribute__((noinline)) void scoped(void)
{
    THAG_PROFILED;
    THAG_SCOPE(area)
    {
        helper();
    }
    sink++;
}

__attribute__((noinline)) void run(void)
{
    THAG_PROFILED;
    twice();
    twice();
    sink += early(0) + early(1);
    for (int i = 0; i < 3; i++) {
        jumps();
    }
    breaks();
    ends_outer();
    for (volatile int i = 0; i < 4; i++) {
        if (!setjmp(place)) {
            leaps();
        }
        helper();
    }
    for (int i = 0; i < 4; i++) {
        sometimes(i);
    }
    scoped();
}

int main(void)
{
    run();
    return 0;
}
