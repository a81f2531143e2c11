#!/bin/bash
# check_forbid.sh TOP -- the last include of every .c file in runtime/hot is rt_forbid.h.
set -eu
top=$1
. "$(dirname "$0")/lib.sh"

files=0
while read -r file; do
    files=$((files + 1))
    last=$(grep -E '^[[:space:]]*#[[:space:]]*include' "$top/$file" | tail -n 1)
    [ "$last" = '#include "runtime/hot/rt_forbid.h"' ] ||
        violation "$file" "its last include is ${last:-missing}, not \"runtime/hot/rt_forbid.h\""
done < <(tree_files runtime/hot -- '*.c')

finish "$files" "files of runtime/hot"
