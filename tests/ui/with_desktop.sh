#!/bin/sh
# with_desktop.sh COMMAND [ARGS…]: runs a command on a desktop of its own: an X server, a window manager
# and a session bus over which the window tells what is on show, as screen readers hear it. What is
# missing is named, and the exit status is then 77, which CTest counts as skipped.
if [ -z "${COSPADI_TEST_BY_HAND:-}" ]; then
    echo "SKIP: COSPADI_TEST_BY_HAND is not set (docs/testing.md)"
    exit 77
fi
for tool in Xvfb openbox dbus-run-session xdotool; do
    if ! command -v "$tool" > /dev/null 2>&1; then
        echo "SKIP: $tool is not installed (Debian: apt-get install xvfb openbox dbus-daemon xdotool)"
        exit 77
    fi
done
if ! /usr/bin/python3 -c 'import pyatspi' 2> /dev/null; then
    echo "SKIP: pyatspi is not installed (Debian: apt-get install python3-pyatspi at-spi2-core)"
    exit 77
fi
export QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1
# The command's arguments are words of their own for the shell inside, too.
exec "$(dirname "$0")/with_xvfb.sh" dbus-run-session -- sh -c '
    openbox & manager=$!
    "$@"; status=$?
    kill "$manager" 2> /dev/null
    exit "$status"' desktop "$@"
