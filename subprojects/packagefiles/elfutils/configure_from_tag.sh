#!/bin/sh
# A release tag of the repository holds no configure script, a release archive does: make it where
# it is missing, then configure as asked.
set -eu
source_dir=$(cd "$(dirname "$0")" && pwd)
[ -x "$source_dir/configure" ] || (cd "$source_dir" && autoreconf --install --force)
exec "$source_dir/configure" "$@"
