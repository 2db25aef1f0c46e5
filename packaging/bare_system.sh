# Sourced after steps.sh by what proves something on a bare Debian or Ubuntu, which debootstrap makes in
# a folder. Needs root.
# shellcheck shell=sh

# bareSystem SUITE FOLDER PACKAGES: makes it where it is not there yet, and gives it this machine's way
# to the network: proxies, certificates, where Python packages are. The mirror is that of this machine's
# package lists; where they are another distribution's, COSPADI_MIRROR names it.
bareSystem() {
    [ "$(id -u)" -eq 0 ] || fail "a chroot needs root"
    command -v debootstrap >/dev/null ||
        fail "debootstrap is not installed" "apt-get install debootstrap"
    # Which distribution the suite is of: debootstrap's own scripts say it. Ubuntu's newer ones may be
    # missing there; they are made as the older ones are.
    bareScript=$(readlink -e "/usr/share/debootstrap/scripts/$1" || echo gutsy)
    case $bareScript in
    *gutsy) bareDistribution=Ubuntu bareComponents=main,universe ;;
    *) bareDistribution=Debian bareComponents=main ;;
    esac
    # shellcheck disable=SC2016  # apt's own variables
    bareMirror=${COSPADI_MIRROR:-$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' \
        'Created-By: Packages' |
        awk -v wanted="$bareDistribution" '$1 == wanted && $2 == wanted {print $3; exit}')}
    [ -n "$bareMirror" ] || fail "this machine's package lists have no mirror of $bareDistribution" \
        "set COSPADI_MIRROR to one"
    # debootstrap removes this folder of its own last.
    [ ! -d "$2/debootstrap" ] || fail "$2 is incomplete: debootstrap was interrupted" \
        "remove it and start again"
    if [ ! -e "$2/etc/os-release" ]; then
        step "debootstrap $1" debootstrap --variant=minbase --include="$3" \
            --components="$bareComponents" "$1" "$2" "$bareMirror" "$bareScript" ||
            failWithLog "the bare system could not be made"
    fi
    cp -L /etc/resolv.conf "$2/etc/resolv.conf"
    apt-config dump | grep -i '^Acquire::.*\(proxy\|verify\|cainfo\)' \
        >"$2/etc/apt/apt.conf.d/90machine" || true
    cp -a /usr/local/share/ca-certificates/. "$2/usr/local/share/ca-certificates/"
    # shellcheck disable=SC2154  # of steps.sh
    chroot "$2" update-ca-certificates >>"$setupLog" 2>&1
    [ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$2/etc/pip.conf"
}
