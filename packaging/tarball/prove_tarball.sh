#!/bin/sh
# Proves the tarball on a bare system: makes SUITE with debootstrap in a folder, without Qt, X or compilers,
# unpacks the tarball there as a user without rights, into a folder with a space in its name, and uses it:
# what the loader takes from where, both programs, a whole compression, and the window on an X server, of
# which the bare system has nothing but the socket. Then the folder is moved, works, and makes pictures of
# every page. Leaves the folder for a look. Needs root, debootstrap, Xvfb and about 2 GB.
#   packaging/tarball/prove_tarball.sh SUITE [FILE.tar.gz [FOLDER]]      bookworm, trixie …
# Without FILE it is the one in build/package (packaging/tarball/build.sh). The default model is taken along
# where this machine has it. COSPADI_MIRROR names the mirror as bare_system.sh says.
set -eu
# shellcheck source=packaging/steps.sh
. "$(dirname "$0")/../steps.sh"
# shellcheck source=packaging/bare_system.sh
. "$root/packaging/bare_system.sh"

[ $# -ge 1 ] || fail "name a suite: packaging/tarball/prove_tarball.sh bookworm"
suite=$1
file=${2:-$(ls "$root"/build/package/*.tar.gz 2>/dev/null || true)}
folder=${3:-/var/tmp/cospadi-tarball-$suite}
[ -f "$file" ] || fail "there is no tarball ${file:-in build/package}" \
    "packaging/build.sh package && packaging/tarball/build.sh"
command -v Xvfb >/dev/null || fail "Xvfb is not installed" "apt-get install xvfb"
name=$(basename "$file" .tar.gz)

bareSystem "$suite" "$folder" ca-certificates
# shellcheck disable=SC2016  # dpkg's own variables
present=$(chroot "$folder" dpkg-query --show --showformat '${db:Status-Status} ${Package}\n')
for absent in libqt6core6 libqt6core6t64 libx11-6 libxcb1 fontconfig-config libopenblas0-pthread gcc; do
    case " $(echo "$present" | tr '\n' ' ')" in
    *" installed $absent "*) fail "$folder is not bare: it has $absent" ;;
    esac
done
mount -t proc proc "$folder/proc"
server=
trap '[ -z "$server" ] || kill "$server"; umount "$folder/proc"' EXIT

proofs="$folder/tmp/proof"
rm -rf "$proofs" "$folder/tmp/.X11-unix"
mkdir -m 700 "$proofs"
mkdir -p "$proofs/a place" "$proofs/model" "$proofs/.local/share/cospadi/models"
cp "$file" "$proofs/$name.tar.gz"
# The small model of the tests, with their tokenizer of bytes.
cp "$root"/tests/data/oracle/arch/a_llama_gqa/*.json \
    "$root"/tests/data/oracle/arch/a_llama_gqa/*.safetensors "$proofs/model/"
cp "$root/tests/data/fuzz/byte_level.json" "$proofs/model/tokenizer.json"
model=$("$root/packaging/fetch_model.sh" --path)
[ ! -f "$model" ] || cp "$model" "$proofs/.local/share/cospadi/models/"
chown -R 65534:65534 "$proofs"

# inside WORDS…: as a user without rights, in the folder that was unpacked.
place="/tmp/proof/a place/$name"
# shellcheck disable=SC2016  # expanded there
inside() {
    chroot --userspec=65534:65534 "$folder" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 \
        HOME=/tmp/proof XDG_RUNTIME_DIR=/tmp/proof /bin/sh -c 'cd "$0" && exec "$@"' "$place" "$@"
}
proof() {
    say "  \$ $*"
    inside "$@" || fail "failed in $folder: $*"
}
# isPicture FILE: there is one, and more than a plain area.
isPicture() {
    [ "$(head -c 8 "$1" | tail -c 7 | head -c 3)" = PNG ] || fail "$1 is no picture"
    [ "$(stat -c %s "$1")" -gt 20000 ] || fail "$1 shows next to nothing"
}

proofAt="/tmp/proof/a place"
chroot --userspec=65534:65534 "$folder" tar --directory "$proofAt" -xzf "/tmp/proof/$name.tar.gz"
say "  unpacked: $(du -sh "$folder$place" | cut -f1)"

# Whatever the loader finds elsewhere is of the baseline, and it misses nothing.
everything=$(inside sh -c 'find bin lib plugins -type f ! -name qt.conf -exec ldd {} +' 2>&1 || true)
stray=$(echo "$everything" | grep -v "^[a-z].*:$" | grep -v -F "$place/" |
    grep -v -w -F -f "$root/packaging/tarball/baseline.txt" |
    grep -v -e '^[[:space:]]*/lib64/ld-linux' -e 'statically linked' || true)
[ -z "$stray" ] || fail "not of the tarball, and not of the baseline:" "$stray"

told=$(proof ./cospadi --version)
say "$told"
version=${name#cospadi-workbench-}
case $told in
"${version%-*} "*) ;;
*) fail "the tarball is of version $version" ;;
esac
proof sh share/cospadi/fetch_model.sh --path >&2
[ ! -f "$model" ] || proof ./cospadi inspect default >&2
proof ./cospadi compress /tmp/proof/model --method cospadi --cr 0.2 --sequences 4 --length 64 \
    --out /tmp/proof/run >&2
proof ./cospadi evaluate /tmp/proof/run --perplexity wikitext2 --context 64 --max-tokens 512 >&2
proof ./cospadi export /tmp/proof/run --format gguf --out /tmp/proof/run.gguf >&2

proof env QT_QPA_PLATFORM=offscreen ./cospadi-workbench --screenshot /tmp/proof/offscreen.png \
    /tmp/proof/model >&2
isPicture "$proofs/offscreen.png"

# An X server of this machine; the bare system has its socket.
mkdir -p "$proofs/screen"
Xvfb -displayfd 3 -screen 0 1400x1000x24 -nolisten tcp -fbdir "$proofs/screen" \
    3>"$proofs/display" >>"$setupLog" 2>&1 &
server=$!
while [ ! -s "$proofs/display" ]; do
    kill -0 $server 2>/dev/null || failWithLog "Xvfb does not start"
    sleep 0.1
done
display=$(cat "$proofs/display")
mkdir -m 1777 "$folder/tmp/.X11-unix"
touch "$folder/tmp/.X11-unix/X$display"
mount --bind "/tmp/.X11-unix/X$display" "$folder/tmp/.X11-unix/X$display"
trap 'umount "$folder/tmp/.X11-unix/X$display"; kill "$server"; umount "$folder/proc"' EXIT
proof env DISPLAY=":$display" QT_QPA_PLATFORM=xcb ./cospadi-workbench \
    --screenshot /tmp/proof/on-x.png /tmp/proof/model >&2
isPicture "$proofs/on-x.png"

# Moved, and started through a link from elsewhere.
mv "$folder$place" "$proofs/moved"
place=/tmp/proof
proof mkdir -p bin
proof ln -sf /tmp/proof/moved/cospadi /tmp/proof/moved/cospadi-workbench bin/
proof bin/cospadi inspect /tmp/proof/run >&2
proof bin/cospadi-workbench --figure moved/share/cospadi/published/main-results.csv --help >/dev/null
proof env QT_QPA_PLATFORM=offscreen bin/cospadi-workbench --page runs \
    --screenshot /tmp/proof/moved.png >&2
isPicture "$proofs/moved.png"
# Last, because it computes for minutes: a run of its own, then every page, light and dark.
if [ -f "$model" ]; then
    proof bin/cospadi-workbench --screenshots /tmp/proof/pages >&2
    for picture in "$proofs"/pages/*.png; do
        isPicture "$picture"
    done
    say "  $(find "$proofs/pages" -name '*.png' | wc -l) pictures of pages"
fi
say "used and moved in $folder, $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' "$folder/etc/os-release")"
