#!/bin/bash
# check_symbols_hot.sh TOP ARCHIVE [ALLOWED] -- what runtime/hot needs from outside is in its list.
#
# The archive holds hot/ and os/. Names that one of its files needs and another has are resolved by
# the partial link; what is left must stand in allowed-symbols.txt, each with its reason.
set -eu
top=$1
archive=$2
allowed=${3:-$top/runtime/hot/allowed-symbols.txt}
. "$(dirname "$0")/lib.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

: > "$scratch/allowed"
while read -r name reason; do
    case $name in
    '' | '#'*) continue ;;
    esac
    [ -n "$reason" ] || violation "$allowed" "$name has no reason"
    echo "$name" >> "$scratch/allowed"
done < "$allowed"
LC_ALL=C sort -u -o "$scratch/allowed" "$scratch/allowed"

ld -r --whole-archive "$archive" -o "$scratch/hot.o"
nm -u "$scratch/hot.o" | awk '{ sub(/@.*/, "", $2); print $2 }' | LC_ALL=C sort -u > "$scratch/needed"

while read -r name; do
    violation "$archive" "needs $name, which allowed-symbols.txt does not have"
done < <(LC_ALL=C comm -23 "$scratch/needed" "$scratch/allowed")

# A hot archive without a single file would pass everything above.
finish "$(nm "$scratch/hot.o" | grep -c ' [Tt] ' || true)" "functions"
