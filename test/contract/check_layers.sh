#!/bin/bash
# check_layers.sh TOP [TABLE] -- every #include in the product's folders keeps to layers.txt.
set -eu
top=$1
table=${2:-$top/test/contract/layers.txt}
. "$(dirname "$0")/lib.sh"

declare -A may_use system_rule
rooms=()
while IFS='|' read -r room uses system; do
    room=${room//[[:space:]]/}
    [ -n "$room" ] && [ "${room:0:1}" != '#' ] || continue
    rooms+=("$room")
    may_use[$room]=" $(echo $uses) "
    set -f
    system_rule[$room]=$(echo $system)
    set +f
done < "$table"

# The longest room that holds the path or is it, or nothing.
room_of() {
    local found='' room
    for room in "${rooms[@]}"; do
        case $1 in
        "$room" | "$room"/*) [ "${#room}" -gt "${#found}" ] && found=$room ;;
        esac
    done
    REPLY=$found
}

matches_one() {
    local name=$1 pattern
    set -f
    for pattern in $2; do
        case $name in
        $pattern) set +f; return 0 ;;
        esac
    done
    set +f
    return 1
}

check_own() { # file line header room
    room_of "$3"
    # Whether the file is there, or will be made by the build, is the compiler's to say.
    if [ -z "$REPLY" ]; then
        violation "$1:$2" "\"$3\" is no path from the top of the tree"
        return 0
    fi
    [ "$REPLY" = "$4" ] && return 0
    case ${may_use[$4]} in
    *" $REPLY "*) ;;
    *) violation "$1:$2" "$4 may not use $REPLY (\"$3\")" ;;
    esac
}

check_system() { # file line header room
    local rule=${system_rule[$4]}
    local names=${rule:1}
    if [ "${rule:0:1}" = + ]; then
        matches_one "$3" "$names" || violation "$1:$2" "$4 may not include <$3>"
    else
        ! matches_one "$3" "$names" || violation "$1:$2" "$4 may not include <$3>"
    fi
}

files=0
while read -r file; do
    files=$((files + 1))
    room_of "$file"
    room=$REPLY
    if [ -z "$room" ]; then
        violation "$file" "lies in no room of layers.txt"
        continue
    fi
    while IFS=: read -r line text; do
        if [[ $text =~ \"([^\"]+)\" ]]; then
            check_own "$file" "$line" "${BASH_REMATCH[1]}" "$room"
        elif [[ $text =~ \<([^\>]+)\> ]]; then
            check_system "$file" "$line" "${BASH_REMATCH[1]}" "$room"
        else
            violation "$file:$line" "an #include that names no header cannot be checked"
        fi
    done < <(grep -nE '^[[:space:]]*#[[:space:]]*include' "$top/$file" || true)
done < <(tree_files runtime preload analyzer instrument -- '*.c' '*.h')

finish "$files" "source files"
