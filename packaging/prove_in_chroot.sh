#!/bin/sh
# Proves the README's two commands on a bare system: installs SUITE with debootstrap into a folder,
# puts a clean clone of the committed sources there, runs them in a chroot as a new user of the
# machine would, and leaves the folder for a look. Needs root, debootstrap and about 6 GB.
#   packaging/prove_in_chroot.sh SUITE [FOLDER]      bookworm, trixie, noble …
# The mirror is that of this machine's package lists; where they are another distribution's,
# COSPADI_MIRROR names it. The default model is taken along where this machine has it.
# COSPADI_PROOF is what to run there [./run inspect default && ./test -R tst_budget].
set -eu
# shellcheck source=packaging/steps.sh
. "$(dirname "$0")/steps.sh"

[ $# -ge 1 ] || fail "name a suite: packaging/prove_in_chroot.sh trixie"
suite=$1
folder=${2:-/var/tmp/cospadi-$suite}
proof=${COSPADI_PROOF:-./run inspect default && ./test -R tst_budget}
[ "$(id -u)" -eq 0 ] || fail "a chroot needs root"
command -v debootstrap >/dev/null || fail "debootstrap is not installed" "apt-get install debootstrap"

# Which distribution the suite is of: debootstrap's own scripts say it. Ubuntu's newer ones may be
# missing there; they are made as the older ones are.
script=$(readlink -e "/usr/share/debootstrap/scripts/$suite" || echo gutsy)
case $script in
*gutsy) distribution=Ubuntu components=main,universe ;;
*) distribution=Debian components=main ;;
esac
mirror=${COSPADI_MIRROR:-$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' \
    'Created-By: Packages' |
    awk -v wanted="$distribution" '$1 == wanted && $2 == wanted {print $3; exit}')}
[ -n "$mirror" ] || fail "this machine's package lists have no mirror of $distribution" \
    "name one in COSPADI_MIRROR"

if [ ! -e "$folder/etc/os-release" ]; then
    step "debootstrap $suite" debootstrap --variant=minbase --include=ca-certificates,git \
        --components="$components" "$suite" "$folder" "$mirror" "$script" ||
        failWithLog "the bare system could not be made"
fi

# What the machine needs to reach its network: proxies, certificates, where Python packages are.
cp -L /etc/resolv.conf "$folder/etc/resolv.conf"
apt-config dump | grep -i '^Acquire::.*\(proxy\|verify\|cainfo\)' \
    >"$folder/etc/apt/apt.conf.d/90machine" || true
cp -a /usr/local/share/ca-certificates/. "$folder/usr/local/share/ca-certificates/"
chroot "$folder" update-ca-certificates >>"$setupLog" 2>&1
[ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$folder/etc/pip.conf"

home=$folder/root/cospadi
rm -rf "$home"
git clone -q --no-hardlinks "$root" "$home"
model=$("$root/packaging/fetch_model.sh" --path)
if [ -f "$model" ]; then
    mkdir -p "$folder/root/.local/share/cospadi/models"
    cp "$model" "$folder/root/.local/share/cospadi/models/"
fi

mount -t proc proc "$folder/proc"
trap 'umount "$folder/proc"' EXIT
say "in $folder, $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' "$folder/etc/os-release"): $proof"
status=0
env -u XDG_DATA_HOME -u XDG_CACHE_HOME HOME=/root \
    chroot "$folder" /bin/sh -c "cd /root/cospadi && $proof" || status=$?
[ $status -eq 0 ] || tail -n 25 "$home/build/setup.log" >&2
# Warnings stop nothing there; a release should have none with this compiler either.
say "compiler: $(chroot "$folder" c++ --version | head -n 1);" \
    "warnings: $(grep -c 'warning:' "$home/build/setup.log" || true)"
exit $status
