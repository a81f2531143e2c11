#!/bin/bash
# planted.sh TOP CHECK CC AR -- plant a violation in a scratch tree and see CHECK fail for it.
#
# A check that has never failed may be looking at nothing. Each case below builds the smallest tree
# that CHECK accepts, wants it accepted, adds one violation and wants that one named.
set -eu
top=$1
check=$2
cc=$3
ar=$4
here=$(cd "$(dirname "$0")" && pwd)

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# put FILE: its text from standard input.
put() {
    mkdir -p "$(dirname "$tree/$1")"
    cat > "$tree/$1"
}

accepted() {
    "$@" > "$tree/log" 2>&1 || { echo "refused without a violation: $*"; cat "$tree/log"; exit 1; }
}

refused() { # words-that-must-appear command...
    local words=$1
    shift
    if "$@" > "$tree/log" 2>&1; then
        echo "accepted in spite of a violation ($words): $*"
        exit 1
    fi
    grep -qF -- "$words" "$tree/log" || { echo "'$words' is not named:"; cat "$tree/log"; exit 1; }
    echo "caught: $words"
}

plant_layers() {
    local run=("$here/check_layers.sh" "$tree" "$here/layers.txt")
    put runtime/os/os.h <<< '#include <stdint.h>'
    put runtime/setup/config.h <<< ''
    put analyzer/model/tree.h <<< ''
    put runtime/hot/a.c <<< '#include "runtime/os/os.h"'
    accepted "${run[@]}"
    put runtime/hot/b.c <<< '#include "runtime/setup/config.h"'
    refused 'runtime/hot may not use runtime/setup' "${run[@]}"
    put runtime/hot/b.c <<< '  #  include <stdio.h>'
    refused 'runtime/hot may not include <stdio.h>' "${run[@]}"
    put runtime/hot/b.c <<< '#include "a.h"'
    refused '"a.h" is no path from the top' "${run[@]}"
    rm "$tree/runtime/hot/b.c"
    put preload/c.c <<< '#include "analyzer/model/tree.h"'
    refused 'preload may not use analyzer/model' "${run[@]}"
    rm "$tree/preload/c.c"
    put runtime/format/f.h <<< '#include <string.h>'
    refused 'runtime/format may not include <string.h>' "${run[@]}"
    rm "$tree/runtime/format/f.h"
    put runtime/elsewhere/e.c <<< ''
    refused 'lies in no room' "${run[@]}"
}

plant_symbols_hot() {
    put allowed-symbols.txt <<< 'memcpy plain code, no state'
    put good.c <<< 'void *memcpy(void *, const void *, unsigned long);
        void hot(char *a, const char *b, unsigned long n) { memcpy(a, b, n); }'
    put bad.c <<< 'void perror(const char *); void worse(void) { perror("no"); }'
    (cd "$tree" && "$cc" -c good.c bad.c && "$ar" rc good.a good.o && "$ar" rc bad.a good.o bad.o)
    accepted "$here/check_symbols_hot.sh" "$tree" "$tree/good.a" "$tree/allowed-symbols.txt"
    refused 'needs perror' \
        "$here/check_symbols_hot.sh" "$tree" "$tree/bad.a" "$tree/allowed-symbols.txt"
    put allowed-symbols.txt <<< 'memcpy'
    refused 'memcpy has no reason' \
        "$here/check_symbols_hot.sh" "$tree" "$tree/good.a" "$tree/allowed-symbols.txt"
}

plant_exports_preload() {
    put list.txt <<< 'malloc the point of it'
    put good.c <<< 'void *malloc(unsigned long n) { return n ? 0 : 0; }'
    put more.c <<< 'int helper(void) { return 1; }'
    (cd "$tree" && "$cc" -shared -fPIC -fno-builtin good.c -o good.so &&
        "$cc" -shared -fPIC -fno-builtin good.c more.c -o more.so &&
        "$cc" -shared -fPIC more.c -o less.so &&
        "$cc" -shared -fPIC -fno-builtin good.c -o needs.so -Wl,--no-as-needed -lm)
    local run=("$here/check_exports_preload.sh" "$tree")
    accepted "${run[@]}" "$tree/good.so" "$tree/list.txt"
    refused 'exports helper' "${run[@]}" "$tree/more.so" "$tree/list.txt"
    refused 'does not export malloc' "${run[@]}" "$tree/less.so" "$tree/list.txt"
    refused 'needs libm' "${run[@]}" "$tree/needs.so" "$tree/list.txt"
}

