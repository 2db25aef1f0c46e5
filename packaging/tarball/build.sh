#!/bin/sh
# A tarball of what a build folder holds, for any x86-64 Debian or Ubuntu that is no older than the one it
# is made on, unpacked wherever its user likes: both programs, what they read, and every shared library
# they need but those that a bare system has (baseline.txt), Qt with the plugins that the window uses and
# fonts for machines without any among them. Prints its name; its size and what it asks of a system go to
# stderr.
#   packaging/tarball/build.sh [build/package]
# Wants patchelf and fonts-dejavu-core. Where qt6-wayland is installed the window comes with Wayland, too.
set -eu
# shellcheck source=packaging/steps.sh
. "$(dirname "$0")/../steps.sh"
folder=${1:-$root/build/package}
here=$root/packaging/tarball

if [ ! -x "$folder/bin/cospadi-workbench" ] || [ ! -f "$folder/CMakeCache.txt" ]; then
    fail "$folder contains no cospadi-workbench" "packaging/build.sh package makes it"
fi
for tool in patchelf strip dpkg-query; do
    command -v $tool >/dev/null || fail "$tool is not installed" "apt-get install $tool"
done
fonts=/usr/share/fonts/truetype/dejavu
[ -f $fonts/DejaVuSans.ttf ] || fail "the fonts are missing" "apt-get install fonts-dejavu-core"
qtPlugins=$(qmake6 -query QT_INSTALL_PLUGINS 2>/dev/null ||
    echo "/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/qt6/plugins")
[ -f "$qtPlugins/platforms/libqxcb.so" ] || fail "there are no plugins of Qt in $qtPlugins"

# Folders and files are readable for all, whatever the umask of who builds.
umask 022
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$folder/CMakeCache.txt")
name=cospadi-workbench-$version-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/$name

step "install" cmake --install "$folder" --prefix "$tree" --strip ||
    failWithLog "the programs could not be installed; are they built?"
mkdir "$tree/lib" "$tree/plugins" "$tree/licences"

# No plugin for OpenGL, which the window does not use: what it loads is then here as a whole.
for plugin in platforms/libqxcb platforms/libqoffscreen platforms/libqminimal \
    'platforms/libqwayland-generic' wayland-shell-integration/libxdg-shell \
    wayland-decoration-client/libbradient iconengines/libqsvgicon imageformats/libqsvg \
    platforminputcontexts/libcomposeplatforminputcontextplugin \
    platforminputcontexts/libibusplatforminputcontextplugin; do
    [ -f "$qtPlugins/$plugin.so" ] || continue
    mkdir -p "$tree/plugins/$(dirname $plugin)"
    cp -L "$qtPlugins/$plugin.so" "$tree/plugins/$plugin.so"
    echo "$qtPlugins/$plugin.so" >>"$work/taken"
done
printf '[Paths]\nPrefix = ..\nPlugins = plugins\n' >"$tree/bin/qt.conf"

# The libraries, as the loader finds them for these files here; a missing one ends it.
grep -v '^#' "$here/baseline.txt" >"$work/baseline"
find "$tree/bin" "$tree/plugins" -type f ! -name qt.conf -exec ldd {} + >"$work/ldd"
missing=$(grep 'not found' "$work/ldd" | sort -u || true)
[ -z "$missing" ] || fail "libraries are missing here:" "$missing"
awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' "$work/ldd" | sort -u |
    grep -v -w -F -f "$work/baseline" | while read -r soname path; do
    cp -L "$path" "$tree/lib/$soname"
    echo "$path" >>"$work/taken"
done

# DT_RPATH, which is asked before LD_LIBRARY_PATH: another Qt that the user's shell names stays out.
chmod -R u+w "$tree/lib" "$tree/plugins"
for program in cospadi cospadi-workbench; do
    # shellcheck disable=SC2016  # the loader's own variable, here and below
    patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$tree/bin/$program"
done
find "$tree/lib" -type f -exec patchelf --force-rpath --set-rpath "\$ORIGIN" {} +
find "$tree/plugins" -type f -exec patchelf --force-rpath --set-rpath "\$ORIGIN/../../lib" {} +
find "$tree/lib" "$tree/plugins" -type f -exec chmod 644 {} +

mkdir "$tree/share/fonts"
cp -L $fonts/DejaVuSans.ttf $fonts/DejaVuSans-Bold.ttf $fonts/DejaVuSansMono.ttf "$tree/share/fonts/"
echo $fonts/DejaVuSans.ttf >>"$work/taken"
cp "$here/fonts.conf" "$tree/share/fonts/"

# The licence of each package that a file is from, and where its sources are.
sort -u "$work/taken" >"$work/files"
while read -r path; do
    real=$(readlink -e "$path")
    owner=$(dpkg-query --search "$real" 2>/dev/null ||
        dpkg-query --search "${real#/usr}" 2>/dev/null ||
        fail "no package owns $real, so its licence is not known")
    # shellcheck disable=SC2016  # dpkg's own variables
    dpkg-query --show --showformat '${Package} ${Version} ${source:Package} ${source:Version}\n' \
        "${owner%%: *}"
done <"$work/files" >"$work/owners"
sort -u "$work/owners" >"$work/packages"
while read -r package _; do
    mkdir -p "$tree/licences/$package"
    cp -L "/usr/share/doc/$package/copyright" "$tree/licences/$package/copyright"
done <"$work/packages"
cp -rL /usr/share/common-licenses "$tree/licences/common-licenses"
system=$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)
{
    sed "s|@SYSTEM@|$system|" "$here/LIBRARIES.txt"
    awk '{ printf "%-28s %-26s %s %s\n", $1, $2, $3, $4 }' "$work/packages"
} >"$tree/licences/LIBRARIES.txt"

cp "$here/launcher.sh" "$tree/cospadi-workbench"
chmod 755 "$tree/cospadi-workbench"
ln -s bin/cospadi "$tree/cospadi"
sed "s/@VERSION@/$version/; s|@SYSTEM@|$system|" "$here/README.txt" >"$tree/README.txt"

# What it asks of a system: the newest versions of glibc and libstdc++ that any of its files names.
needs() {
    find "$tree/bin" "$tree/lib" "$tree/plugins" -type f ! -name qt.conf -exec objdump -T {} + |
        grep -o "$1[0-9.]*" | sort -u -V | tail -n 1
}
asks="$(needs GLIBC_), $(needs GLIBCXX_)"
date=$(sed -n 's/.*<release [^>]*date="\([0-9-]*\)".*/\1/p' \
    "$root/packaging/org.cospadi.Workbench.metainfo.xml.in")
file=$folder/$name.tar.gz
tar --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$date 00:00Z" \
    --create --file "$work/$name.tar" "$name"
trap 'rm -rf "$work" "$file.part"' EXIT
gzip --no-name --best <"$work/$name.tar" >"$file.part"
rm -f "$folder"/cospadi-workbench-*.tar.gz
mv "$file.part" "$file"
say "$(du -h --apparent-size "$file" | cut -f1) packed, $(du -sh --apparent-size "$tree" | cut -f1)" \
    "unpacked, of it libraries $(du -sh --apparent-size "$tree/lib" | cut -f1)" \
    "($(find "$tree/lib" -type f | wc -l) files of $(wc -l <"$work/packages") packages);" \
    "made on $system, requires $asks"
echo "$file"
