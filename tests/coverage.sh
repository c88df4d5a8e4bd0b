#!/usr/bin/env bash
# Builds the library so that it counts which of its lines run (gcc, gcov), runs its C tests and prints the share of lines of
# src/ that ran, per folder and in all.
#
#   tests/coverage.sh [--lines FILE] [CTEST OPTIONS]     into build-coverage/; --lines names the lines of src/FILE that did not
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/setup.sh
lines=()
if [ "${1-}" = --lines ]; then
    lines=(--lines "$2")
    shift 2
fi
build build-coverage all -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -DTENON_COVERAGE=ON \
    -DTENON_BUILD_APPS=OFF -DTENON_BUILD_TESTS=ON ${TENON_CMAKE_OPTIONS-}
find build-coverage -name '*.gcda' -delete
status=0
ctest --test-dir build-coverage --output-on-failure --no-tests=error -j "$(nproc)" -L quick -E fixed "$@" || status=$?
python3 tests/tools/coverage.py build-coverage "${lines[@]}"
exit $status
