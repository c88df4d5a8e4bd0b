#!/usr/bin/env bash
# Builds tenon.wasm, the engine of pages that simulate (tenon export --live) and of the package for npm.
#
#   cmake/wasm.sh OUT     such as build/tenon.wasm; the target tenon_wasm of a build does this
#
# Needs the package ziglang: pip install -r tests/platforms/requirements.txt. See zig.sh.
. "$(dirname "${BASH_SOURCE[0]}")/zig.sh"
out=$(realpath -m "${1:?usage: cmake/wasm.sh OUT}")
zig_folder=$PWD/build-live
zig_setup wasm32-wasi
# -msimd128: every browser since 2023 has it, and the bits are the same
zig_configure -DTENON_BUILD_TESTS=OFF -DTENON_LIVE=ON -DCMAKE_C_FLAGS=-msimd128
zig_build tenon_live
mkdir -p "$(dirname "$out")"
cp "$folder/tenon.wasm" "$out"
echo "$out: $(stat -c %s "$out") bytes"
