#!/bin/bash
# check_exports_preload.sh TOP LIBRARY [LIST] -- what the preloaded library shows to the program's
# other modules is exactly the list, and it needs nothing but libc.
#
# Each name that we export by accident takes the place of the program's own of that name.
set -eu
top=$1
library=$2
list=${3:-$top/preload/exported-symbols.txt}
. "$(dirname "$0")/lib.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

grep -vE '^[[:space:]]*(#|$)' "$list" | awk '{ print $1 }' | LC_ALL=C sort > "$scratch/wanted"
# Absolute symbols are the names of symbol versions, not things that a program can call.
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort > "$scratch/found"

while read -r name; do
    violation "$library" "exports $name, which is not in the list"
done < <(LC_ALL=C comm -13 "$scratch/wanted" "$scratch/found")
while read -r name; do
    violation "$library" "does not export $name"
done < <(LC_ALL=C comm -23 "$scratch/wanted" "$scratch/found")

while read -r needed; do
    case $needed in
    libc.so.6 | ld-linux-*.so.*) ;;
    *) violation "$library" "needs $needed: only libc may be drawn into the program" ;;
    esac
done < <(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')

finish "$(wc -l < "$scratch/found")" "exported symbols"
