#!/bin/sh
# Configures and builds a preset; quick and silent where nothing has changed.
#   packaging/build.sh PRESET [TARGET…]
# COSPADI_WARNINGS_AS_ERRORS=ON|OFF says it instead of the preset; a build folder keeps the last word.
set -eu
# shellcheck source=packaging/steps.sh
. "$(dirname "$0")/steps.sh"

[ $# -ge 1 ] || fail "name a preset: packaging/build.sh release"
preset=$1
shift
folder=$root/build/$preset

# A build folder that was copied from elsewhere would build there: it is made anew.
if [ -f "$folder/CMakeCache.txt" ] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"
fi

launcher=
if command -v ccache >/dev/null; then
    launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache
    # Precompiled headers are of the same build folder, and nothing prints the time of its build.
    export CCACHE_SLOPPINESS=pch_defines,time_macros
    export CCACHE_BASEDIR="$root"  # another checkout of the same sources finds what this one left
fi
cd "$root"
warnings=
asked=${COSPADI_WARNINGS_AS_ERRORS:-}
if [ -n "$asked" ] &&
    ! grep -qsx "COSPADI_WARNINGS_AS_ERRORS:BOOL=$asked" "$folder/CMakeCache.txt"; then
    warnings=-DCOSPADI_WARNINGS_AS_ERRORS=$asked
fi
if [ ! -f "$folder/build.ninja" ] || [ -n "$warnings" ]; then
    # shellcheck disable=SC2086
    step "configure ($preset)" cmake --preset "$preset" $launcher $warnings ||
        failWithLog "the build could not be configured" "see $setupLog" \
            "it requires CMake 3.25, GCC 12 and Qt 6.4 or newer, as in Debian 12 and Ubuntu 24.04"
fi

# As many compilers as there are cores and memory for them.
cores=$(nproc)
each=$(sed -n 's/^COSPADI_MEGABYTES_A_COMPILER:INTERNAL=//p' "$folder/CMakeCache.txt")
compilers=$(awk -v each="${each:-2304}" '/^MemAvailable/ {print int($2 / 1024 / each)}' /proc/meminfo)
[ "$compilers" -ge 1 ] || compilers=1
[ "$cores" -le "$compilers" ] || cores=$compilers

# Where nothing has changed this takes a fraction of a second, and says nothing.
stepQuietBelow=2
step "build ($preset)" cmake --build "$folder" --parallel "$cores" ${1:+--target "$@"} ||
    failWithLog "the build failed" "see $setupLog; after a fix, start again: it goes on from there"
