#!/bin/sh
# Proves the Debian package on a bare system: makes SUITE with debootstrap in a folder, installs the
# package there by apt alone, uses it as a user without rights would, purges it with what came along,
# and holds the files of the system then against those before. Leaves the folder for a look, and the
# list of the bare system's files beside it. Needs root, debootstrap and about 2 GB.
#   packaging/deb/prove_install.sh SUITE [FILE.deb [FOLDER]]      bookworm, trixie, noble …
# Without FILE.deb it is the one in build/package (packaging/deb/build.sh). A package is for the suite
# that it was built on. COSPADI_MIRROR names the mirror as bare_system.sh says.
set -eu
# shellcheck source=packaging/steps.sh
. "$(dirname "$0")/../steps.sh"
# shellcheck source=packaging/bare_system.sh
. "$root/packaging/bare_system.sh"

[ $# -ge 1 ] || fail "name a suite: packaging/deb/prove_install.sh bookworm"
suite=$1
file=${2:-$(ls "$root"/build/package/*.deb 2>/dev/null || true)}
folder=${3:-/var/tmp/cospadi-deb-$suite}
[ -f "$file" ] || fail "there is no package ${file:-in build/package}" \
    "packaging/build.sh package && packaging/deb/build.sh"
name=$(dpkg-deb --field "$file" Package)

[ -e "$folder/etc/os-release" ] || rm -f "$folder.files"
bareSystem "$suite" "$folder" ca-certificates
mount -t proc proc "$folder/proc"
trap 'umount "$folder/proc"' EXIT
inside() {
    chroot "$folder" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}
asUser() {
    chroot --userspec=65534:65534 "$folder" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 \
        HOME=/tmp/proof XDG_RUNTIME_DIR=/tmp/proof QT_QPA_PLATFORM=offscreen "$@"
}
# All but what packages, logs and caches keep for themselves.
filesThere() {
    (cd "$folder" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./var/cache -o \
        -path ./var/log -o -path ./var/lib/apt -o -path ./var/lib/dpkg \) -prune -o -print | sort)
}

step "package lists" inside apt-get update || failWithLog "apt-get update failed in $folder"
# What a proof that was cut short left; the list is of the system as it was made.
inside apt-get purge --yes --auto-remove "$name" >>"$setupLog" 2>&1 || true
before=$folder.files
[ -f "$before" ] || filesThere >"$before"
after=$(mktemp)
trap 'rm -f "$after"; umount "$folder/proc"' EXIT

rm -rf "$folder/tmp/proof"
mkdir -m 700 "$folder/tmp/proof"
cp "$file" "$folder/tmp/package.deb"
cp -r "$root/tests/data/oracle/arch/a_llama_gqa" "$folder/tmp/proof/model"
chown -R 65534:65534 "$folder/tmp/proof"
step "install" inside apt-get install --yes --no-install-recommends /tmp/package.deb ||
    failWithLog "the package does not install"

for there in applications/org.cospadi.Workbench.desktop metainfo/org.cospadi.Workbench.metainfo.xml \
    icons/hicolor/scalable/apps/cospadi-workbench.svg cospadi/fetch_model.sh; do
    [ -s "$folder/usr/share/$there" ] || fail "$there is not installed"
done
for program in cospadi cospadi-workbench; do
    for there in man/man1/$program.1.gz bash-completion/completions/$program \
        zsh/vendor-completions/_$program fish/vendor_completions.d/$program.fish; do
        [ -s "$folder/usr/share/$there" ] || fail "$there is not installed"
    done
done

# What a user does first, each with what it must print or leave.
proof() {
    say "  \$ $*"
    asUser "$@" || fail "failed in $folder: $*"
}
version=$(dpkg-deb --field "$file" Version)
told=$(proof cospadi --version)
say "$told"
case $told in
"${version%-*} "*) ;;
*) fail "the package is of version $version" ;;
esac
told=$(asUser cospadi inspect default 2>&1 || true)
say "$told"
case $told in
*"sh /usr/share/cospadi/fetch_model.sh"*) ;;
*) fail "it is not said how the default model is fetched" ;;
esac
proof sh /usr/share/cospadi/fetch_model.sh --path >&2
proof cospadi inspect /tmp/proof/model >&2
proof cospadi export /tmp/proof/model --format hf --dtype f16 --out /tmp/proof/dense >&2
proof cospadi inspect /tmp/proof/dense >&2
proof cospadi-workbench --page model --screenshot /tmp/proof/window.png /tmp/proof/model >&2
[ -s "$folder/tmp/proof/window.png" ] || fail "the window left no picture"

step "purge" inside apt-get purge --yes "$name" || failWithLog "the package does not purge"
# Also what the base system came without but suggests, as libc6 of Debian 13 does libidn2-0.
step "purge what came along" inside apt-get autoremove --purge --yes \
    -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false ||
    failWithLog "what came along does not purge"
# shellcheck disable=SC2016  # dpkg's own variable
[ -z "$(inside dpkg-query --show --showformat '${Status}' "$name" 2>/dev/null)" ] ||
    fail "dpkg still knows $name"
filesThere >"$after"
left=$(comm -13 "$before" "$after")
[ -z "$left" ] || fail "left behind by $name or what came along:" "$left"
say "installed, used and purged in $folder, $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' \
    "$folder/etc/os-release"): $(wc -l <"$before") files and folders before, none more after"
