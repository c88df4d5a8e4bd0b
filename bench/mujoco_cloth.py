#!/usr/bin/env python3
"""Compares tenon with MuJoCo on a cloth: the same mesh, material and step in both.

  wave     two corners are held; the cloth swings down and to and fro, in contact with nothing
  drape    scenes/cloth.xml: the cloth falls on a ball, folds, and comes to rest on it, the ground
           and itself

  mujoco   integrator="discrete", the only one that keeps such a cloth stable at 10 ms (Euler
           leaves the numbers within a second), with Newton's method, its default, and with
           conjugate gradients. Its contacts are soft.
  tenon    default settings (tolerance 1e-6, as many passes as a step needs), --tolerance 1e-4, and
           --passes 1 as well: one linearization per step, as MuJoCo has. Contacts are rigid.

The time of a run is the mean over its steps, without loading; runs alternate, and the least over
the repeats is printed. `inside` is how deep a node gets into the ball, its radius counted, in mm.
On the first run MuJoCo is installed from the package index into the project's .venv; see
requirements.txt beside this file.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from mujoco_stir import ROOT, ensure_packages, fail, show

BALL, CENTRE, RADIUS = 0.2, (0.0, 0.0, 0.22), 0.008  # m, as in scenes/cloth.xml
CASES = {"wave": 2.0, "drape": 2.0}                  # simulated s
TENON = {"tenon": [], "tenon, 1e-4": ["--tolerance", "1e-4"],
         "tenon, one pass": ["--tolerance", "1e-4", "--passes", "1"]}


def scene(case, count):
    """The text of scenes/cloth.xml with so many nodes along a side; for the wave without what it falls on."""
    with open(os.path.join(ROOT, "scenes", "cloth.xml"), encoding="utf-8") as file:
        text = file.read()
    spacing = f"{0.805 / (count - 1):.6g}"
    text = text.replace('count="24 24 1" spacing="0.035 0.035 0.035"',
                        f'count="{count} {count} 1" spacing="{spacing} {spacing} {spacing}"')
    if case == "wave":
        lines = [line for line in text.splitlines() if "<geom" not in line]
        text = "\n".join(lines).replace("<elasticity", f'<pin id="0 {count - 1}"/>\n      <elasticity')
    if f'count="{count} ' not in text:
        fail("scenes/cloth.xml is not as this script expects it")
    return text


def run_mujoco(text, duration, solver):
    import mujoco
    text = text.replace('<option timestep="0.01"/>', f'<option timestep="0.01" integrator="discrete" solver="{solver}"/>'
                        '<size memory="1G"/>')
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    steps, inside, took = round(duration / model.opt.timestep), -math.inf, 0.0
    contacts = 0
    for _ in range(steps):
        start = time.perf_counter()
        mujoco.mj_step(model, data)
        took += time.perf_counter() - start
        contacts += data.ncon
        for p in data.flexvert_xpos:
            inside = max(inside, BALL + RADIUS - math.dist(p, CENTRE))
    bad = sum(w.number for w in data.warning)
    return {"ms": 1e3 * took / steps, "contacts": contacts / steps, "inside": 1e3 * inside,
            "note": f"{bad} warnings" if bad else ""}


def run_tenon(program, path, duration, options):
    command = [program, "run", path, "--duration", str(duration), "--json", "--no-accuracy"] + options
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        fail(done.stderr)
    report = json.loads(done.stdout)
    return {"ms": report["step_ms_mean"], "contacts": report["contacts_mean"],
            "inside": 1e3 * report["penetration_max_m"],
            "note": f"{report['unconverged_steps']} steps missed" if report["unconverged_steps"] else ""}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenon", default=os.path.join(ROOT, "build", "tenon"), help="the program")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--count", type=int, default=24, help="nodes along a side")
    parser.add_argument("--case", choices=list(CASES), action="append")
    args = parser.parse_args()
    ensure_packages(__file__)
    import mujoco
    print(f"MuJoCo {mujoco.__version__}, {args.count} × {args.count} nodes, steps of 10 ms, one thread")
    for case in args.case or list(CASES):
        best = {}
        text = scene(case, args.count)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cloth.xml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            for k in range(args.repeats):
                show(f"{case}, run {k + 1} of {args.repeats}")
                runs = {f"mujoco {solver}": run_mujoco(text, CASES[case], solver) for solver in ("Newton", "CG")}
                for name, options in TENON.items():
                    runs[name] = run_tenon(args.tenon, path, CASES[case], options)
                for name, run in runs.items():
                    if name not in best or run["ms"] < best[name]["ms"]:
                        best[name] = run
        show("")
        print(f"\n{case}, {CASES[case]:g} s")
        fastest = min(run["ms"] for name, run in best.items() if name.startswith("mujoco"))
        print(f"  {'':18}{'ms/step':>9}{'ratio':>7}{'contacts':>10}{'inside':>8}   (ratio: MuJoCo's least time over this)")
        for name, run in best.items():
            inside = f"{run['inside']:8.2f}" if case == "drape" else f"{'–':>8}"
            print(f"  {name:18}{run['ms']:9.2f}{fastest / run['ms']:7.2f}"
                  f"{run['contacts']:10.1f}{inside}  {run['note']}")


if __name__ == "__main__":
    main()
