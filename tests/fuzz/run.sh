#!/usr/bin/env bash
# Searches with libFuzzer for bytes that break something: each target for so many seconds, two at a time.
#
#   tests/fuzz/run.sh [SECONDS [TARGET...]]    default: all targets, TENON_FUZZ_SECONDS or 20 s each
#
# Needs clang. Builds into build-fuzz/. What the search learned stays in build-fuzz/corpus/TARGET, findings are in
# build-fuzz/findings/. `build/tests/fuzz/fuzz_replay TARGET FILE` runs one again. The exit code is 1 after a finding.
# The last line is `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
seconds=${1-${TENON_FUZZ_SECONDS-20}}
[ $# -gt 0 ] && shift
[[ $seconds =~ ^[0-9]+$ ]] || { echo "usage: tests/fuzz/run.sh [SECONDS [TARGET...]]" >&2; exit 2; }
if [ "$seconds" -eq 0 ]; then echo "0 passed, 0 failed, 1 skipped"; exit 0; fi
command -v clang >/dev/null || { echo "tests/fuzz/run.sh needs clang" >&2; exit 2; }
if [ $# -eq 0 ]; then set -- mjcf urdf sdf mesh tets track recording problem solver state resume plot world; fi

generator=()
if command -v ninja >/dev/null; then generator=(-G Ninja); fi
cmake -S . -B build-fuzz "${generator[@]}" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo -DTENON_FUZZ=ON \
    -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -gline-tables-only" -DTENON_SANITIZE=address,undefined \
    -DCMAKE_C_FLAGS=-fno-sanitize-recover=all -DTENON_BUILD_TESTS=ON >/dev/null || exit 1
cmake --build build-fuzz -j "$(nproc)" --target fuzz_search >build-fuzz/build.log 2>&1 || { tail -30 build-fuzz/build.log; exit 1; }

# A chunk of memory above 1 GB, 2 GB in all, or 20 s for one input is a finding.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=0
search() {
    local target=$1 corpus=build-fuzz/corpus/$1 log=build-fuzz/findings/$1.log
    mkdir -p "$corpus" build-fuzz/findings
    if FUZZ_TARGET=$target build-fuzz/fuzz_search -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=1024 \
        -artifact_prefix=build-fuzz/findings/"$target"- -print_final_stats=1 "$corpus" tests/fuzz/seeds/"$target" >"$log" 2>&1; then
        echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, no finding"
    else
        echo "$target: FOUND"
        grep -m 12 -E 'ERROR|SUMMARY|runtime error|does not hold|Test unit written|    #[0-9] ' "$log"
        return 1
    fi
}
export -f search
export seconds
results=$(printf '%s\n' "$@" | xargs -P 2 -I{} bash -c 'search {} || echo "failed: {}"')
echo "$results" | grep -v '^failed: '
failed=$(grep -c '^failed: ' <<<"$results")
echo "$(($# - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