plant_headers_alone() {
    local run=("$here/check_headers_alone.sh" "$tree" "$tree" "$cc" c++)
    put runtime/hot/a.h <<< '#include <stdint.h>
        extern uint32_t a;'
    accepted "${run[@]}"
    put runtime/hot/b.h <<< 'extern uint32_t b;'
    refused 'runtime/hot/b.h: does not compile alone' "${run[@]}"
    put runtime/hot/b.h <<< 'struct b { int once; };'
    refused 'redefinition' "${run[@]}"
    rm "$tree/runtime/hot/b.h"
    put runtime/include/c.h <<< 'extern int class;'
    refused 'runtime/include/c.h: does not compile alone' "${run[@]}"
}

plant_forbid() {
    put runtime/hot/a.c <<< '#include <stdint.h>
#include "runtime/hot/rt_forbid.h"'
    accepted "$here/check_forbid.sh" "$tree"
    put runtime/hot/b.c <<< '#include "runtime/hot/rt_forbid.h"
#include <stdint.h>'
    refused 'runtime/hot/b.c: its last include' "$here/check_forbid.sh" "$tree"
    put runtime/hot/b.c <<< 'int b;'
    refused 'its last include is missing' "$here/check_forbid.sh" "$tree"
    # And the header itself stops the compiler.
    put c.c <<< '#include <stdlib.h>
#include "runtime/hot/rt_forbid.h"
void *c(void) { return malloc(1); }'
    refused 'malloc' "$cc" -I "$top" -c "$tree/c.c" -o "$tree/c.o"
}

plant_style() {
    local run=("$here/check_style.sh" "$tree")
    put runtime/a.c <<< 'int a;'
    accepted "${run[@]}"
    printf 'int\tb;\n' | put runtime/b.c
    refused 'runtime/b.c:1: a tab' "${run[@]}"
    printf 'int b; \n' | put runtime/b.c
    refused 'runtime/b.c:1: blanks' "${run[@]}"
    printf 'int b; /* %0100d */\n' 0 | put runtime/b.c
    refused 'runtime/b.c:1: over 100 columns' "${run[@]}"
    yes 'extern int b;' | head -n 801 | put runtime/b.c
    refused '801 lines' "${run[@]}"
    { echo 'static int big(int n)'; echo '{'; yes '    n++;' | head -n 58; echo '    return n;'
        echo '}'; } | put runtime/b.c
    refused 'big has 62 lines' "${run[@]}"
}

plant_words() {
    put a.md <<< 'A path such as /usr/lib is everywhere.'
    accepted "$here/check_words.sh" "$tree"
    put b.md <<< "see /wo""rk/main"
    refused 'b.md:1' "$here/check_words.sh" "$tree"
    put b.md <<< "from https://registry.""npmjs.org/x"
    refused 'b.md:1' "$here/check_words.sh" "$tree"
}

plant_wraps() {
    local wrap='[wrap-git]
url = https://example.org/x.git
revision = v1
patch_directory = x

[provide]
dependency_names = libx'
    put meson.build <<< "x = dependency('libx')"
    put subprojects/x.wrap <<< "$wrap"
    put subprojects/packagefiles/x/meson.build <<< "meson.override_dependency('libx', x)"
    accepted "$here/check_wraps.sh" "$tree"
    put subprojects/x.wrap <<< "${wrap/v1/master}"
    refused "revision 'master' is no release tag" "$here/check_wraps.sh" "$tree"
    put subprojects/x.wrap <<< "${wrap/libx/liby}"
    refused "dependency('libx') has no wrap" "$here/check_wraps.sh" "$tree"
    put subprojects/x.wrap <<< "$wrap"
    rm "$tree/subprojects/packagefiles/x/meson.build"
    refused 'has no meson.build' "$here/check_wraps.sh" "$tree"
}

