#!/usr/bin/env bash
# Builds for ARM64 and runs the library's tests under emulation (qemu), the hashes of the portable kernels among them.
#
#   tests/platforms/arm64.sh [CTEST OPTIONS]      into build-arm64/; such as -R hashes
#
# Needs the Debian packages gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu and qemu-user-static. expat and zlib for ARM64 are
# downloaded into the build folder: nothing of this machine changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$PWD/build-arm64
for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64-static ninja; do
    command -v $tool >/dev/null || { echo "$tool is missing: apt-get install gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user-static ninja-build" >&2; exit 1; }
done

# download NAME...: Debian packages for ARM64, unpacked into $folder/sysroot
download() {
    local apt=$folder/apt
    mkdir -p "$apt"/{state/lists/partial,cache/archives/partial} "$folder/sysroot"
    local options=(-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$apt/state" -o Dir::Cache="$apt/cache"
        -o Dir::State::status=/dev/null -o APT::Sandbox::User=)
    apt-get "${options[@]}" -qq update
    (cd "$apt" && apt-get "${options[@]}" -qq download "$@" && for package in ./*.deb; do dpkg-deb -x "$package" "$folder/sysroot"; done)
}

[ -e "$folder/sysroot/usr/include/expat.h" ] || download libexpat1-dev zlib1g-dev
cmake -S . -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/tests/platforms/arm64.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DTENON_BUILD_APPS=OFF -DTENON_BUILD_TESTS=ON ${TENON_CMAKE_OPTIONS-} >"$folder/cmake.log"
cmake --build "$folder" --target quick_tests
if [ $# -eq 0 ]; then set -- -L quick -LE slow; fi
ctest --test-dir "$folder" --output-on-failure --no-tests=error -j "$(nproc)" "$@"
