#!/bin/sh
# A folder that a machine with nothing but an NVIDIA driver can run: gpu-check, the libraries it is linked
# with, and cuBLAS and cuSOLVER from the toolkit it was built with.
#   packaging/bundle_gpu_check.sh [--bare] FOLDER [build/package]
# --bare: without CUDA's libraries, which the other machine has; in one file, FOLDER.tar.xz.
set -eu
bare=
if [ "${1:-}" = --bare ]; then
    bare=yes
    shift
fi
[ $# -ge 1 ] || { echo "name a folder: $0 [--bare] FOLDER [BUILD]" >&2; exit 2; }
root=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
folder=${1%/}
program=${2:-$root/build/package}/bin/gpu-check
[ -x "$program" ] || { echo "$program is not built: packaging/build.sh package gpu-check" >&2; exit 1; }
toolkit=${CUDA_PATH:-/usr/local/cuda}/lib64

mkdir -p "$folder"
cp "$program" "$folder/gpu-check.bin"
# The C library and its loader belong to the machine, everything else comes along.
ldd "$program" | awk '$3 ~ /^\// { print $3 }' |
    grep -v -E '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so' |
    while read -r library; do
        cp -L "$library" "$folder/"
    done
cat >"$folder/gpu-check" <<'END'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
LD_LIBRARY_PATH=$here exec "$here/gpu-check.bin" "$@"
END
chmod +x "$folder/gpu-check"
packed=$folder
unpack=
if [ "$bare" ]; then
    strip "$folder/gpu-check.bin"
    packed=$folder.tar.xz
    unpack=', unpack it'
    tar -C "$(dirname "$folder")" -cJf "$packed.part" "$(basename "$folder")"
    mv -f "$packed.part" "$packed"
else
    # Whatever the toolkit's major version: libcublas.so.12 or .13, not libcublas.so or libcublas.so.13.0.2.
    for name in libcublas libcublasLt libcusolver libcusparse libnvJitLink; do
        cp -L "$toolkit/$name".so.?? "$folder/" ||
            echo "$name is not in $toolkit: the bundle needs it on the other machine" >&2
    done
fi
echo "$packed: $(du -sh "$packed" | cut -f1). Carry it over$unpack and start $(basename "$folder")/gpu-check --json figures.json"
