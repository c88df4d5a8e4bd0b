#!/usr/bin/env bash
# Builds tenon.wasm, the engine of pages that simulate (tenon export --live) and of the package for npm.
#
#   cmake/wasm.sh OUT     such as build/tenon.wasm; the target tenon_wasm of a build does this
#
# Needs the package ziglang: pip install -r tests/platforms/requirements.txt. See zig.sh.
. "$(dirname "${BASH_SOURCE[0]}")/zig.sh"
out=$(realpath -m "${1:?usage: cmake/wasm.sh OUT}")
zig_engine
zig_setup wasm32-wasi
zig_configure -DTENON_BUILD_TESTS=OFF "${engine[@]}"
zig_build tenon_live
mkdir -p "$(dirname "$out")"
cp "$folder/tenon.wasm" "$out"
echo "$out: $(stat -c %s "$out") bytes"
