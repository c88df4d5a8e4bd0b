# Sourced by wasm.sh, windows.sh and macos.sh: the compiler of the package ziglang, and expat and zlib for its targets.
#
#   zig_setup TARGET      such as wasm32-wasi; sets folder=build-TARGET, and zig=(COMMAND...), or ends with what is missing
#   zig_configure [CMAKE OPTIONS]
#
# The packages ziglang and wasmtime are looked for in TENON_ZIG_PYTHON, .venv and python3. The sources of expat and zlib
# are Debian's, downloaded into the build folder: nothing of this machine changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Exit code 77: what is needed is not there.
missing() {
    echo "skipped: $*" >&2
    exit 77
}

find_python() { # MODULE...
    local python
    for python in "${TENON_ZIG_PYTHON-}" "$PWD/.venv/bin/python" python3; do
        if [ -n "$python" ] && command -v "$python" >/dev/null && "$python" -c "import $1" 2>/dev/null; then
            command -v "$python"
            return
        fi
    done
    return 1
}

# Debian's source packages, unpacked into $folder/sources
download_sources() {
    local apt=$folder/apt lists=()
    mkdir -p "$apt"/{state/lists/partial,cache/archives/partial} "$folder/sources"
    cat >"$apt/sources.list" <<END
deb-src [trusted=yes] http://deb.debian.org/debian bookworm main
END
    lists=(-o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State="$apt/state"
        -o Dir::Cache="$apt/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User= -o APT::Get::Download-Only=true)
    command -v apt-get >/dev/null || missing "the sources of expat and zlib come by apt-get"
    apt-get "${lists[@]}" -qq update && (cd "$folder/sources" && apt-get "${lists[@]}" -qq source --download-only expat zlib) ||
        missing "the sources of expat and zlib cannot be downloaded"
    (cd "$folder/sources" && for archive in ./*.orig.tar.*; do tar -xf "$archive"; done)
}

# Static libraries and headers in $folder/sysroot
build_needs() {
    local root=$folder/sysroot expat zlib name
    [ -e "$root/lib/libz.a" ] && return
    mkdir -p "$root"/{lib,include,objects}
    ls "$folder"/sources/*/zlib.h "$folder"/sources/zlib.h >/dev/null 2>&1 || download_sources
    expat=$(dirname "$(find "$folder/sources" -name xmlparse.c | head -n 1)")
    zlib=$(dirname "$(find "$folder/sources" -name zlib.h | grep -v contrib | head -n 1)")
    cp "$expat"/expat.h "$expat"/expat_external.h "$zlib"/zlib.h "$zlib"/zconf.h "$root/include"
    [ -e "$expat/expat_config.h" ] || echo '#define XML_POOR_ENTROPY 1' >"$expat/expat_config.h"
    for name in xmlparse xmlrole xmltok; do
        "$folder/cc" -O2 -w -DXML_STATIC -DXML_DTD -DXML_NS -DXML_GE=1 -DXML_CONTEXT_BYTES=1024 -I"$expat" -c "$expat/$name.c" \
            -o "$root/objects/$name.o"
    done
    # its zutil.h takes every Apple for one of 1999, without this
    for name in adler32 compress crc32 deflate inffast inflate inftrees trees uncompr zutil; do
        "$folder/cc" -O2 -w -UTARGET_OS_MAC -c "$zlib/$name.c" -o "$root/objects/$name.o"
    done
    "$folder/ar" rcs "$root/lib/libexpat.a" "$root"/objects/xml*.o
    "$folder/ar" rcs "$root/lib/libz.a" "$root"/objects/{adler32,compress,crc32,deflate,inffast,inflate,inftrees,trees,uncompr,zutil}.o
}

zig_setup() {
    target=$1
    folder=$PWD/build-$target
    python=$(find_python ziglang) || missing "no Python with the package ziglang: pip install -r tests/platforms/requirements.txt"
    command -v ninja >/dev/null || missing "no ninja"
    mkdir -p "$folder"
    # zig answers warnings of its linker about options of others: none of ours
    printf '#!/bin/sh\nexec %q -m ziglang cc -target %s %s "$@"\n' "$python" "$target" "${zig_flags-}" >"$folder/cc"
    printf '#!/bin/sh\nexec %q -m ziglang ar "$@"\n' "$python" >"$folder/ar"
    printf '#!/bin/sh\nexec %q -m ziglang ranlib "$@"\n' "$python" >"$folder/ranlib"
    chmod +x "$folder/cc" "$folder/ar" "$folder/ranlib"
    build_needs
}

zig_configure() {
    cmake -S . -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/tests/platforms/zig.cmake" -DTENON_ZIG_TARGET="$target" \
        -DCMAKE_BUILD_TYPE=Release -DTENON_BUILD_TESTS=ON -DTENON_INSTALL=OFF -DTENON_BUILD_APPS=OFF ${TENON_CMAKE_OPTIONS-} "$@" \
        >"$folder/cmake.log" 2>&1 || { cat "$folder/cmake.log" >&2 && exit 1; }
}
