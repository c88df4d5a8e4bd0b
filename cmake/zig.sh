# Sourced by wasm.sh here and by those of tests/platforms: the compiler of the package ziglang, and expat and zlib for its targets.
#
#   zig_setup TARGET [--quick]     such as wasm32-wasi: sets folder=build-TARGET (or zig_folder) and makes the compiler there
#   zig_configure [CMAKE OPTIONS]
#   zig_test [CTEST OPTIONS]       builds the C tests and runs them by `runner`; --quick: five scenes and four tests, at -O1
#                                  unless zig_folder says where
#
# The packages ziglang and wasmtime are looked for in TENON_ZIG_PYTHON, .venv and python3. The sources of expat and zlib
# are Debian's, downloaded into build-zig/: nothing of this machine changes. Exit code 77: what is needed is not there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

missing() {
    echo "skipped: $*" >&2
    exit 77
}

find_python() { # MODULE
    local python
    for python in "${TENON_ZIG_PYTHON-}" "$PWD/.venv/bin/python" python3; do
        if [ -n "$python" ] && command -v "$python" >/dev/null && "$python" -c "import $1" 2>/dev/null; then
            command -v "$python"
            return
        fi
    done
    return 1
}

# Debian's source packages, unpacked into $sources
download_sources() {
    local apt=$PWD/build-zig/apt lists=() list
    mkdir -p "$apt"/{state/lists/partial,cache/archives/partial,parts} "$sources"
    # where this machine's packages come from, but their sources; those of security fixes are not kept everywhere
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        grep -qE '/(debian|ubuntu)/?( |$)' "$list" 2>/dev/null || continue
        case $list in
        *.list) sed -n '/security/d; s/^deb /deb-src /p' "$list" >"$apt/parts/${list##*/}" ;;
        *.sources) awk -v RS= -v ORS='\n\n' '!/security/' "$list" | sed 's/^Types:.*/Types: deb-src/' >"$apt/parts/${list##*/}" ;;
        esac
    done
    lists=(-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt/parts" -o Dir::State="$apt/state"
        -o Dir::Cache="$apt/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User= -o APT::Get::Download-Only=true)
    command -v apt-get >/dev/null || missing "the sources of expat and zlib come by apt-get"
    apt-get "${lists[@]}" -qq update && (cd "$sources" && apt-get "${lists[@]}" -qq source --download-only expat zlib) ||
        missing "the sources of expat and zlib cannot be downloaded"
    (cd "$sources" && for archive in ./*.orig.tar.*; do tar -xf "$archive"; done)
}

# Static libraries and headers in $folder/sysroot
build_needs() {
    local root=$folder/sysroot expat zlib name pic=()
    case $target in *-linux-*) pic=(-fPIC) ;; esac # they become part of a shared library: the wheel's module
    [ -e "$root/lib/libz.a" ] && return
    mkdir -p "$root"/{lib,include,objects}
    ls "$sources"/*/zlib.h >/dev/null 2>&1 || download_sources
    expat=$(dirname "$(find "$sources" -name xmlparse.c | head -n 1)")
    zlib=$(dirname "$(find "$sources" -name zlib.h | grep -v contrib | head -n 1)")
    cp "$expat"/expat.h "$expat"/expat_external.h "$zlib"/zlib.h "$zlib"/zconf.h "$root/include"
    for name in GL KHR GLFW; do # headers alone: libraries of drawing are opened at run time
        if [ -d "/usr/include/$name" ]; then cp -r "/usr/include/$name" "$root/include"; fi
    done
    [ -e "$expat/expat_config.h" ] || echo '#define XML_POOR_ENTROPY 1' >"$expat/expat_config.h"
    for name in xmlparse xmlrole xmltok; do
        "$folder/cc" -O2 -w "${pic[@]}" -DXML_STATIC -DXML_DTD -DXML_NS -DXML_GE=1 -DXML_CONTEXT_BYTES=1024 -I"$expat" -c "$expat/$name.c" \
            -o "$root/objects/$name.o"
    done
    # its zutil.h takes every Apple for one of 1999, without this
    for name in adler32 compress crc32 deflate inffast inflate inftrees trees uncompr zutil; do
        "$folder/cc" -O2 -w "${pic[@]}" -UTARGET_OS_MAC -c "$zlib/$name.c" -o "$root/objects/$name.o"
    done
    "$folder/ar" rcs "$root/lib/libexpat.a" "$root"/objects/xml*.o
    "$folder/ar" rcs "$root/lib/libz.a" "$root"/objects/{adler32,compress,crc32,deflate,inffast,inflate,inftrees,trees,uncompr,zutil}.o
}

# The folder of tenon.wasm, and how it is configured
zig_engine() {
    zig_folder=$PWD/build-live
    # -msimd128: every browser since 2023 has it, and the bits are the same
    engine=(-DTENON_LIVE=ON -DCMAKE_C_FLAGS=-msimd128)
}

zig_setup() {
    target=$1 quick=false
    folder=${zig_folder-$PWD/build-$target} sources=$PWD/build-zig/sources
    if [ "${2-}" = --quick ]; then
        quick=true
        if [ -z "${zig_folder-}" ]; then folder=$folder-quick; fi
    fi
    python=$(find_python ziglang) || missing "no Python with the package ziglang: pip install -r tests/platforms/requirements.txt"
    command -v ninja >/dev/null || missing "no ninja"
    mkdir -p "$folder"
    # the program itself: Python takes as long to start as zig takes for a small file
    zig=$("$python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
    printf '#!/bin/sh\nexec %q cc -target %s "$@"\n' "$zig" "$target" >"$folder/cc"
    printf '#!/bin/sh\nexec %q c++ -target %s "$@"\n' "$zig" "$target" >"$folder/c++"
    printf '#!/bin/sh\nexec %q ar "$@"\n' "$zig" >"$folder/ar"
    printf '#!/bin/sh\nexec %q ranlib "$@"\n' "$zig" >"$folder/ranlib"
    chmod +x "$folder/cc" "$folder/c++" "$folder/ar" "$folder/ranlib"
    build_needs
}

zig_configure() {
    local options=(-DTENON_BUILD_TESTS=ON -DTENON_BUILD_APPS=OFF)
    # the portable kernels have the same bits
    if $quick && [ -z "${zig_folder-}" ]; then options+=("-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG"); fi
    cmake -S . -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/zig.cmake" -DTENON_ZIG_TARGET="$target" \
        -DTENON_RUNNER="${runner-}" -DCMAKE_BUILD_TYPE=Release -DTENON_INSTALL=OFF "${options[@]}" ${TENON_CMAKE_OPTIONS-} "$@" \
        >"$folder/cmake.log" 2>&1 || { cat "$folder/cmake.log" >&2 && exit 1; }
}

# zig_build TARGET...: the log is shown where it fails
zig_build() {
    cmake --build "$folder" --target "$@" -- -k 0 >"$folder/build.log" 2>&1 || {
        grep -B1 -A8 -E 'error' "$folder/build.log" | head -n 60 >&2
        echo "all of it is in $folder/build.log" >&2
        exit 1
    }
}

zig_test() {
    if $quick; then
        zig_build hashes test_numbers test_files test_pool test_mjcf
        local command=()
        IFS=';' read -r -a command <<<"$runner"
        "${command[@]}" "$folder"/tests/hashes* "$PWD/tests/hashes/table.txt" 2 cradle heavy pinch press rolling_disc
        set -- -R '^test_(numbers|files|pool|mjcf)$'
    else
        zig_build quick_tests
        if [ $# -eq 0 ]; then set -- -L quick -LE slow; fi
    fi
    ctest --test-dir "$folder" --output-on-failure --no-tests=error -j "$(nproc)" "$@"
}
