#!/bin/sh
# Proves the README's two commands on a bare system: installs SUITE with debootstrap into a folder,
# puts a clean clone of the committed sources there, runs them in a chroot as a new user of the
# machine would, and leaves the folder for a look. Needs root, debootstrap and about 6 GB.
#   packaging/prove_in_chroot.sh SUITE [FOLDER]      bookworm, trixie, noble …
# The default model is taken along where this machine has it. COSPADI_MIRROR names the mirror as
# bare_system.sh says.
# COSPADI_PROOF is what to run there [./run inspect default && ./test -R tst_budget].
set -eu
# shellcheck source=packaging/steps.sh
. "$(dirname "$0")/steps.sh"
# shellcheck source=packaging/bare_system.sh
. "$root/packaging/bare_system.sh"

[ $# -ge 1 ] || fail "name a suite: packaging/prove_in_chroot.sh trixie"
suite=$1
folder=${2:-/var/tmp/cospadi-$suite}
proof=${COSPADI_PROOF:-./run inspect default && ./test -R tst_budget}
bareSystem "$suite" "$folder" ca-certificates,git

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