plant_docs() {
    put runtime/format/recording_format.h <<< 'struct rec_a {
    int known, second[4]; /* words; here */
};'
    put docs/recording_format.md <<< '`struct rec_a` has `known` and `second`.'
    put docs/architecture.md <<< 'The room `runtime/format`, see [format](recording_format.md).'
    accepted "$here/check_docs.sh" "$tree"
    put docs/recording_format.md <<< '`struct rec_a` has `known`.'
    refused 'does not mention second' "$here/check_docs.sh" "$tree"
    put docs/architecture.md <<< 'The room `runtime/other`, see [format](elsewhere.md).'
    refused 'does not have the room runtime/format' "$here/check_docs.sh" "$tree"
    refused 'names runtime/other, which is not there' "$here/check_docs.sh" "$tree"
    refused 'links to elsewhere.md' "$here/check_docs.sh" "$tree"
}

plant_readme() {
    local run=("$here/check_readme.sh" "$tree/top" "$tree/top")
    put top/README.md <<< 'Words.
```sh
touch here    # and later
./quickstart test
```
```
not run
```
```sh
[ -e here ]
```'
    # On other systems the check itself says why it tests nothing.
    "${run[@]}" > "$tree/log" 2>&1 || [ $? -ne 77 ] || { cat "$tree/log"; exit 77; }
    accepted "${run[@]}"
    grep -q '2 commands' "$tree/log" || { cat "$tree/log"; exit 1; }
    sed -i 's/-e here/-e gone/' "$tree/top/README.md"
    refused 'a command fails' "${run[@]}"
}

plant_man() {
    local run=("$here/check_man.sh" "$tree" "$tree/tool" "$tree/pages")
    put pages/thag_profile-list.1 <<< '.TH THAG_PROFILE-LIST 1
\-\-top'
    put docs/man/thag_profile.1 <<< '.TH THAG_PROFILE 1
.SH COMMANDS
.SS list
\-\-top
.SH OPTIONS'
    put docs/man/libthagpreload.7 <<< '.TH LIBTHAGPRELOAD 7
THAG_PROFILER SIZE_TRACKING_THRESHOLD THAG_FUNCTIONS TMPDIR stream='
    put runtime/setup/config.c <<< '    {"stream", KEY_UINT32, 0},'
    put analyzer/launch/request.c <<< '    {"stream", NULL},'
    put tool <<< '#!/bin/sh
case $1 in
--help) echo "  list  runs" ;;
*) echo "  --top N  rows" ;;
esac'
    chmod +x "$tree/tool"
    accepted "${run[@]}"
    sed -i 's/--top/--depth/' "$tree/tool"
    refused 'does not mention --depth' "${run[@]}"
    sed -i 's/list  runs/stats  table/' "$tree/tool"
    refused 'has no section for stats' "${run[@]}"
    refused 'thag_profile-stats.1: is not there' "${run[@]}"
    refused 'describes list' "${run[@]}"
    put runtime/setup/config.c <<< '    {"follow", KEY_CHOICE, 0},'
    refused 'does not mention follow' "${run[@]}"
    refused 'does not have the key follow' "${run[@]}"
}

plant_api() {
    command -v doxygen > /dev/null || { echo "doxygen is missing"; exit 77; }
    local run=("$here/../../docs/api/make.sh" "$tree" "$tree/out" 0 python3)
    mkdir -p "$tree/docs"
    cp -r "$here/../../docs/api" "$tree/docs/"
    put runtime/include/a.h <<< '/*
 * a.h -- a header.
 */
/* Explained. */
void explained(void);
void hidden_(void);'
    accepted "${run[@]}"
    grep -q 'explained' "$tree/out/html/a_8h.html" || { echo "not in the pages"; exit 1; }
    echo 'void bare(void);' >> "$tree/runtime/include/a.h"
    refused 'bare(void) (function) of file a.h is not documented' "${run[@]}"
    sed -i 's/void bare.*/#define BARE 1/' "$tree/runtime/include/a.h"
    refused 'BARE (macro definition)' "${run[@]}"
}

"plant_${check//-/_}"
