#!/usr/bin/env python3
"""Time per step by instruction set: portable over avx2 and avx512, one thread, minimum of alternating runs.

    python3 bench/instruction_sets.py [--tenon build/tenon] [--runs 5] [--duration 0.6] [SCENE ...]
"""
import argparse
import json
import math
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = ["portable", "avx2", "avx512"]
SCENES = ["stir", "cable", "knot", "beam", "gripper", "pyramid", "wall", "tower", "arch"]


def step_ms(tenon, scene, name, duration):
    run = subprocess.run([tenon, "run", str(ROOT / "scenes" / f"{scene}.xml"), "--duration", str(duration), "--isa", name, "--json"],
                         capture_output=True, text=True)
    return json.loads(run.stdout)["step_ms_mean"] if run.returncode == 0 else math.inf


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenon", default=str(ROOT / "build" / "tenon"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--duration", type=float, default=0.6)
    parser.add_argument("scenes", nargs="*", default=SCENES)
    args = parser.parse_args()
    print("| scene | portable, ms | avx2 | avx512 | portable / avx2 | portable / avx512 |\n|---|---|---|---|---|---|")
    for scene in args.scenes:
        best = {name: math.inf for name in SETS}
        for _ in range(args.runs):
            for name in SETS:
                best[name] = min(best[name], step_ms(args.tenon, scene, name, args.duration))
        portable, avx2, avx512 = (best[name] for name in SETS)
        print(f"| {scene} | {portable:.3f} | {avx2:.3f} | {avx512:.3f} | {portable / avx2:.2f} | {portable / avx512:.2f} |", flush=True)


if __name__ == "__main__":
    main()
