#!/usr/bin/env python3
"""Compares tenon with MuJoCo on a soft beam that is pushed through a gap narrower than itself.

The beam is 0.05 x 0.05 x 0.5 m, 10 MPa, Poisson's ratio 0.45, of 1584 nodes and 6450 tetrahedra. A
carriage holds one end; the beam sags under its weight for half a second, and is then pushed between
two round blocks, and out at the other side. The two seconds of the push count. Both
engines read the same file, but for the options of MuJoCo's solver.

  mujoco newton    the fastest way that gives converged results. MuJoCo first solves the step without
                   contacts by conjugate gradients, which here need about 700 iterations, and then
                   with contacts by Newton's method, which does not depend on the first result: so
                   that is cut off after 10 iterations. A dry friction of 1 mN at the carriage
                   makes Newton's method run in every step.
  mujoco newton N  the same with N iterations for either, which are enough for both
  mujoco cg N      with --cg: conjugate gradients for both, at most N iterations; 100 is MuJoCo's
                   default, and not converged
  tenon            at default settings, and with half of the iterations

MuJoCo's integrator is `discrete`, the only one that takes the beam's stiffness implicitly; its
contacts have pyramidal cones, for which Newton's method is twice as fast as for elliptic ones.

The time of a run is the mean wall-clock time of the steps that count, without loading; the least
over the repeats is printed. `tip` is how far the middle of the far end is below the carriage when it
has left the gap; `off` how far from where MuJoCo's converged beam has it, at most, in all steps
that count. On the first run MuJoCo is installed from the package index into the project's .venv;
see requirements.txt beside this file.
"""

import argparse
import json
import math
import os
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from mujoco_cable import call_tenon, smooth
from mujoco_stir import ROOT, ensure_packages, fail, show

CELLS = (43, 5, 5)                    # six tetrahedra each
SIZE = (0.5, 0.05, 0.05)              # m
DENSITY, YOUNG, POISSON = 1000.0, 1e7, 0.45
DAMPING = 0.01                        # s, of the beam: Rayleigh's, of stiffness
HEIGHT = 0.4                          # m, of the beam's axis
GAP, FRICTION = 0.049, 0.2            # m between the blocks
ROUND, HALF = 0.04, 0.12              # m: radius and half height of the round blocks
GAP_AT = 0.56                         # m, the blocks' middle; the beam's far end starts at 0.5
SAG, PUSH, WAY = 0.5, 2.0, 0.3        # s, s, m: hanging still; pushing, the steps that count
TIMESTEP = 0.01
SERVO = (50000.0, 2000.0)             # kp, kv of the carriage
NEWTON, ENOUGH = 10, 20000            # iterations


# ---- the scene -----------------------------------------------------------------------------------

def step_count():
    return round((SAG + PUSH) / TIMESTEP)


def first_step():
    return round(SAG / TIMESTEP)


def control(t):
    """Where the carriage is sent: the way it shall go, and ahead of that by the servo's lag."""
    def way(at):
        return WAY * smooth((at - SAG) / PUSH)
    rate = (way(t + TIMESTEP) - way(t - TIMESTEP)) / (2 * TIMESTEP)
    return way(t) + SERVO[1] / SERVO[0] * rate


def blocks_xml():
    return "\n    ".join(f'<geom type="cylinder" pos="{GAP_AT} {side * (GAP / 2 + ROUND):.6g} {HEIGHT}" '
                         f'size="{ROUND} {HALF}"/>' for side in (-1, 1))


