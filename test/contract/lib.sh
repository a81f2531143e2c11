# lib.sh -- what the contract checks share. Sourced by bash scripts that are called with the top of
# the tree as their first argument.
#
# A check calls "violation WHERE WHAT" for each one that it finds and ends with "finish".

violations=0

violation() {
    printf '%s: %s\n' "$1" "$2" >&2
    violations=$((violations + 1))
}

# finish WHAT-WAS-LOOKED-AT: a check that looked at nothing has not passed.
finish() {
    local count=$1 noun=$2
    if [ "$count" -eq 0 ]; then
        printf 'no %s found: the check looked at nothing\n' "$noun" >&2
        exit 1
    fi
    printf '%s %s checked, %s violations\n' "$count" "$noun" "$violations"
    [ "$violations" -eq 0 ]
    exit
}

# Files of the tree below the given folders whose names match one of the patterns after "--", one
# a line, as paths from the top. Build trees, fetched subprojects and git's own are no part of it.
tree_files() {
    local folders=() names=() pattern
    while [ "$1" != -- ]; do
        [ -e "$top/$1" ] && folders+=("$1")
        shift
    done
    shift
    for pattern in "$@"; do
        names+=(-o -name "$pattern")
    done
    [ "${#folders[@]}" -gt 0 ] || return 0
    (cd "$top" && find "${folders[@]}" \
        \( -name .git -o -name 'build*' -type d -o -path './subprojects/*' -prune \) -prune -o \
        -type f \( "${names[@]:1}" \) -print) | sed 's|^\./||' | LC_ALL=C sort
}
