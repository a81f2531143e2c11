#!/bin/bash
# make.sh TOP OUTPUT VERSION PYTHON [internal] -- the API documentation as html, OUTPUT/html.
#
# The public header by default; "internal" takes all headers. A public symbol without a comment
# fails it; what ends in an underscore or begins with thag_library_ is not public.
set -eu
top=$1
output=$2
version=$3
python=$4
kind=${5:-public}

command -v doxygen > /dev/null || { echo "doxygen is missing (package doxygen)"; exit 77; }

if [ "$kind" = internal ]; then
    brief="the inside"
    main_page=docs/architecture.md
    input="\"$top/runtime\" \"$top/preload\" \"$top/analyzer\" \"$top/instrument\" \"$top/docs\""
    strict=NO
    exclude=
else
    brief="marks for the source of a profiled program"
    main_page=
    input="\"$top/runtime/include\""
    strict=YES
    exclude="*_ thag_library_*"
fi

rm -rf "$output"
mkdir -p "$output"
sed -e "s|@VERSION@|$version|" -e "s|@BRIEF@|$brief|" -e "s|@OUTPUT@|$output|" \
    -e "s|@INPUT@|$input|" -e "s|@TOP@|$top|g" -e "s|@PYTHON@|$python|" -e "s|@STRICT@|$strict|" \
    -e "s|@MAIN_PAGE@|$main_page|" -e "s|@EXCLUDE_SYMBOLS@|$exclude|" \
    "$top/docs/api/Doxyfile.in" > "$output/Doxyfile"
(cd "$top" && doxygen "$output/Doxyfile")

[ "$kind" = public ] || { echo "$output/html/index.html"; exit 0; }

# Macros are beyond EXCLUDE_SYMBOLS.
if grep -vE '(Member|Compound) (thag_library_[a-z_]*|[A-Za-z0-9_]*_)(\(| |$)' \
    "$output/warnings.txt" >&2; then
    echo "the API documentation is incomplete" >&2
    exit 1
fi
echo "$output/html/index.html"
