#!/bin/sh
# with_xvfb.sh COMMAND [ARGS…]: runs a command in an X server of its own on a free display and ends
# the server afterwards. Without Xvfb it says so and exits 77, which CTest counts as skipped.
if ! command -v Xvfb > /dev/null 2>&1; then
    echo "SKIP: Xvfb is not installed (Debian: apt-get install xvfb)"
    exit 77
fi
folder=$(mktemp -d) || exit 1
mkfifo "$folder/display" || exit 1
mkdir -m 700 "$folder/runtime"
Xvfb -displayfd 3 -screen 0 1440x900x24 -nolisten tcp 3> "$folder/display" > "$folder/log" 2>&1 &
server=$!
trap 'kill "$server" 2> /dev/null; wait "$server" 2> /dev/null; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
# Opening the fifo waits for Xvfb; if it dies at once, the read comes back empty.
read -r display < "$folder/display"
if [ -z "$display" ]; then
    echo "Xvfb did not start:"
    cat "$folder/log"
    exit 1
fi
XDG_RUNTIME_DIR="$folder/runtime" DISPLAY=":$display" QT_QPA_PLATFORM=xcb "$@"
