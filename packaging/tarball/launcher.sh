#!/bin/sh
# The window, from wherever this folder lies. A machine without fonts of its own uses those brought along.
here=$(dirname "$(readlink -e "$0")")
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_FILE="${FONTCONFIG_FILE:-$here/share/fonts/fonts.conf}"
exec "$here/bin/cospadi-workbench" "$@"
