#!/bin/sh
# Compile a Python without the GIL from Debian's source package: python_nogil.sh FOLDER [OPTIONS OF configure]
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
cd "$folder"
# Use the machine's own mirror of Debian.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
    sed -n 's/^URIs: *//p; s/^deb \(\[.*\] \)*\(http[^ ]*\) .*/\2/p' | head -n 1)
[ -n "$mirror" ] || { echo "apt knows no mirror: compile a Python without the GIL, and give it as PYTHON_NOGIL=" >&2; exit 1; }
mkdir -p lists/partial cache/archives/partial
cat > debian.sources <<END
Types: deb-src
URIs: $mirror
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
# Don't change apt's settings on this machine.
cat > settings <<END
Dir::Etc::SourceList "$folder/debian.sources";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$folder/lists";
Dir::Cache "$folder/cache";
APT::Sandbox::User "root";
END
export APT_CONFIG="$folder/settings"
apt-get --quiet --quiet update
apt-get --quiet --quiet source --download-only python3.13
tar --extract --strip-components=1 --one-top-level=source --file python3.13_*.orig.tar.xz
mkdir -p build
cd build
../source/configure --quiet --prefix="$folder/python" --disable-gil --disable-test-modules "$@"
make --silent
# Ignore data races in CPython itself.
TSAN_OPTIONS=report_bugs=0 make --silent install
