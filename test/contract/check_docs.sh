#!/bin/bash
# check_docs.sh TOP -- what the documents say about the tree is still so, where a script can tell:
# every field of the recording is described, every room is in the architecture, every link and every
# file that a document names exists.
set -eu
top=$1
. "$(dirname "$0")/lib.sh"
format=$top/runtime/format/recording_format.h
words=0

# Field and kind names of the header, and the structs themselves.
while read -r name; do
    words=$((words + 1))
    grep -qw -- "$name" "$top/docs/recording_format.md" ||
        violation docs/recording_format.md "does not mention $name of recording_format.h"
done < <(awk '
    /^struct rec_/ { print $2; inside = 1; next }
    /^}/ { inside = 0 }
    /^    REC_KIND_|^    REC_SPECIAL_/ { if ($1 != "REC_SPECIAL_LIMIT") print $1; next }
    inside && /;/ {
        sub(/\/\*.*/, ""); sub(/;.*/, ""); gsub(/\[[^]]*\]/, "")
        n = split($0, part, /,/)
        for (i = 1; i <= n; i++) { m = split(part[i], word, / +/); print word[m] }
    }' "$format" | sort -u)

while read -r room; do
    words=$((words + 1))
    grep -qF "\`$room\`" "$top/docs/architecture.md" ||
        violation docs/architecture.md "does not have the room $room"
done < <(cd "$top" && find preload runtime analyzer instrument -name '*.[ch]' 2> /dev/null |
    sed 's|/[^/]*$||' | grep -v '^analyzer$' | sort -u)

# Links of the form [text](path), and paths of the tree in backquotes.
while read -r document; do
    folder=$top/$(dirname "$document")
    while read -r target; do
        words=$((words + 1))
        [ -e "$folder/${target%%#*}" ] || violation "$document" "links to $target, which is not there"
    done < <(grep -oE '\]\([^)#][^)]*\)' "$top/$document" | sed 's/^](//; s/)$//' |
        grep -vE '^(https?|mailto):')
    while read -r target; do
        words=$((words + 1))
        [ -e "$top/$target" ] || violation "$document" "names $target, which is not there"
    done < <(grep -oE '`(runtime|preload|analyzer|test|docs|subprojects)/[A-Za-z0-9_./-]+`' \
        "$top/$document" | tr -d '`' | grep -v '[*]')
done < <(tree_files README.md CONTRIBUTING.md docs -- '*.md')

finish "$words" "words and links of the documents"
