#!/bin/bash
# check_headers_alone.sh TOP BUILD CC CXX -- every header compiles as the only include of a file, and
# twice in one file; public ones also as C90 and C++.
#
# A header that leans on what its users happen to include first breaks with the order of includes.
set -eu
top=$1
build=$2
cc=$3
cxx=$4
. "$(dirname "$0")/lib.sh"

compile() { # header compiler-and-flags...
    local header=$1 messages
    shift
    if ! messages=$(printf '#include "%s"\n#include "%s"\nextern int unused;\n' "$header" "$header" |
        "$@" -I "$top" -I "$build" -Wall -Wextra -Werror -fsyntax-only - 2>&1); then
        violation "$header" "does not compile alone by $*:"$'\n'"$messages"
    fi
}

headers=0
while read -r header; do
    headers=$((headers + 1))
    compile "$header" "$cc" -std=gnu17 -D_GNU_SOURCE -x c
    case $header in
    runtime/include/*)
        compile "$header" "$cc" -std=c90 -pedantic -x c
        compile "$header" "$cc" -std=c90 -pedantic -DTHAG_PROFILING -x c
        compile "$header" "$cxx" -std=c++98 -pedantic -x c++
        compile "$header" "$cxx" -std=c++20 -pedantic -DTHAG_PROFILING -x c++
        ;;
    esac
done < <(tree_files runtime preload analyzer instrument test -- '*.h')

finish "$headers" "headers"
