#!/bin/bash
# check_style.sh TOP -- no tabs, no blanks at line ends, lines of at most 100 columns, files of at
# most 800 lines, functions of at most 60.
#
# Sizes hold for what people write and read: data files and golden outputs are left out.
set -eu
top=$1
. "$(dirname "$0")/lib.sh"

command -v ctags > /dev/null || { echo "ctags is missing: functions cannot be measured"; exit 77; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

tree_files runtime preload analyzer instrument test docs subprojects/packagefiles quickstart .ci \
    README.md CONTRIBUTING.md meson.build meson_options.txt \
    -- '*.c' '*.h' '*.sh' '*.py' '*.js' '*.css' '*.md' 'meson*' '*.txt' '*.[1-8]' '*.cc' '*.cpp' \
    quickstart run > "$scratch/files"

lines_matching() { # pattern what files...
    local pattern=$1 what=$2 hit
    shift 2
    while IFS= read -r hit; do
        violation "${hit%%:*}:$(echo "$hit" | cut -d: -f2)" "$what"
    done < <(cd "$top" && grep -nHP "$pattern" -- "$@" || true)
}

mapfile -t files < "$scratch/files"
mapfile -t sources < <(grep -E '\.(c|h)$' "$scratch/files")
[ "${#files[@]}" -gt 0 ] || finish 0 "files"
lines_matching '\t' "a tab" "${files[@]}"
lines_matching '[ \r]$' "blanks at the end of the line" "${files[@]}"
[ "${#sources[@]}" -eq 0 ] || lines_matching '^(?!.*https?://).{101,}' "over 100 columns" "${sources[@]}"

for file in "${files[@]}"; do
    count=$(wc -l < "$top/$file")
    [ "$count" -le 800 ] || violation "$file" "$count lines, 800 are the limit"
done

# Sample programs and tests too: a test that needs 60 lines tests two things.
if [ "${#sources[@]}" -gt 0 ]; then
    (cd "$top" && ctags -x --c-kinds=f --language-force=C \
        --_xformat=$'%{input}\t%N\t%n\t%{end}' "${sources[@]}") > "$scratch/functions"
    while IFS=$'\t' read -r file name first last; do
        [ -n "$last" ] || continue
        length=$((last - first + 1))
        [ "$length" -le 60 ] || violation "$file:$first" "$name has $length lines, 60 are the limit"
    done < "$scratch/functions"
fi

finish "${#files[@]}" "files"
