#!/usr/bin/env bash
# Builds for WebAssembly (WASI, 32 bits) and runs the library's tests with wasmtime, the hashes of all scenes among them.
#
#   tests/platforms/wasm.sh [CTEST OPTIONS]       into build-wasm32-wasi/; such as -R hashes
#   tests/platforms/wasm.sh --quick               five scenes and four tests, in the folder of tenon.wasm
#
# Needs the packages of tests/platforms/requirements.txt. See cmake/zig.sh.
. "$(dirname "${BASH_SOURCE[0]}")/../../cmake/zig.sh"
engine=()
if [ "${1-}" = --quick ]; then zig_engine; fi
zig_setup wasm32-wasi "${1-}"
wasmtime=$(find_python wasmtime) || missing "no Python with the package wasmtime: pip install -r tests/platforms/requirements.txt"
runner="$wasmtime;$PWD/tests/platforms/wasm_run.py"
zig_configure "${engine[@]}"
zig_test "$@"
