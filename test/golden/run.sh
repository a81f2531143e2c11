#!/bin/sh
# One golden test: run a case's `command` in a copy of its folder and compare everything it says.
#
#   run.sh THAG_PROFILE CASE_DIR
#
# The command finds the programs as $thag, $thag_instrument and $thag_uninstrument. Standard output,
# standard error and the exit status together are compared with `expected`; THAG_GOLDEN_UPDATE=1
# writes that file instead.
set -u
thag=$(realpath "$1")
case_dir=$(realpath "$2")
said=$(mktemp -d)
work=$said/work
trap 'rm -rf "$said"' EXIT
cp -r "$case_dir" "$work"
rm -f "$work/expected" "$work/command"
# By name, not by path: a path may have blanks.
build=$(dirname "$(dirname "$thag")")
PATH=$build/analyzer:$build/instrument:$PATH
thag=thag_profile thag_instrument=thag_instrument thag_uninstrument=thag_uninstrument
export PATH thag thag_instrument thag_uninstrument LC_ALL=C.UTF-8 TZ=UTC0 NO_COLOR=1
unset BROWSER DISPLAY WAYLAND_DISPLAY
cd "$work" || exit 99
{
    sh "$case_dir/command" 2>"$said/stderr" </dev/null
    status=$?
    test -s "$said/stderr" && sed 's/^/stderr: /' "$said/stderr"
    echo "exit: $status"
} >"$said/actual"
if [ "${THAG_GOLDEN_UPDATE:-0}" = 1 ]; then
    cp "$said/actual" "$case_dir/expected"
    exit 0
fi
diff -u "$case_dir/expected" "$said/actual"
