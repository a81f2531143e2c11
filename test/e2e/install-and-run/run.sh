#!/bin/bash
# run.sh TOP BUILD PREFIX LIBDIR BINDIR MANDIR CC -- what "meson install" puts in place works there.
#
# Installs below a scratch directory and shows that directory under PREFIX in a mount namespace of
# its own: only then are the paths those that were fixed when the build was configured. The library
# is preloaded by its bare name, through a loader cache of our own. Where no such namespace can be
# had (a chroot, a strict container) the library is named by its path and the tool found in PATH.
# An installation that was moved as a whole works too, whatever the configured paths hold.
set -eu
top=$1
build=$2
prefix=$3
libdir=$4
bindir=$5
mandir=$6
cc=$7

fail() {
    echo "$*" >&2
    exit 1
}

if [ "$(id -u)" -eq 0 ]; then
    enter=(unshare --mount)
else
    enter=(unshare --map-root-user --mount)
fi
if [ -z "${SCRATCH:-}" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    if [ -d "$prefix" ] && "${enter[@]}" mount --bind /tmp /tmp 2> /dev/null; then
        SCRATCH=$scratch COVER=yes "${enter[@]}" "$BASH" "$0" "$@"
    else
        echo "no mount namespace to be had here: installed paths are not tested, only PATH"
        SCRATCH=$scratch COVER=no "$BASH" "$0" "$@"
    fi
    exit
fi

# The tree and the build may lie below the prefix, which is about to be covered: nothing of them is
# used after the mount.
cd "$SCRATCH"
DESTDIR=$SCRATCH/image meson install -C "$build" --no-rebuild --quiet > install.log 2>&1 ||
    { cat install.log; exit 1; }
cp "$top/docs/examples/word_count.c" "$top/LICENSE-MIT" .
"$cc" -O2 -g word_count.c -o word_count
[ ! -e "$top/runtime/include/thag_profiler.h" ] || has_header=yes
if [ "$COVER" = yes ]; then
    mount --bind "$SCRATCH/image/$prefix" "$prefix"
else
    prefix=$SCRATCH/image$prefix
    libdir=$SCRATCH/image$libdir
    bindir=$SCRATCH/image$bindir
    mandir=$SCRATCH/image$mandir
fi

[ -x "$bindir/thag_profile" ] || fail "no thag_profile in $bindir"
[ -f "$libdir/libthagpreload.so" ] || fail "no libthagpreload.so in $libdir"
[ -f "$mandir/man1/thag_profile.1" ] || fail "no thag_profile.1 in $mandir"
[ -f "$mandir/man1/thag_profile-record.1" ] || fail "no thag_profile-record.1 in $mandir"
[ -f "$mandir/man7/libthagpreload.7" ] || fail "no libthagpreload.7 in $mandir"

for tool in thag_instrument thag_uninstrument; do
    [ -x "$bindir/$tool" ] || fail "no $tool in $bindir"
    [ -f "$mandir/man1/$tool.1" ] || fail "no $tool.1 in $mandir"
done
"$bindir/thag_instrument" -q word_count.c | "$bindir/thag_uninstrument" -q | cmp - word_count.c ||
    fail "the installed tools do not give a source back"

for file in bash-completion/completions/thag_profile.bash zsh/site-functions/_thag_profile \
    fish/vendor_completions.d/thag_profile.fish; do
    [ -s "$(dirname "$mandir")/$file" ] || fail "no $file"
done

# An archive of ours must not have slipped in: nobody links with the recorder.
extra=$(find "$prefix" -type f | grep -vE '/(thag_profile|thag_instrument|thag_uninstrument|libthagpreload\.so|thag_profiler\.h|thag-profiler(-on)?\.pc|[a-z_-]+\.[17](\.gz)?|thag_[a-z]+\.(bash|fish)|_thag_[a-z]+)$' || true)
[ -z "$extra" ] || fail "installed without a use: $extra"

if [ "${has_header:-}" = yes ]; then
    export PKG_CONFIG_PATH=$libdir/pkgconfig
    [ -z "$(pkg-config --libs thag-profiler)" ] || fail "thag-profiler wants something linked"
    case $(pkg-config --cflags thag-profiler) in
    *-DTHAG_PROFILING*) fail "thag-profiler switches profiling on" ;;
    esac
    case $(pkg-config --cflags thag-profiler-on) in
    *-DTHAG_PROFILING*) ;;
    *) fail "thag-profiler-on does not switch profiling on" ;;
    esac
fi

preload=$libdir/libthagpreload.so
path=$bindir
if [ "$COVER" = yes ]; then
    # A loader cache that knows LIBDIR, as ldconfig makes it after an installation.
    { echo "$libdir"; cat /etc/ld.so.conf 2> /dev/null || true; } > ld.so.conf
    (cd /etc && ldconfig -f "$SCRATCH/ld.so.conf" -C "$SCRATCH/ld.so.cache")
    mount --bind ld.so.cache /etc/ld.so.cache
    preload=libthagpreload.so
    path=/nowhere
fi

mkdir out && cd out
env -i PATH="$path" LD_PRELOAD="$preload" ../word_count ../LICENSE-MIT > plain.txt
env -i ../word_count ../LICENSE-MIT | cmp - plain.txt || fail "the program's output changed"
ls word_count-*.thag > /dev/null || fail "no recording: the bare name was not found"
ls word_count-*-memory.folded > /dev/null || fail "no folded file: the library did not find its tool"
grep -q 'tree_count' word_count-*-memory.folded || fail "the folded file names no function"
mkdir ../launched && cd ../launched
env -i "$bindir/thag_profile" record -- ../word_count ../LICENSE-MIT > plain.txt 2> report.txt
cmp plain.txt ../out/plain.txt || fail "the launched program's output changed"
grep -q '^  allocations ' report.txt || fail "the tool did not find its library: $(cat report.txt)"
# Moved, and without a PATH that would help.
mkdir ../moved && cd ../moved
cp -r "$SCRATCH/image" "$SCRATCH/elsewhere"
[ "$COVER" = no ] || { libdir=$SCRATCH/image$libdir && umount "$prefix"; }
env -i LD_PRELOAD="$SCRATCH/elsewhere${libdir#"$SCRATCH/image"}/libthagpreload.so" \
    ../word_count ../LICENSE-MIT > plain.txt
ls word_count-*-memory.folded > /dev/null || fail "moved, the library did not find its tool"
cd ../out
echo "installed pair works: $(wc -l < "$(ls word_count-*-memory.folded)") stacks"
