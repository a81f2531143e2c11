#!/bin/bash
# check_words.sh TOP -- nothing in the tree names a machine's paths or a package registry's hosts.
#
# A path of somebody's machine works for nobody else, and where packages come from is the business
# of the machine that installs them (its apt and npm settings).
set -eu
top=$1
. "$(dirname "$0")/lib.sh"

# The brackets keep this file from accusing itself.
machine='(^|[^[:alnum:]_.$}])/(work|root|home/[a-z]+)[/][[:alnum:]]'
hosts='registry[.]npmjs|deb[.]debian[.]org|pypi[.]org|npmmirro[r]|pythonhosted[.]org|[/]crates[.]io'

files=0
while read -r file; do
    files=$((files + 1))
    grep -Iq . "$top/$file" || continue
    while IFS= read -r hit; do
        violation "$file:${hit%%:*}" "names a machine or a registry: ${hit#*:}"
    done < <(grep -nE "$machine|$hosts" "$top/$file" || true)
done < <(tree_files . -- '*')

finish "$files" "files"
