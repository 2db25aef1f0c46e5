#!/bin/sh
# Installs what the build, the tests and ./run need and this machine lacks: Debian 12 and 13, Ubuntu
# 24.04, as root or through sudo. Quick and silent where nothing is missing.
#   packaging/packages.sh           install what is missing
#   packaging/packages.sh --list    print the names of what is missing
# COSPADI_SKIP_PACKAGES=1 passes over it, for systems whose package manager is not apt.
set -eu
# shellcheck source=packaging/steps.sh
. "$(dirname "$0")/steps.sh"

# a|b are names of the same thing on different systems; c? is wanted where the system has it (Qt's
# OpenGL headers, which Qt Charts needs, are a package of their own in some releases only). `file` and
# dpkg-dev are what cpack makes the Debian package with (packaging/CPackTools.cmake).
packages="
build-essential dpkg-dev cmake ninja-build ccache pkg-config git ca-certificates
qt6-base-dev libqt6opengl6-dev? qt6-charts-dev|libqt6charts6-dev qt6-svg-dev|libqt6svg6-dev
qt6-l10n-tools qt6-translations-l10n?
libeigen3-dev libopenblas-dev liblapacke-dev
libsqlite3-dev libsqlitecpp-dev nlohmann-json3-dev libcli11-dev libfmt-dev
libpcre2-dev libutf8proc-dev libyaml-cpp-dev libssl-dev zlib1g-dev
python3 python3-pip python3-venv
desktop-file-utils appstream file
xvfb xauth fonts-dejavu-core
"

hasCandidate() {
    LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'
}

missingPackages() {
    # shellcheck disable=SC2046,SC2086
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' \
        $(echo $packages | tr '|?' '  ') 2>/dev/null | sed -n 's/^installed //p' | tr '\n' ' ')
    for names in $packages; do
        present=no
        for name in $(echo "$names" | tr '|?' '  '); do
            case " $installed" in *" $name "*) present=yes ;; esac
        done
        case $names in
        *'?') [ $present = yes ] || hasCandidate "${names%?}" || present=yes ;;
        esac
        [ $present = yes ] || echo "${names%[?]}"
    done
}

# The first of a|b|c that the package lists offer; the first where they offer none.
offered() {
    for name in $(echo "$1" | tr '|' ' '); do
        if hasCandidate "$name"; then
            echo "$name"
            return
        fi
    done
    echo "${1%%|*}"
}

# The package lists first: on a fresh machine they are empty, on an old one out of date. Where one of
# several sources fails, the others may have everything.
install() {
    export DEBIAN_FRONTEND=noninteractive LC_ALL=C
    $asRoot apt-get -q update || echo "apt-get update failed; going on with the lists there are"
    chosen=
    for names in $(missingPackages); do
        chosen="$chosen $(offered "$names")"
    done
    # shellcheck disable=SC2086
    $asRoot env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
        apt-get -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 install $chosen
}

[ "${COSPADI_SKIP_PACKAGES:-0}" = 1 ] && exit 0
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    fail "this system has no apt-get" \
        "install the equivalents of:$(echo "$packages" | tr '\n?' '  ')" \
        "then start again with COSPADI_SKIP_PACKAGES=1"
fi

missing=$(missingPackages)
if [ "${1:-}" = --list ]; then
    [ -z "$missing" ] || echo "$missing"
    exit 0
fi
[ -n "$missing" ] || exit 0

count=$(echo "$missing" | wc -w | tr -d ' ')
asRoot=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        fail "$count packages are missing, this is not root, and there is no sudo" \
            "as root: $root/packaging/packages.sh" \
            "or:      apt-get install $(for names in $missing; do printf '%s ' "$(offered "$names")"; done)"
    fi
    asRoot=sudo
    # -n first: a user without a password may be one for whom -v wants it all the same.
    sudo -n true 2>/dev/null || sudo -v || fail "sudo was refused" "start again as a user who may install packages"
fi

logBegin=$(stat -c %s "$setupLog" 2>/dev/null || echo 0)
if ! step "install $count packages" install; then
    case $(tail -c +"$((logBegin + 1))" "$setupLog") in
    *"dpkg was interrupted"*) hint="finish what was interrupted: ${asRoot:+sudo }dpkg --configure -a" ;;
    *"Could not get lock"*) hint="another program is installing packages: wait until it is done" ;;
    *) hint="check the network and the free space (about 2 GB)" ;;
    esac
    failWithLog "the packages could not be installed" "$hint, then start again"
fi
left=$(missingPackages)
[ -z "$left" ] || fail "still missing after installation: $(echo "$left" | tr '\n' ' ')"
