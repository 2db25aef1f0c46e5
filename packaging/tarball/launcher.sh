#!/bin/sh
# The window, from wherever this folder lies. A machine without fonts of its own uses those brought along.
# Keymaps are the display's, but the library that reads them wants a folder of its own to be there.
here=$(dirname "$(readlink -e "$0")")
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_FILE="${FONTCONFIG_FILE:-$here/share/fonts/fonts.conf}"
[ -e /usr/share/X11/xkb ] || export XKB_CONFIG_ROOT="${XKB_CONFIG_ROOT:-$here/share}"
exec "$here/bin/cospadi-workbench" "$@"
