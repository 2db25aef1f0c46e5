# Sourced by ./run, ./test and the scripts here: where things lie, and steps that show one line each.
# Everything is told on stderr, so that stdout belongs to the program; noise goes to build/setup.log, or
# where the scripts are installed and there is no checkout to the user's cache.
# shellcheck shell=sh

unset CDPATH # with it, cd may go elsewhere, and prints where
root=$(cd "$(dirname "$0")" && pwd)
while [ ! -f "$root/packaging/steps.sh" ] && [ "$root" != / ]; do
    root=$(dirname "$root")
done
if [ "$root" = / ]; then
    case ${XDG_CACHE_HOME:-} in
    /*) setupLog=$XDG_CACHE_HOME/cospadi/setup.log ;;
    *) setupLog=${HOME:-/tmp}/.cache/cospadi/setup.log ;;
    esac
else
    setupLog=$root/build/setup.log
fi
stepQuietBelow=0
# dash runs what `trap … EXIT` names only where the script exits, not where a signal ends it.
trap 'exit 130' INT TERM

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

setupFolder=$(dirname "$setupLog")
mkdir -p "$setupFolder" 2>/dev/null || true
if [ ! -w "$setupFolder" ] || { [ -e "$setupLog" ] && [ ! -w "$setupLog" ]; }; then
    fail "$setupLog cannot be written" \
        "if another user, such as root, made $setupFolder: chown -R $(id -un) it, or remove it"
fi
if [ "$(stat -c %s "$setupLog" 2>/dev/null || echo 0)" -gt 4000000 ]; then
    mv -f "$setupLog" "$setupLog.old"
fi

# lockFile FILE WHAT: waits until no other process holds it, saying WHAT is waited for. The lock is on
# descriptor 9 and goes with it.
lockFile() {
    exec 9>"$1"
    flock -n 9 || {
        say "  waiting for $2"
        flock 9
    }
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
    trap 'exit 130' INT TERM
    stepSeconds=$(($(date +%s) - stepBegin))
    if [ $stepStatus -ne 0 ]; then
        printf '  %-32s %4d s  failed\n' "$stepName" $stepSeconds >&2
    elif [ $stepSeconds -ge $stepQuietBelow ]; then
        printf '  %-32s %4d s  done\n' "$stepName" $stepSeconds >&2
    fi
    return $stepStatus
}