def scene(option="", rest=""):
    count = " ".join(str(n + 1) for n in CELLS)
    spacing = " ".join(f"{length / n:.12g}" for length, n in zip(SIZE, CELLS))
    mass = DENSITY * math.prod(SIZE)
    return f"""<mujoco model="pushed beam">
  <option timestep="{TIMESTEP}" {option}/>
  <size memory="1G"/>
  <default><geom friction="{FRICTION} 0 0" condim="3"/></default>
  <worldbody>
    {blocks_xml()}
    <body name="carriage" pos="0 0 {HEIGHT}">
      <joint name="push" type="slide" axis="1 0 0" frictionloss="0.001"/>
      <geom type="box" pos="-0.02 0 0" size="0.02 0.04 0.04" mass="5" contype="0" conaffinity="0"/>
      <flexcomp name="beam" type="grid" dim="3" count="{count}" spacing="{spacing}" pos="{SIZE[0] / 2} 0 0"
          mass="{mass:.9g}" radius="0.0002">
        <elasticity young="{YOUNG}" poisson="{POISSON}" damping="{DAMPING}"/>
        <contact condim="3" friction="{FRICTION} 0 0" selfcollide="none"/>
        <pin gridrange="0 0 0 0 {CELLS[1]} {CELLS[2]}"/>
      </flexcomp>
    </body>
  </worldbody>
  <actuator><position name="push" joint="push" kp="{SERVO[0]}" kv="{SERVO[1]}"/></actuator>
  {rest}
</mujoco>
"""


# ---- MuJoCo --------------------------------------------------------------------------------------

def mujoco_scene(solver, iterations):
    return scene(f'integrator="discrete" solver="{solver}" cone="pyramidal" iterations="{iterations}"')


def run_mujoco(text, clock=time.perf_counter):
    """Figures of the steps that count, and the path of the beam's far end."""
    import mujoco
    mujoco.set_mju_user_warning(lambda message: None)  # that the first of two solves was cut off
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    far = data.flexvert_xpos[:, 0] > SIZE[0] - 1e-6
    seconds = contacts = depth = used = deepest = 0.0
    path = []
    first, last = first_step(), step_count()
    for k in range(last):
        data.ctrl[0] = control(k * TIMESTEP)
        start = clock()
        mujoco.mj_step(model, data)
        taken = clock() - start
        if k < first:
            continue
        seconds += taken
        gaps = data.contact.dist
        below = gaps[gaps < 0]
        if below.size:
            depth += -below.mean()
            deepest = max(deepest, -below.min())
        contacts += data.ncon
        used += data.solver_niter[:max(1, min(data.nisland, len(data.solver_niter)))].max()
        path.append(data.flexvert_xpos[far].mean(axis=0).tolist())
    count = last - first
    return {"step_ms": 1e3 * seconds / count, "iterations": float(used / count), "contacts": contacts / count,
            "penetration_m": float(depth / count), "penetration_max_m": float(deepest), "path": path}


# ---- tenon ---------------------------------------------------------------------------------------

def write_tenon(folder):
    path = os.path.join(folder, "pushed_beam.xml")
    with open(os.path.join(folder, "pushed_beam.csv"), "w") as out:
        out.write("time,push\n")
        for k in range(step_count() + 1):
            out.write(f"{k * TIMESTEP:.4f},{control(k * TIMESTEP):.9g}\n")
    with open(path, "w") as out:
        out.write(scene(rest='<tenon><track file="pushed_beam.csv"/></tenon>'))
    return path


def run_tenon(args, scene_file, iterations):
    result = json.loads(call_tenon(
        [args.tenon, "bench", scene_file, "--json", "--quiet", "--repeats", "1", "--aav-samples", "0", "--settle",
         repr(SAG), "--duration", repr(PUSH), "--division", args.division, "--iterations", str(iterations),
         "--weights", "compliance", "--threads", str(args.threads)]))
    return {"step_ms": result["step_ms_mean"], "iterations": result["iterations_mean"],
            "contacts": result["contacts_mean"], "penetration_m": result["penetration_mean_m"],
            "penetration_max_m": result["penetration_max_m"], "path": None}


# ---- comparison ----------------------------------------------------------------------------------

def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="default 3")
    parser.add_argument("--iterations", type=int, default=60, metavar="N", help="of tenon (default 60)")
    parser.add_argument("--division", default="auto", metavar="HOW", help="of tenon (default auto)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of tenon (default 1)")
    parser.add_argument("--cg", action="store_true", help="MuJoCo's conjugate gradients too (minutes)")
    parser.add_argument("--mujoco-only", action="store_true", help="do not run tenon")
    parser.add_argument("--tenon", default=os.path.join(ROOT, "build", "tenon"), metavar="PROGRAM")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    args = parser.parse_args()
    if min(args.repeats, args.iterations, args.threads) <= 0:
        parser.error("--repeats, --iterations and --threads must be positive")
    return args


