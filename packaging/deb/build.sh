#!/bin/sh
# The Debian package of what a build folder holds, into that folder; prints its name.
#   packaging/deb/build.sh [build/package]
# A package for other machines is one of the preset package: packaging/build.sh package
set -eu
root=$(CDPATH='' cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$root/build/package}
[ -f "$folder/CPackConfig.cmake" ] || {
    echo "error: $folder is not a build folder" >&2
    echo "       packaging/build.sh package makes one" >&2
    exit 1
}
folder=$(CDPATH='' cd "$folder" && pwd)
cd "$folder"
rm -f ./*.deb
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Files of a package belong to nobody's group alone, whatever the umask of who builds it.
umask 022
cpack -G DEB --config CPackConfig.cmake >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
}
rm -rf _CPack_Packages
ls "$folder"/*.deb
