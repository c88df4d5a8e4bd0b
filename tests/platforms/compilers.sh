#!/usr/bin/env bash
# Builds the library with each compiler, warnings as errors, and runs its quick tests and the hashes of the scenes.
#
#   tests/platforms/compilers.sh [COMPILER...]        such as gcc-11 clang-19; default: all that are installed
#   CTEST_OPTIONS='-R hashes' tests/platforms/compilers.sh
#
# Debian 12 has the packages gcc-11, gcc-12, clang-13 to clang-16 and clang-19.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if [ $# -eq 0 ]; then
    for name in gcc-{11..16} clang-{13..22}; do
        if command -v $name >/dev/null; then set -- "$@" $name; fi
    done
fi
failed=()
for compiler; do
    folder=build-$compiler
    case $compiler in
    clang*) plus=${compiler/clang/clang++} ;;
    *) plus=${compiler/gcc/g++} ;;
    esac
    command -v "$plus" >/dev/null || plus=c++
    echo "== $compiler"
    if cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$compiler" \
        -DCMAKE_CXX_COMPILER="$plus" -DCMAKE_C_FLAGS=-Werror -DTENON_BUILD_APPS=OFF -DTENON_BUILD_TESTS=ON \
        ${TENON_CMAKE_OPTIONS-} >/dev/null &&
        cmake --build "$folder" --target ${TARGETS-quick_tests} >"$folder/build.log" &&
        ctest --test-dir "$folder" --output-on-failure --no-tests=error -j "$(nproc)" ${CTEST_OPTIONS--L quick -LE slow}; then
        echo "$compiler: passed"
    else
        grep -A8 -E 'error|warning' "$folder/build.log" | head -n 40 || true
        failed+=("$compiler")
    fi
done
if [ ${#failed[@]} -gt 0 ]; then echo "failed: ${failed[*]}" && exit 1; fi