def contestants(args, folder):
    """{name: function that gives the figures of a run}, and the names of those that run once: slow ones."""
    def mujoco(*how):
        return lambda: run_mujoco(mujoco_scene(*how))
    runs = {"mujoco newton": mujoco("Newton", NEWTON), f"mujoco newton {ENOUGH}": mujoco("Newton", ENOUGH)}
    once = {f"mujoco newton {ENOUGH}"}
    for count in (ENOUGH, 100) if args.cg else ():
        runs[f"mujoco cg {count}"] = mujoco("CG", count)
        once.add(f"mujoco cg {count}")
    if not args.mujoco_only:
        file = write_tenon(folder)
        for count in sorted({args.iterations, max(1, args.iterations // 2)}, reverse=True):
            name = "tenon" if count == args.iterations else f"tenon, {count} iterations"
            runs[name] = lambda count=count: run_tenon(args, file, count)
    return runs, once


def compare(args, folder):
    """{name: figures of its fastest run}; the contestants take turns."""
    runs, once = contestants(args, folder)
    best = {}
    for repeat in range(args.repeats):
        for name, run in runs.items():
            if repeat and name in once:
                continue
            show(f"repeat {repeat + 1} of {args.repeats}: {name}")
            figures = run()
            if name not in best or figures["step_ms"] < best[name]["step_ms"]:
                best[name] = figures
    show("")
    right = best[f"mujoco newton {ENOUGH}"]["path"]
    for figures in best.values():
        path = figures.pop("path")
        figures["tip_m"] = HEIGHT - path[-1][2] if path else None
        figures["off_m"] = max(math.dist(a, b) for a, b in zip(path, right)) if path else None
    return best


def millimetres(value, width):
    return f"{1e3 * value:{width - 3}.4f} mm" if value is not None else f"{'-':>{width}}"


def print_table(best):
    print(f"{'':22}{'ms per step':>12}{'/ tenon':>9}{'iterations':>12}{'contacts':>10}{'penetration':>14}"
          f"{'at most':>12}{'tip':>13}{'off':>13}")
    for name, figures in best.items():
        ratio = f"{figures['ratio']:.2f}" if figures["ratio"] else "-"
        print(f"{name:22}{figures['step_ms']:12.3f}{ratio:>9}{figures['iterations']:12.1f}{figures['contacts']:10.1f}"
              f"{millimetres(figures['penetration_m'], 14)}{millimetres(figures['penetration_max_m'], 12)}"
              f"{millimetres(figures['tip_m'], 13)}{millimetres(figures['off_m'], 13)}")


def main():
    args = parse_arguments()
    if not args.mujoco_only and not os.access(args.tenon, os.X_OK):
        fail(f"there is no program {os.path.relpath(args.tenon)}; build it first:\n"
             "  cmake -S . -B build && cmake --build build\n"
             "or use --mujoco-only for MuJoCo's figures alone")
    ensure_packages(__file__)
    import mujoco
    if not hasattr(mujoco.mjtIntegrator, "mjINT_DISCRETE"):
        fail(f"MuJoCo {mujoco.__version__} has no integrator for stiff soft bodies; 3.13 and later do")
    with tempfile.TemporaryDirectory() as folder:
        best = compare(args, folder)
    tenon = best.get("tenon")
    for figures in best.values():
        figures["ratio"] = figures["step_ms"] / tenon["step_ms"] if tenon else None
    steps = step_count() - first_step()
    nodes, tets = math.prod(n + 1 for n in CELLS), 6 * math.prod(CELLS)
    if args.json:
        print(json.dumps({"scene": "pushed beam", "mujoco": mujoco.__version__, "nodes": nodes, "tetrahedra": tets,
                          "steps": steps, "timestep": TIMESTEP, "repeats": args.repeats, "threads": args.threads,
                          "results": best}, indent=2))
        return
    print(f"pushed beam: {nodes} nodes, {tets} tetrahedra, {steps} steps of {TIMESTEP:g} s, "
          f"MuJoCo {mujoco.__version__}, least of {args.repeats}")
    print_table(best)


if __name__ == "__main__":
    main()
