#!/bin/bash
# check_readme.sh TOP BUILD [PAGE] -- the commands of README.md, or of another page, work as written.
#
# Runs every fenced block marked "sh", in order, in one shell, in a copy of the tree whose build/ is
# BUILD. "./quickstart test" is left out: it is what runs this.
set -eu
top=$1
build=$2
page=${3:-README.md}
. "$(dirname "$0")/lib.sh"

(. /etc/os-release 2> /dev/null && [ "${ID:-} ${VERSION_ID:-}" = "debian 12" ]) ||
    { echo "quickstart stops on systems other than Debian 12: nothing was tested"; exit 77; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tree" "$scratch/tmp"
(cd "$top" && tar --exclude=./.git --exclude='./build*' -cf - .) | tar -xf - -C "$scratch/tree"
ln -s "$build" "$scratch/tree/build"

awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$top/$page" |
    sed '/^\.\/quickstart test\b/d' > "$scratch/commands"
commands=$(grep -cvE '^[[:space:]]*(#|$)' "$scratch/commands" || true)

# What the caller's shell sets for a profiler of its own is not part of the page.
unset THAG_PROFILER THAG_PARENT THAG_FUNCTIONS SIZE_TRACKING_THRESHOLD
cd "$scratch/tree"
if ! TMPDIR=$scratch/tmp BROWSER=false "$BASH" -eux "$scratch/commands" > "$scratch/log" 2>&1; then
    violation "$page" "a command fails:"$'\n'"$(tail -n 30 "$scratch/log")"
fi
finish "$commands" "commands"
