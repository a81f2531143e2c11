#!/bin/bash
# check_public_header.sh TOP BUILD CC CXX -- thag_profiler.h in every language that it promises: no
# warning, on or off, and off no code at all.
set -eu
top=$1
. "$(dirname "$0")/lib.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
header=$top/runtime/include

# Every mark, bare and with flags, where the language has it.
cat > "$scratch/marked.c" <<'END'
#include <thag_profiler.h>
int sink(int x);
int work(int x);
int work(int x)
{
    THAG_PROFILED;
    THAG_SECTION(bare);
    THAG_SECTION(flagged, time, mem_detail);
    x = sink(x);
    THAG_END(flagged);
    return x + thag_is_profiling();
}
int more(int x);
int more(int x)
{
    THAG_PROFILED(time, mem_summary, test);
    thag_ignore_begin();
    x = sink(x);
    thag_ignore_end();
    return x;
}
int root(int x);
int root(int x)
{
    THAG_ENABLE_PROFILING;
    return sink(x);
}
int root_of_words(int x);
int root_of_words(int x)
{
    THAG_ENABLE_PROFILING(memory, function(time, mem_detail));
    THAG_SECTION(last, async_fn, unbounded);
    return sink(x);
}
int root_without_frame(int x);
int root_without_frame(int x)
{
    THAG_ENABLE_PROFILING(function(none));
    return sink(x);
}
int task(int x, struct thag_view *view);
int task(int x, struct thag_view *view)
{
    struct thag_task *made = thag_task_create("made");
    thag_task_enter(made);
    x = sink(x);
    thag_task_leave(made);
    thag_task_end(made);
    return x + thag_current(view) + thag_snapshot();
}
int conditional(int x);
int conditional(int x)
{
    THAG_PROFILED_IF(x > 1);
    {
        THAG_PROFILED_IF(x > 2, both, global);
        x = sink(x);
    }
    return x;
}
void only_condition(int x);
void only_condition(int x)
{
    THAG_PROFILED_IF(x > 1, time);
    sink(0);
}
int twice_on_a_line(int x);
int twice_on_a_line(int x)
{
    THAG_PROFILED; THAG_PROFILED(time); THAG_PROFILED_IF(x > 1); THAG_PROFILED_IF(x > 2);
    return sink(x);
}
#if defined(__cplusplus) || defined(__STDC_VERSION__)
inline int in_line(int x);
inline int in_line(int x)
{
    THAG_PROFILED;
    THAG_SECTION(in_line, time);
    if (x) THAG_END(in_line);
    THAG_SCOPE(in_scope) { }
    return sink(x);
}
extern int in_line(int x);
#endif
#ifdef __cplusplus
/* Of another language linkage than those above. */
extern "C" int in_c(int x);
extern "C" int in_c(int x)
{
    THAG_PROFILED;
    THAG_SECTION(in_c);
    return x;
}
#endif
END
# The same without any mark.
sed -e '/THAG_/d' -e '/thag_ignore/d' -e '/thag_task/d' -e '/#include/d' \
    -e 's/ + thag_is_profiling()//' -e 's/ + thag_current(view) + thag_snapshot()//' \
    -e 's/struct thag_view \*/void */' "$scratch/marked.c" > "$scratch/plain.c"

warnings=(-pedantic -Wall -Wextra -Werror -Wshadow -Wundef)
tried=0
try() { # file options...
    local file=$1 messages
    shift
    tried=$((tried + 1))
    if ! messages=$("$@" "${warnings[@]}" -O2 -I "$header" -c "$file" -o "$scratch/out.o" 2>&1); then
        violation runtime/include/thag_profiler.h "$*:"$'\n'"$messages"
    fi
}

for compiler in gcc clang; do
    command -v $compiler > /dev/null || continue
    for standard in c90 c99 c17 c2x; do
        try "$scratch/marked.c" $compiler -std=$standard
        try "$scratch/marked.c" $compiler -std=$standard -DTHAG_PROFILING
    done
    for standard in c++11 c++17 c++20; do
        try "$scratch/marked.c" ${compiler/gcc/g++} -x c++ -std=$standard
        try "$scratch/marked.c" ${compiler/gcc/g++} -x c++ -std=$standard -DTHAG_PROFILING
    done
    # Line numbers differ, so neither file has debug data.
    $compiler -O2 -c "$scratch/marked.c" -I "$header" -o "$scratch/marked.o"
    $compiler -O2 -c "$scratch/plain.c" -o "$scratch/plain.o"
    for object in marked plain; do
        objdump -d -r -s -j .text -j .data -j .bss -j .rodata "$scratch/$object.o" 2> /dev/null |
            tail -n +4 > "$scratch/$object.dump"
        nm "$scratch/$object.o" >> "$scratch/$object.dump"
    done
    cmp -s "$scratch/marked.dump" "$scratch/plain.dump" ||
        violation runtime/include/thag_profiler.h "is not nothing without -DTHAG_PROFILING ($compiler)"
done
finish "$tried" "compilations"
