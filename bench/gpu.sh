#!/usr/bin/env bash
# All figures of docs/gpu.md, on a machine with a device: bench/gpu.sh [TENON_BENCH] > bench/results/gpu.txt
# TENON_BENCH is that of a build with -DTENON_CUDA=ON; default build/tenon-bench.
set -euo pipefail
bench=${1:-$(dirname "${BASH_SOURCE[0]}")/../build/tenon-bench}
figures() {
    echo
    echo "tenon-bench gpu $*"
    "$bench" gpu "$@" || echo "failed"
}
batches() {
    echo
    echo "tenon-bench gpu_batch $*"
    "$bench" gpu_batch "$@" || echo "failed"
}
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
figures --sizes 10000,110000,1000000
figures --sizes 10000,110000,1000000 --settle 300
figures --of boxes --sizes 10000,110000
figures --of boxes --sizes 10000,110000 --settle 300
figures --of capsules --sizes 110000
figures --of pyramid --sizes 5050 --settle 980
figures --sizes 110000 --precision double
scenes=$(mktemp -d)
for count in 1000 10000 110000; do # an arm that ploughs
    python3 "$(dirname "${BASH_SOURCE[0]}")/../scenes/make_large.py" plough --count $count --output "$scenes/plough$count.xml"
    figures --model "$scenes/plough$count.xml" --settle 340
done
rm -r "$scenes"
figures --sizes 10000 --settle 300 --friction 0.2 --compare
figures --sizes 10000 --settle 300 --friction 0.2 --compare --precision double
batches --counts 1024,8192
batches --counts 8192 --precision double
batches --counts 8192 --tolerance 1e-6
for model in quadruped grasp; do
    file=$(dirname "${BASH_SOURCE[0]}")/models/$model.xml
    batches --model "$file" --counts 1024,4096,8192
    batches --model "$file" --counts 8192 --precision double
    batches --model "$file" --counts 8192 --tolerance 1e-6
done
