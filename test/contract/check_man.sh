#!/bin/bash
# check_man.sh TOP TOOL PAGES [OTHER...] -- the man pages name every command and option of the tool
# and every key of THAG_PROFILER, and no command that there is not; and every option of other tools.
# PAGES is where the pages of the commands are.
set -eu
top=$1
tool=$2
pages=$3
. "$(dirname "$0")/lib.sh"
page=$top/docs/man/thag_profile.1
preload_page=$top/docs/man/libthagpreload.7

words=0
# mentions PAGE WORD: dashes are written \- in man pages.
mentions() {
    words=$((words + 1))
    sed 's/\\-/-/g; s/\\f[A-Z]//g' "$1" | grep -qE -- "(^|[^[:alnum:]_-])$2([^[:alnum:]_-]|\$)" ||
        violation "$(basename "$1")" "does not mention $2"
}

# The table of the help has a command and its summary on each line.
mapfile -t commands < <("$tool" --help | sed -n 's/^  \([a-z][a-z_-]*\)  *.*/\1/p')
for command in "${commands[@]}"; do
    grep -q "^\.SS $command\b" "$page" || violation thag_profile.1 "has no section for $command"
    own=$pages/thag_profile-$command.1
    [ -s "$own" ] || violation "thag_profile-$command.1" "is not there"
    while read -r option; do
        mentions "$page" "$option"
        [ ! -s "$own" ] || mentions "$own" "$option"
    done < <("$tool" "$command" --help | grep -oE -- '--[a-z][a-z-]*' | sort -u)
done
while read -r described; do
    case " ${commands[*]} " in
    *" $described "*) ;;
    *) violation thag_profile.1 "describes $described, which the tool does not have" ;;
    esac
done < <(sed -n '/^\.SH COMMANDS/,/^\.SH OPTIONS/ s/^\.SS \([a-z]*\).*/\1/p' "$page")

# The command line knows the same keys.
while read -r key; do
    mentions "$preload_page" "$key"
    grep -qF "    {\"$key\", " "$top/analyzer/launch/request.c" ||
        violation analyzer/launch/request.c "does not have the key $key"
done < <(sed -n 's/^    {"\([a-z_]*\)", KEY_.*/\1/p' "$top/runtime/setup/config.c")
for name in THAG_PROFILER SIZE_TRACKING_THRESHOLD THAG_FUNCTIONS TMPDIR; do
    mentions "$preload_page" "$name"
done

for other in "${@:4}"; do
    while read -r option; do
        mentions "$top/docs/man/$(basename "$other").1" "$option"
    done < <("$other" --help | grep -oE -- '--[a-z][a-z-]*' | sort -u)
done

command -v groff > /dev/null && for file in "$top"/docs/man/*.[1-8] "$pages"/*.1; do
    messages=$(LC_ALL=C.UTF-8 MANWIDTH=80 groff -man -Tutf8 -ww "$file" 2>&1 > /dev/null) || true
    [ -z "$messages" ] || violation "$(basename "$file")" "$messages"
done

finish "$words" "words of the man pages"
