#!/usr/bin/env python3
"""How straight the line of cost over size is, of piles of spheres that have come to rest: R² of the least squares line
through the times of a step, of the whole step and of each phase. Needs a quiet machine, and a build of tenon-bench.

    bench/linear.py [--sizes 1000,2000,5000,10000,20000,50000,100000,200000] [--threads 1] [--settle 60] [--repeats 2]

All sizes settle for equally many steps: a pile that still comes down has work that one at rest does not have
(docs/scaling.md). A step counts with its shortest time of all repeats. Contacts per sphere must be about the same
for all sizes. The exit status is 1 where R² of the step is below --least."""
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


def measure(options):
    command = [options.bench, "scaling", "--of", "spheres", "--sizes", options.sizes, "--threads", options.threads,
               "--settle", options.settle, "--steps", options.steps, "--repeats", options.repeats, "--json", "--quiet"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default=ROOT / "build" / "tenon-bench", help="the program tenon-bench")
    parser.add_argument("--sizes", default="1000,2000,5000,10000,20000,50000,100000,200000")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--settle", type=int, default=60, help="steps before those that count; default 60")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--least", type=float, default=0.999, help="least R²; default 0.999")
    options = parser.parse_args()
    runs = measure(options)["runs"]
    sizes = [run["spheres"] for run in runs]
    print(f"{'spheres':>8} {'contacts each':>13} {'µs each':>8}" + "".join(f"{name:>11}" for name in PHASES) + "   (ms)")
    for run in runs:
        print(f"{run['spheres']:8d} {run['contacts_mean'] / run['spheres']:13.2f} {run['us_per_sphere']:8.2f}" +
              "".join(f"{run[name + '_ms_mean']:11.2f}" for name in PHASES))
    fits = {name: straightness(sizes, [run[name + "_ms_mean"] for run in runs]) for name in PHASES}
    print(f"{'R²':>31}" + "".join(f"{fits[name]:11.5f}" for name in PHASES))
    return 0 if fits["step"] >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
