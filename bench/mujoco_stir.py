#!/usr/bin/env python3
"""Compares tenon with MuJoCo on the stirring scene: same file, same controls, same machine.

Both run the scene from its start for the same simulated time, on one thread, in turns, several
times over. The time of a run is the mean wall-clock time of its steps alone (no loading, no Python
around MuJoCo's step); the least over the repeats is printed, since other load on the machine can
only add to it. Penetration is the mean depth of all contacts with a negative gap at a step's start,
averaged over the steps.

  mujoco cg          conjugate gradients, elliptic cones, until its own tolerance of 1e-8
  mujoco cg N        the same with a fixed number of iterations
  mujoco newton      only with --newton: converges in few iterations, but is very slow here
  tenon N            N iterations of its solver

On the first run MuJoCo is installed from the package index into the project's .venv; see
requirements.txt beside this file.
"""

import argparse
import csv
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
VENV = os.path.join(ROOT, ".venv")


def fail(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def ensure_packages(script):
    """Where this Python lacks MuJoCo, goes on with the script in the project's .venv, made if need be."""
    if all(importlib.util.find_spec(name) for name in ("mujoco", "numpy")):
        return
    python = os.path.join(VENV, "bin", "python")
    inside = os.path.realpath(sys.prefix) == os.path.realpath(VENV)
    if inside or not os.path.exists(python):
        print("installing bench/requirements.txt into .venv", file=sys.stderr)
        requirements = os.path.join(HERE, "requirements.txt")
        try:
            if not os.path.exists(python):
                subprocess.run([sys.executable, "-m", "venv", VENV], check=True, stdout=sys.stderr)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", requirements],
                           check=True, stdout=sys.stderr)
        except (OSError, subprocess.CalledProcessError) as error:
            fail(f"MuJoCo cannot be installed: {error}")
    os.execv(python, [python, os.path.abspath(script)] + sys.argv[1:])


# ---- MuJoCo --------------------------------------------------------------------------------------

class Track:
    """A scene's control track: linear between rows; at its end back to `loop_from`, or held."""

    def __init__(self, path, loop_from):
        import numpy
        with open(path, newline="") as file:
            table = numpy.array(list(csv.reader(file))[1:], dtype=float)
        self.times, self.controls, self.loop_from = table[:, 0], table[:, 1:], loop_from

    def at(self, t):
        times, last = self.times, self.times[-1]
        if t > last:
            first = times[self.loop_from]
            t = first + (t - first) % (last - first) if self.loop_from >= 0 else last
        k = min(max(int(times.searchsorted(t, "right")) - 1, 0), len(times) - 2)
        share = min(max((t - times[k]) / (times[k + 1] - times[k]), 0.0), 1.0)
        return (1 - share) * self.controls[k] + share * self.controls[k + 1]


def load_for_mujoco(path):
    """(model, track or None): the scene without the element that only tenon has."""
    import mujoco
    root = ElementTree.parse(path).getroot()
    track = None
    for element in root.findall("tenon"):
        entry = element.find("track")
        if entry is not None:
            file = os.path.join(os.path.dirname(os.path.abspath(path)), entry.get("file"))
            track = Track(file, int(entry.get("loop_from", "-1")))
        root.remove(element)
    # for thousands of free bodies MuJoCo would reserve more memory than most machines have
    bodies = sum(1 for _ in root.iter("freejoint"))
    ElementTree.SubElement(root, "size", memory=f"{64 + bodies // 8}M")
    text = ElementTree.tostring(root, encoding="unicode")
    return mujoco.MjModel.from_xml_string(text), track


def run_mujoco(model, track, steps, solver, iterations, fixed=False):
    import mujoco
    model.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver.upper()}")
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    model.opt.iterations = iterations
    # The line search stops at tolerance * ls_tolerance. A fixed count must not make it search to
    # the last bit, so the product stays what it is by default.
    model.opt.tolerance = 1e-15 if fixed else 1e-8
    model.opt.ls_tolerance = 1e5 if fixed else 0.01
    data = mujoco.MjData(model)
    seconds = contacts = depth = used = 0.0
    for _ in range(steps):
        if track:
            data.ctrl[:] = track.at(data.time)
        start = time.perf_counter()
        mujoco.mj_step(model, data)
        seconds += time.perf_counter() - start
        gaps = data.contact.dist
        below = gaps[gaps < 0]
        depth += -below.mean() if below.size else 0.0
        contacts += data.ncon
        # islands of bodies are solved apart: count the one that took most
        islands = max(1, min(data.nisland, len(data.solver_niter)))
        used += data.solver_niter[:islands].max()
    # MuJoCo answers trouble with a warning, sometimes with a reset
    for kind in range(len(data.warning)):
        if data.warning[kind].number:
            fail(f"MuJoCo ({solver}) warned: {mujoco.mjtWarning(kind).name}")
    return {"step_ms": 1e3 * seconds / steps, "iterations": float(used / steps),
            "contacts": contacts / steps, "penetration_m": float(depth / steps)}


# ---- tenon ---------------------------------------------------------------------------------------

