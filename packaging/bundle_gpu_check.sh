#!/bin/sh
# A folder that a machine with nothing but an NVIDIA driver can run: gpu-check, the libraries it is linked
# with, and cuBLAS and cuSOLVER from the toolkit it was built with.
#   packaging/bundle_gpu_check.sh FOLDER [build/package]
set -eu
[ $# -ge 1 ] || { echo "name a folder: $0 FOLDER [BUILD]" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
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
for name in libcublas.so.13 libcublasLt.so.13 libcusolver.so.12 libcusparse.so.12 libnvJitLink.so.13; do
    if [ -e "$toolkit/$name" ]; then
        cp -L "$toolkit/$name" "$folder/"
    else
        echo "$toolkit/$name is missing: the bundle needs it on the other machine" >&2
    fi
done
cat >"$folder/gpu-check" <<'END'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
LD_LIBRARY_PATH=$here exec "$here/gpu-check.bin" "$@"
END
chmod +x "$folder/gpu-check"
echo "$folder: $(du -sh "$folder" | cut -f1). Carry it over and start $(basename "$folder")/gpu-check --json figures.json"
