#!/bin/bash
# make.sh [BUILD] -- take the pictures of README.md and guide.md anew, from real runs of the examples.
# Needs chromium.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(cd "${1:-$top/build}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

thag_profile=$build/analyzer/thag_profile

# picture PAGE NAME WIDTH,HEIGHT
picture() {
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size="$3" \
        --screenshot="$here/$2" "file://$scratch/$1" > "$scratch/chromium.log" 2>&1 ||
        { cat "$scratch/chromium.log"; exit 1; }
    ls -l "$here/$2"
}

# Relative names: what a page shows is then nobody's path.
cp "$top/docs/examples/json_work.py" "$top/docs/examples/word_count.c" "$scratch/"
cd "$scratch"
PYTHONMALLOC=malloc THAG_PROFILER=memory LD_PRELOAD=$build/preload/libthagpreload.so \
    /usr/bin/python3 json_work.py 3 > /dev/null
"$thag_profile" graph --no-open --title 'python3 json_work.py 3' -o graph.html -- python3*.thag \
    > /dev/null
picture graph.html json_work.png 1200,640

gcc -O2 -g -finstrument-functions word_count.c -o word_count
THAG_PROFILER=both LD_PRELOAD=$build/preload/libthagpreload.so ./word_count json_work.py > /dev/null
"$thag_profile" chart --no-open --title "./word_count json_work.py" -o chart.html -- word_count-*.thag > /dev/null
picture chart.html word_count.png 1200,420
