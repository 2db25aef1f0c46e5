# Sourced by ./run, ./test and the scripts here: where things lie, and steps that show one line each.
# Everything is told on stderr, so that stdout belongs to the program; noise goes to build/setup.log, or
# where the scripts are installed and there is no checkout to the user's cache.
# shellcheck shell=sh

root=$(cd "$(dirname "$0")" && pwd)
while [ ! -f "$root/CMakePresets.json" ] && [ "$root" != / ]; do
    root=$(dirname "$root")
done
if [ "$root" = / ]; then
    setupLog=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/cospadi/setup.log
else
    setupLog=$root/build/setup.log
fi
mkdir -p "$(dirname "$setupLog")"
if [ "$(stat -c %s "$setupLog" 2>/dev/null || echo 0)" -gt 4000000 ]; then
    mv -f "$setupLog" "$setupLog.old"
fi
stepQuietBelow=0

say() {
    printf '%s\n' "$*" >&2
}

# fail PROBLEM [HINT…]: ends the script.
fail() {
    say "error: $1"
    shift
    for hint in "$@"; do
        say "       $hint"
    done
    exit 1
}

failWithLog() {
    say "--- the end of $setupLog"
    tail -n 25 "$setupLog" >&2
    say "---"
    fail "$@"
}

# step WHAT COMMAND…: runs it with its output in the log; on a terminal the line counts the seconds
# and shows how far ninja is. A step that succeeds within stepQuietBelow seconds shows nothing.
# Returns the command's status.
step() {
    stepName=$1
    shift
    stepBegin=$(date +%s)
    printf '\n== %s: %s\n' "$stepName" "$*" >>"$setupLog"
    "$@" >>"$setupLog" 2>&1 &
    stepPid=$!
    # A command in the background does not hear Ctrl-C by itself.
    trap 'kill $stepPid 2>/dev/null; exit 130' INT TERM
    if [ -t 2 ]; then
        while kill -0 $stepPid 2>/dev/null; do
            if [ $(($(date +%s) - stepBegin)) -lt $stepQuietBelow ]; then
                sleep 0.1
                continue
            fi
            stepDone=$(tail -c 4000 "$setupLog" | tr '\r' '\n' |
                grep -o '^\[[0-9]*/[0-9]*\]' | tail -n 1)
            printf '\r  %-32s %4d s %s ' "$stepName" $(($(date +%s) - stepBegin)) "$stepDone" >&2
            sleep 0.5
        done
        printf '\r\033[K' >&2
    fi
    stepStatus=0
    wait $stepPid || stepStatus=$?
    trap - INT TERM
    stepSeconds=$(($(date +%s) - stepBegin))
    if [ $stepStatus -ne 0 ]; then
        printf '  %-32s %4d s  failed\n' "$stepName" $stepSeconds >&2
    elif [ $stepSeconds -ge $stepQuietBelow ]; then
        printf '  %-32s %4d s  done\n' "$stepName" $stepSeconds >&2
    fi
    return $stepStatus
}
