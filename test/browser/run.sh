#!/bin/sh
# run.sh SOURCE_DIR BUILD_DIR PAGE_FROM_FOLDED PAGE_FROM_SPANS THAG_PROFILE RECORDING_SAMPLE TEST... -- the browser
# tests named, in headless chromium.
#
# What npm brings lies in the build folder. Exit 77 (skipped) with the reason where a tool is missing.
set -eu
source_dir=$1
build_dir=$2
# meson gives it relative to its own folder, and the tests run in another.
PAGE_FROM_FOLDED=$(realpath "$3")
PAGE_FROM_SPANS=$(realpath "$4")
THAG_PROFILE=$(realpath "$5")
RECORDING_SAMPLE=$(realpath "$6")
shift 6

skip() {
    echo "skipped: $1"
    exit 77
}

command -v node >/dev/null || skip 'no node'
command -v npm >/dev/null || skip 'no npm'
command -v xmllint >/dev/null || skip 'no xmllint (Debian: libxml2-utils)'
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip 'no chromium'

mkdir -p "$build_dir"
# Tests that start together install one after the other.
exec 9>"$build_dir/install.lock"
flock 9
if ! cmp -s "$source_dir/package-lock.json" "$build_dir/installed-lock.json"; then
    cp "$source_dir/package.json" "$source_dir/package-lock.json" "$build_dir/"
    (cd "$build_dir" && npm ci --no-audit --no-fund) || skip 'playwright-core cannot be installed'
    cp "$source_dir/package-lock.json" "$build_dir/installed-lock.json"
fi
exec 9>&-

# Modules are looked for beside the file that imports them.
mkdir -p "$build_dir/tests"
cp "$source_dir"/*.mjs "$source_dir"/*.txt "$build_dir/tests/"
export PAGE_FROM_FOLDED PAGE_FROM_SPANS THAG_PROFILE RECORDING_SAMPLE CHROMIUM
cd "$build_dir/tests"
exec node --test --test-concurrency=1 "$@"
