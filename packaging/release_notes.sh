#!/bin/sh
# What is new in a version: its section of CHANGELOG.md, without the heading.
#   packaging/release_notes.sh 0.1.0 [CHANGELOG.md]
set -eu
[ $# -ge 1 ] || { echo "name a version: $0 0.1.0" >&2; exit 2; }
file=${2:-$(dirname "$0")/../CHANGELOG.md}
awk -v wanted="$1" '
    /^## / { inside = $2 == wanted; found = found || inside; next }
    inside { lines[++count] = $0 }
    END {
        if (!found) exit 1
        first = 1
        while (first <= count && lines[first] == "") first++
        while (count > 0 && lines[count] == "") count--
        for (i = first; i <= count; ++i) print lines[i]
    }' "$file" || { echo "error: $file has no section of version $1" >&2; exit 1; }
