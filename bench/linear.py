#!/usr/bin/env python3
"""How straight the line of cost over size is, of beds of spheres that have come to rest: R² of the least squares line
through the times of a step, of the whole step and of each phase, for each number of threads. Needs a quiet machine, and
a build of tenon-bench.

    bench/linear.py [--sizes 1000,2000,5000,10000,20000,50000,100000,200000] [--threads 1] [--settle 40] [--repeats 2]

Beds are ten layers deep and as wide as they need, so that all come to rest within the same number of steps and have
about the same number of contacts per sphere. A bed comes to rest on the largest number of threads; then each number
makes the same steps. A step counts with its shortest time of all repeats. Sizes are printed as they are measured. The
exit status is 1 where R² of the step is below --least."""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PHASES = ("step", "dynamics", "collision", "constraint", "factor", "iterate", "integrate")


def straightness(sizes, times):
    """R² of the line through times over sizes."""
    n = len(sizes)
    x, y = sum(sizes) / n, sum(times) / n
    xx = sum((a - x) ** 2 for a in sizes)
    xy = sum((a - x) * (b - y) for a, b in zip(sizes, times))
    yy = sum((b - y) ** 2 for b in times)
    return xy * xy / (xx * yy) if xx and yy else 1.0


def measure(options, size):
    command = [options.bench, "threads", "--spheres", size, "--layers", options.layers, "--threads", options.threads,
               "--settle", options.settle, "--steps", options.steps, "--repeats", options.repeats, "--json", "--quiet"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return json.loads(done.stdout)["scenes"][0]


def print_line(size, scene, run):
    print(f"{run['threads']:7d} {size:8d} {scene['contacts'] / size:13.2f} {1e3 * run['step_ms_mean'] / size:8.2f}" +
          "".join(f"{run[name + '_ms_mean']:11.2f}" for name in PHASES), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default=ROOT / "build" / "tenon-bench", help="the program tenon-bench")
    parser.add_argument("--sizes", default="1000,2000,5000,10000,20000,50000,100000,200000")
    parser.add_argument("--threads", default="1", help="numbers of threads, with commas; default 1")
    parser.add_argument("--layers", type=int, default=10, help="0: cubes; default 10")
    parser.add_argument("--settle", type=int, default=40, help="steps before those that count; default 40")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--least", type=float, default=0.999, help="least R²; default 0.999")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    times = {}  # by number of threads and phase
    print(f"{'threads':>7} {'spheres':>8} {'contacts each':>13} {'µs each':>8}" +
          "".join(f"{name:>11}" for name in PHASES) + "   (ms)", flush=True)
    for size in sizes:
        scene = measure(options, size)
        for run in scene["threads"]:
            print_line(size, scene, run)
            for name in PHASES:
                times.setdefault((run["threads"], name), []).append(run[name + "_ms_mean"])
    least = 1.0
    for threads in sorted({threads for threads, _ in times}):
        fits = [straightness(sizes, times[threads, name]) for name in PHASES]
        print(f"{threads:7d} {'R²':>31}" + "".join(f"{fit:11.5f}" for fit in fits))
        least = min(least, fits[0])
    return 0 if least >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
