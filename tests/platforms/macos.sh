#!/usr/bin/env bash
# Compiles and links for macOS by zig, ARM64 and x86-64: the library, its tests and the program. Nothing is run: there is
# nothing here to run it.
#
#   tests/platforms/macos.sh            into build-aarch64-macos/ and build-x86_64-macos/
#   tests/platforms/macos.sh --quick    ARM64, the library and four of its tests, at -O1
. "$(dirname "${BASH_SOURCE[0]}")/../../cmake/zig.sh"
targets=(aarch64-macos x86_64-macos)
if [ "${1-}" = --quick ]; then targets=(aarch64-macos); fi
for name in "${targets[@]}"; do
    zig_setup "$name" "${1-}"
    if $quick; then
        zig_configure
        zig_build hashes test_numbers test_files test_pool test_mjcf
    else
        zig_configure -DTENON_BUILD_APPS=ON
        zig_build tenon_app tenon_bench quick_tests
    fi
    echo "$name: compiled and linked; not run"
done