def run_tenon(program, scene, duration, iterations, threads):
    command = [program, "run", scene, "--json", "--no-accuracy", "--duration", repr(duration),
               "--iterations", str(iterations), "--substeps", "1", "--threads", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        fail(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stderr.strip()}")
    result = json.loads(done.stdout)
    return {"step_ms": result["step_ms_mean"], "iterations": result["iterations_mean"],
            "contacts": result["contacts_mean"], "penetration_m": result["penetration_mean_m"],
            "steps": result["steps"]}


# ---- comparison ----------------------------------------------------------------------------------

def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scene", default=os.path.join(ROOT, "scenes", "stir.xml"), metavar="FILE")
    parser.add_argument("--spheres", type=int, metavar="N",
                        help="a generated scene with N spheres instead of --scene")
    parser.add_argument("--no-arm", action="store_true", help="with --spheres: without the arm")
    parser.add_argument("--duration", type=float, default=6.0, metavar="S",
                        help="simulated seconds (default 6)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="default 3")
    parser.add_argument("--iterations", type=int, default=60, metavar="N",
                        help="fixed iterations (default 60)")
    parser.add_argument("--threads", type=int, default=1, metavar="N",
                        help="threads of tenon (default 1)")
    parser.add_argument("--newton", action="store_true", help="MuJoCo's Newton solver too (slow)")
    parser.add_argument("--mujoco-only", action="store_true", help="do not run tenon")
    parser.add_argument("--tenon", default=os.path.join(ROOT, "build", "tenon"), metavar="PROGRAM")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    args = parser.parse_args()
    if args.no_arm and not args.spheres:
        parser.error("--no-arm needs --spheres")
    if min(args.duration, args.repeats, args.iterations, args.threads) <= 0:
        parser.error("--duration, --repeats, --iterations and --threads must be positive")
    return args


def generate(spheres, no_arm, folder):
    path = os.path.join(folder, f"stir{spheres}.xml")
    command = [sys.executable, os.path.join(ROOT, "scenes", "make_stir.py"),
               "--spheres", str(spheres), "--output", path] + (["--no-arm"] if no_arm else [])
    if subprocess.run(command).returncode:
        fail("the scene cannot be generated")
    return path


def show(progress):
    """Replaces the progress line; a log file gets none."""
    if sys.stderr.isatty():
        print(f"\r\033[K{progress}", end="", file=sys.stderr, flush=True)


def compare(args, scene):
    """(model, steps, {name: figures of its fastest run}); the contestants take turns."""
    model, track = load_for_mujoco(scene)
    steps = round(args.duration / model.opt.timestep)
    count = args.iterations
    contestants = {
        "mujoco cg": lambda: run_mujoco(model, track, steps, "cg", 1000),
        f"mujoco cg {count}": lambda: run_mujoco(model, track, steps, "cg", count, fixed=True),
    }
    if args.newton:
        contestants["mujoco newton"] = lambda: run_mujoco(model, track, steps, "newton", 100)
    if not args.mujoco_only:
        contestants[f"tenon {count}"] = lambda: run_tenon(args.tenon, scene, args.duration, count,
                                                          args.threads)
    best = {}
    for repeat in range(args.repeats):
        for name, run in contestants.items():
            show(f"repeat {repeat + 1} of {args.repeats}: {name}")
            figures = run()
            if figures.pop("steps", steps) != steps:
                show("")
                fail(f"{name} took a different number of steps than {steps}")
            if name not in best or figures["step_ms"] < best[name]["step_ms"]:
                best[name] = figures
    show("")
    return model, steps, best


def print_table(best, has_tenon):
    print(f"{'':18}{'ms per step':>12}{'/ tenon':>9}{'iterations':>12}{'contacts':>10}"
          f"{'penetration':>14}")
    for name, figures in best.items():
        ratio = f"{figures['ratio']:.2f}" if has_tenon else "-"
        print(f"{name:18}{figures['step_ms']:12.3f}{ratio:>9}{figures['iterations']:12.1f}"
              f"{figures['contacts']:10.1f}{1e3 * figures['penetration_m']:11.4f} mm")


def main():
    args = parse_arguments()
    if not args.mujoco_only and not os.access(args.tenon, os.X_OK):
        fail(f"there is no program {os.path.relpath(args.tenon)}; build it first:\n"
             "  cmake -S . -B build && cmake --build build\n"
             "or use --mujoco-only for MuJoCo's figures alone")
    if not args.spheres and not os.path.exists(args.scene):
        fail(f"there is no scene {args.scene}")
    ensure_packages(__file__)
    import mujoco
    with tempfile.TemporaryDirectory() as folder:
        scene = generate(args.spheres, args.no_arm, folder) if args.spheres else args.scene
        model, steps, best = compare(args, scene)

    tenon = best.get(f"tenon {args.iterations}")
    for figures in best.values():
        figures["ratio"] = figures["step_ms"] / tenon["step_ms"] if tenon else None
    if args.json:
        print(json.dumps({"scene": os.path.basename(scene), "mujoco": mujoco.__version__,
                          "dof": model.nv, "steps": steps, "timestep": model.opt.timestep,
                          "repeats": args.repeats, "threads": args.threads, "results": best},
                         indent=2))
        return
    print(f"{os.path.basename(scene)}: {model.nv} degrees of freedom, {steps} steps of "
          f"{model.opt.timestep:g} s, MuJoCo {mujoco.__version__}, least of {args.repeats}")
    print_table(best, tenon is not None)


if __name__ == "__main__":
    main()
