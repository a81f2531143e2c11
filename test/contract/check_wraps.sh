#!/bin/bash
# check_wraps.sh TOP -- every library that meson.build asks for has a wrap that could fetch it.
#
# The wraps cannot be fetched in a test: that would need a network. So they are read: where the
# sources come from, which release, which dependency() names they answer to, and whether the build
# files that they lay over the sources exist.
set -eu
top=$1
. "$(dirname "$0")/lib.sh"

# The value of KEY in [SECTION] of an ini file, or nothing.
ini_value() { # file section key
    awk -v section="[$2]" -v key="$3" '
        /^\[/ { inside = ($0 == section); next }
        inside && $1 == key && $2 == "=" { sub(/^[^=]*= */, ""); print; exit }' "$1"
}

declare -A provided
check_wrap() { # file
    local wrap=$1 name url revision patch_directory provides
    name=$(basename "$wrap")
    url=$(ini_value "$wrap" wrap-git url)
    revision=$(ini_value "$wrap" wrap-git revision)
    patch_directory=$(ini_value "$wrap" wrap-git patch_directory)
    case $url in
    https://*.git) ;;
    *) violation "$name" "url '$url' is no https git repository" ;;
    esac
    case $revision in
    '' | head | HEAD | main | master) violation "$name" "revision '$revision' is no release tag" ;;
    esac
    if [ -n "$patch_directory" ]; then
        check_overlay "$name" "$top/subprojects/packagefiles/$patch_directory"
    fi
    provides=$(awk '/^\[/ { inside = ($0 == "[provide]"); next }
        inside && $1 == "dependency_names" { sub(/^[^=]*=/, ""); gsub(/,/, " "); print; next }
        inside && $2 == "=" { print $1 }' "$wrap")
    [ -n "$(echo $provides)" ] || violation "$name" "provides no dependency"
    local dependency
    for dependency in $provides; do
        provided[$dependency]=$name
        [ -z "$patch_directory" ] ||
            grep -q "override_dependency('$dependency'" \
                "$top/subprojects/packagefiles/$patch_directory/meson.build" ||
            violation "$name" "promises $dependency, which its meson.build does not override"
    done
}

check_overlay() { # wrap folder
    if [ ! -f "$2/meson.build" ]; then
        violation "$1" "has no meson.build in $2"
        return 0
    fi
    local script
    script=$(sed -n "s/.*add_project('\([^']*\.sh\)'.*/\1/p" "$2/meson.build")
    [ -z "$script" ] || [ -x "$2/$script" ] || violation "$1" "$script is missing or not executable"
}

wraps=0
for wrap in "$top"/subprojects/*.wrap; do
    [ -e "$wrap" ] || continue
    wraps=$((wraps + 1))
    check_wrap "$wrap"
done

# 'threads' and 'dl' are libc's; meson knows them without a package.
while IFS=: read -r file dependency; do
    case $dependency in
    threads | dl) continue ;;
    esac
    [ -n "${provided[$dependency]:-}" ] ||
        violation "$file" "dependency('$dependency') has no wrap in subprojects/"
done < <(cd "$top" && tree_files . -- meson.build | grep -v '^subprojects/' |
    xargs grep -oHE "(^|[^_.])dependency\('[^']+'" | sed -E "s/:.*dependency\('/:/; s/'\$//")

finish "$wraps" "wraps"
