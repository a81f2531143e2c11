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
END
sed -e '/THAG_/d' -e '/thag_ignore/d' -e '/#include/d' -e 's/ + thag_is_profiling()//' \
    "$scratch/marked.c" > "$scratch/plain.c"

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
    for standard in c90 c99 c17; do
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
