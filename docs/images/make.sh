#!/bin/bash
# make.sh [BUILD] -- take the picture of README.md anew, from a real run of the example. Needs chromium.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(cd "${1:-$top/build}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Relative names: what the page shows is then nobody's path.
cp "$top/docs/examples/json_work.py" "$scratch/"
cd "$scratch"
PYTHONMALLOC=malloc THAG_PROFILER=memory LD_PRELOAD=$build/preload/libthagpreload.so \
    /usr/bin/python3 json_work.py 3 > /dev/null
"$build/analyzer/thag_profile" graph --no-open --title 'python3 json_work.py 3' -o page.html \
    -- *.thag > /dev/null
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,640 \
    --screenshot="$here/json_work.png" "file://$scratch/page.html" > chromium.log 2>&1 ||
    { cat chromium.log; exit 1; }
ls -l "$here/json_work.png"
