#!/usr/bin/env bash
# The library's reader and writer of decimal numbers against the C library, on 10 million random numbers of each kind.
#
#   tests/platforms/numbers.sh [COUNT]            about a minute
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
[ -x build/tests/test_numbers ] || { echo "build/tests/test_numbers is missing: ./test --quick" >&2; exit 1; }
TENON_NUMBERS=${1-10000000} build/tests/test_numbers
