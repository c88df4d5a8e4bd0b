#!/usr/bin/env python3
"""Compares tenon with MuJoCo on a soft beam that is pushed through a gap narrower than itself.

First a still beam, held at one end, in both engines: do they have the same beam? Then a carriage pushes it between two round
blocks and out at the other side; the two seconds of the push count. Mesh, masses of nodes, blocks, friction, servo and
control are the same for both, from beam_scene.py.

  mujoco newton    the fastest way that gives converged results. MuJoCo first solves the step without contacts by
                   conjugate gradients, which here need about 700 iterations, and then with contacts by Newton's
                   method, which does not depend on the first result: so that is cut off after 10 iterations. A dry
                   friction of 1 mN at the carriage makes Newton's method run in every step.
  mujoco newton N  with --converged: the same with N iterations for either, and a tolerance of 1e-12
  …, hard          contacts with solimp 0.99 instead of up to 0.95
  mujoco reduced   its own fast way: 20 x 2 x 2 trilinear cells move the mesh
  mujoco cg N      with --cg: conjugate gradients for both, at most N iterations; 100 is MuJoCo's default
  tenon            at 60 iterations per step (see --iterations), and with half of them
  tenon, locking   without mean dilatation, as MuJoCo's elements are

MuJoCo's integrator is `discrete`, the only one that takes the beam's stiffness implicitly (up to 3.12 it was `implicitfast`,
with conjugate gradients; older versions are run so, with an end of the beam that stays in place and blocks that move, since
they lose a beam that a moving body holds; --blocks-move does that in newer ones); its contacts have pyramidal cones, for which Newton's method is twice
as fast as for elliptic ones.

A step counts with the shortest time of the repeats; the mean of the steps that count is printed. MuJoCo's is the thread's
processor time, tenon's that of the wall clock, which is never shorter. `push` and `squeeze` are the contacts' forces along
the beam and, of one side, across it. AAv is for both the mean over some steps of -log10 of the mass-weighted RMS distance, in
m/s, to the velocities that the engine itself finds for that step with many iterations. `tip` is how far the
middle of the far end is below the carriage at the end, `off` how far, at most, from where the engine's converged run has it.
On the first run MuJoCo is installed from the package index into the project's .venv; see requirements.txt beside this file.
"""

import argparse
import json
import math
import os
import re
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import beam_scene as beam
from mujoco_cable import call_tenon, ensure_bench
from mujoco_stir import ROOT, ensure_packages, fail, show

NEWTON, ENOUGH = 10, 20000            # iterations
HARD = 'solimp="0.99 0.99 0.001"'     # harder ones bounce
CELLS_OF_REDUCED = (20, 2, 2)
TENON_ENOUGH = 1000                   # iterations
SAMPLES_EVERY = 10                    # steps between those that are solved to the end
PATH_EVERY = 25                       # steps between printed points of the tip's path


# ---- MuJoCo --------------------------------------------------------------------------------------

def mujoco_model(text, reduced=False, extra=0.0):
    """Model and data, the nodes' masses by volume; `extra`: kg more at each node of the far end."""
    import mujoco
    import numpy
    if reduced:
        held = range((CELLS_OF_REDUCED[1] + 1) * (CELLS_OF_REDUCED[2] + 1))
        text = re.sub('<pin id="[^"]*"', f'<pin id="{" ".join(map(str, held))}"', text)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    if not reduced:
        masses = numpy.array(beam.node_masses())
        masses[beam.FAR] += extra
        free = numpy.setdiff1d(numpy.arange(len(masses)), beam.HELD)
        model.body_mass[model.flex_vertbodyid[free]] = masses[free]
        mujoco.mj_setConst(model, data)
        mujoco.mj_resetData(model, data)
    if hasattr(mujoco, "set_mju_user_warning"):
        mujoco.set_mju_user_warning(lambda message: None)  # that the first of two solves was cut off
    mujoco.mj_forward(model, data)
    return model, data


def integrator():
    import mujoco
    return "discrete" if hasattr(mujoco.mjtIntegrator, "mjINT_DISCRETE") else "implicitfast"


def option(solver, iterations, tolerance=1e-8):
    return (f'integrator="{integrator()}" solver="{solver}" cone="pyramidal" iterations="{iterations}" '
            f'tolerance="{tolerance}"')


def forces_of(model, data):
    """N: of all contacts along x, and across, of one side."""
    import mujoco
    import numpy
    force, total, across = numpy.zeros(6), numpy.zeros(3), 0.0
    for i in range(data.ncon):
        mujoco.mj_contactForce(model, data, i, force)
        world = data.contact.frame[i].reshape(3, 3).T @ force[:3]
        total += world
        across += abs(world[1])
    return abs(total[0]), across / 2


def step_to_the_end(model, data):
    """Solves one step as exactly as MuJoCo can."""
    import mujoco
    kept = model.opt.solver, model.opt.iterations, model.opt.tolerance
    if integrator() == "discrete":
        model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.iterations, model.opt.tolerance = ENOUGH, 1e-12
    mujoco.mj_step(model, data)
    model.opt.solver, model.opt.iterations, model.opt.tolerance = kept


def distance(model, data, right):
    """m/s: mass-weighted RMS of the difference of the velocities."""
    import mujoco
    import numpy
    apart, product = data.qvel - right.qvel, numpy.zeros(model.nv)
    mujoco.mj_mulM(model, data, product, apart)
    return math.sqrt(max(float(apart @ product), 1e-32) / float(model.body_mass.sum()))


def run_mujoco(text, reduced=False):
    """Figures of the steps that count; `times` and `path` are lists over them."""
    import mujoco
    model, data = mujoco_model(text, reduced)
    right, digits = mujoco.MjData(model), []
    first, last = beam.first_step(), beam.step_count()
    sums = {name: 0.0 for name in ("iterations", "contacts", "penetration_m", "push_N", "squeeze_N")}
    times, path, deepest = [], [], 0.0
    for k in range(last):
        data.ctrl[0] = beam.control(k * beam.TIMESTEP)
        sampled = k >= first and (k - first) % SAMPLES_EVERY == SAMPLES_EVERY // 2
        if sampled:
            mujoco.mj_copyData(right, model, data)
        start = time.thread_time()
        mujoco.mj_step(model, data)
        taken = time.thread_time() - start
        if k < first:
            continue
        times.append(taken)
        if sampled:
            step_to_the_end(model, right)
            digits.append(-math.log10(distance(model, data, right)))
        below = [-gap for gap in data.contact.dist if gap < 0]
        sums["penetration_m"] += sum(below) / len(below) if below else 0.0
        deepest = max([deepest] + below)
        sums["contacts"] += data.ncon
        sums["iterations"] += data.solver_niter[:max(1, min(data.nisland, len(data.solver_niter)))].max()
        push, squeeze = forces_of(model, data)
        sums["push_N"] += push
        sums["squeeze_N"] += squeeze
        path.append(data.flexvert_xpos[beam.FAR].mean(axis=0).tolist())
    figures = {name: float(value / len(times)) for name, value in sums.items()}
    return {**figures, "penetration_max_m": float(deepest), "aav": sum(digits) / len(digits), "times": times, "path": path}


def still_mujoco(loaded):
    import mujoco
    gravity = beam.GRAVITY * (beam.SLIGHT if loaded else 1)
    model, data = mujoco_model(beam.scene(option("Newton", NEWTON), gravity=gravity, **beam.STILL),
                               extra=beam.weights_mass() if loaded else 0.0)
    for _ in range(beam.STILL_STEPS):
        mujoco.mj_step(model, data)
    return beam.HEIGHT - float(data.flexvert_xpos[beam.FAR, 2].mean())


# ---- tenon ---------------------------------------------------------------------------------------

def soft_xml(dilatation, holds=""):
    return f'<soft name="beam" mean_dilatation="{"true" if dilatation else "false"}">{holds}</soft>'


def write_tenon(folder, dilatation):
    path = os.path.join(folder, f"pushed_beam_{int(dilatation)}.xml")
    with open(os.path.join(folder, "pushed_beam.csv"), "w") as out:
        out.write("time,push\n")
        for k in range(beam.step_count() + 1):
            out.write(f"{k * beam.TIMESTEP:.4f},{beam.control(k * beam.TIMESTEP):.9g}\n")
    with open(path, "w") as out:
        out.write(beam.scene(rest=f'<tenon>{soft_xml(dilatation)}<track file="pushed_beam.csv"/></tenon>'))
    return path


def record_tenon(args, scene_file, timestep, duration, more=()):
    """Arrays of all steps of a run."""
    import numpy
    base = os.path.splitext(scene_file)[0]
    call_tenon([args.tenon, "run", scene_file, "--quiet", "--no-accuracy", "--duration", repr(duration), "--record",
                base + ".tnr", "--record-fps", repr(1 / timestep), *more])
    call_tenon([args.tenon, "export", base + ".tnr", "-o", base + ".npz"])
    with numpy.load(base + ".npz") as arrays:
        return dict(arrays)


def run_tenon(args, scene_file, iterations, timed=True):
    import numpy
    how = ["--division", args.division, "--iterations", str(iterations), "--threads", str(args.threads)]
    z = record_tenon(args, scene_file, beam.TIMESTEP, beam.SAG + beam.PUSH, how)
    first, last = beam.first_step(), beam.step_count()
    steps = range(first + 1, last + 1)
    slices = [slice(z["contact_start"][i], z["contact_start"][i + 1]) for i in steps]
    count = len(steps)
    figures = {"iterations": iterations, "contacts": float(z["contact_count"][first + 1:].mean()),
               "push_N": sum(abs(float(z["contact_force"][c, 0].sum())) for c in slices) / count,
               "squeeze_N": sum(float(abs(z["contact_force"][c, 1]).sum()) for c in slices) / 2 / count,
               "path": z["points"][first + 1:, beam.FAR].astype(float).mean(axis=1).tolist(),
               "penetration_m": float(z["mean_penetration"][first + 1:].mean()),
               "penetration_max_m": float(z["max_penetration"][first + 1:].max()), "aav": None,
               "times": (z["step_times"][first + 1:, 6]).astype(float).tolist()}
    if timed:
        bench = json.loads(call_tenon(
            [args.tenon + "-bench", "scene", scene_file, "--json", "--quiet", "--repeats", str(args.repeats), "--aav-samples", "20",
             "--settle", repr(beam.SAG), "--duration", repr(beam.PUSH), "--weights", "compliance", *how]))
        figures["aav"] = bench["aav"]
        figures["step_ms"] = bench["step_ms_mean"]
    return figures


def still_tenon(args, folder, dilatation, loaded):
    world, holds = beam.weights_xml() if loaded else ("", "")
    path = os.path.join(folder, "still.xml")
    with open(path, "w") as out:
        out.write(beam.scene(rest=f"<tenon>{soft_xml(dilatation, holds)}</tenon>", world=world,
                             gravity=beam.GRAVITY * (beam.SLIGHT if loaded else 1), **beam.STILL))
    step = beam.STILL["timestep"]
    z = record_tenon(args, path, step, step * beam.STILL_STEPS)
    return beam.HEIGHT - float(z["points"][-1, beam.FAR, 2].astype(float).mean())


# ---- the still beam ------------------------------------------------------------------------------

def compare_still(args, folder):
    """{name: (sag in m under its own weight, m/N at its end)}."""
    runs = {} if integrator() != "discrete" else {"mujoco": still_mujoco}
    if not args.mujoco_only:
        runs["tenon, locking"] = lambda loaded: still_tenon(args, folder, False, loaded)
        runs["tenon"] = lambda loaded: still_tenon(args, folder, True, loaded)
    found = {"Timoshenko": beam.timoshenko()}
    for name, run in runs.items():
        show(f"still: {name}")
        sag = run(False)
        found[name] = (sag, (run(True) - beam.SLIGHT * sag) / beam.LOAD)
    show("")
    return found


def print_still(found):
    right = found["Timoshenko"]
    print(f"{'held at one end':22}{'own weight':>14}{'':>8}{'force at the end':>20}")
    for name, (sag, give) in found.items():
        print(f"{name:22}{1e3 * sag:11.3f} mm{sag / right[0]:8.3f}{1e3 * give:15.4f} mm/N{give / right[1]:8.3f}")
    print()


# ---- the push ------------------------------------------------------------------------------------

def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="default 3; converged runs are made once")
    parser.add_argument("--iterations", type=int, default=60, metavar="N", help="of tenon (default 60)")
    parser.add_argument("--division", default="auto", metavar="HOW", help="of tenon (default auto)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of tenon (default 1)")
    parser.add_argument("--cg", action="store_true", help="MuJoCo's conjugate gradients too (minutes)")
    parser.add_argument("--converged", action="store_true", help="whole runs with converged steps too, for `off` (minutes)")
    parser.add_argument("--blocks-move", action="store_true", help="MuJoCo's beam stays and the blocks come to it")
    parser.add_argument("--still", action="store_true", help="only the still beam")
    parser.add_argument("--path", action="store_true", help="print the tip's path, too")
    parser.add_argument("--mujoco-only", action="store_true", help="do not run tenon")
    parser.add_argument("--tenon", default=os.path.join(ROOT, "build", "tenon"), metavar="PROGRAM")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the tables")
    args = parser.parse_args()
    if min(args.repeats, args.iterations, args.threads) <= 0:
        parser.error("--repeats, --iterations and --threads must be positive")
    return args


def contestants(args, folder):
    """{name: (function that gives the figures of a run, name of its converged one, whether it is run once)}."""
    def mujoco(how, contact="", reduced=False):
        shape = f'dof="trilinear" cellcount="{" ".join(map(str, CELLS_OF_REDUCED))}"' if reduced else ""
        moves = args.blocks_move or integrator() != "discrete"
        return lambda: run_mujoco(beam.scene(how, contact, shape, blocks_move=moves), reduced)
    runs, right = {}, f"mujoco newton {ENOUGH}"
    if integrator() == "discrete":
        for more, contact in (("", ""), (", hard", HARD)):
            runs["mujoco newton" + more] = (mujoco(option("Newton", NEWTON), contact), right + more, False)
            if args.converged:
                runs[right + more] = (mujoco(option("Newton", ENOUGH, 1e-12), contact), right + more, True)
        runs["mujoco reduced"] = (mujoco(option("Newton", NEWTON), "", True), right, False)
    else:
        right = f"mujoco cg {ENOUGH}"
    if args.cg or integrator() != "discrete":
        runs[f"mujoco cg {ENOUGH}"] = (mujoco(option("CG", ENOUGH)), right, True)
        runs["mujoco cg 100"] = (mujoco(option("CG", 100)), right, True)
    if args.mujoco_only:
        return runs
    def tenon(file, count, timed=True):
        return lambda: run_tenon(args, file, count, timed)
    file, right = write_tenon(folder, True), f"tenon {TENON_ENOUGH}"
    for count in sorted({args.iterations, max(1, args.iterations // 2)}, reverse=True):
        runs["tenon" if count == args.iterations else f"tenon, {count} iterations"] = (tenon(file, count), right, True)
    if args.converged:
        runs[right] = (tenon(file, TENON_ENOUGH, False), right, True)
    runs["tenon, locking"] = (tenon(write_tenon(folder, False), args.iterations), "", True)
    return runs


def compare_push(args, folder):
    """{name: figures}; the contestants take turns."""
    runs, found = contestants(args, folder), {}
    for repeat in range(args.repeats):
        for name, (run, _, once) in runs.items():
            if repeat and once:
                continue
            show(f"repeat {repeat + 1} of {args.repeats}: {name}")
            figures = run()
            if name in found:
                figures["times"] = [min(pair) for pair in zip(figures["times"], found[name]["times"])]
            found[name] = figures
    show("")
    for name, figures in found.items():
        times, path, right = figures.pop("times"), figures["path"], found.get(runs[name][1])
        figures.setdefault("step_ms", 1e3 * sum(times) / len(times))
        figures["tip_m"] = beam.HEIGHT - path[-1][2]
        figures["off_m"] = max(math.dist(a, b) for a, b in zip(path, right["path"])) if right else None
    for figures in found.values():
        figures["ratio"] = figures["step_ms"] / found["tenon"]["step_ms"] if "tenon" in found else None
    return found


def millimetres(value, width, digits=3):
    return f"{1e3 * value:{width - 3}.{digits}f} mm" if value is not None else f"{'-':>{width}}"


def print_push(found):
    print(f"{'pushed':28}{'ms per step':>12}{'/ tenon':>9}{'iterations':>12}{'contacts':>10}{'push':>9}{'squeeze':>9}"
          f"{'penetration':>13}{'at most':>12}{'tip':>11}{'off':>12}{'AAv':>7}")
    for name, f in found.items():
        ratio = f"{f['ratio']:.2f}" if f["ratio"] else "-"
        print(f"{name:28}{f['step_ms']:12.3f}{ratio:>9}{f['iterations']:12.1f}{f['contacts']:10.1f}{f['push_N']:7.1f} N"
              f"{f['squeeze_N']:7.1f} N{millimetres(f['penetration_m'], 13)}{millimetres(f['penetration_max_m'], 12)}"
              f"{millimetres(f['tip_m'], 11, 2)}{millimetres(f['off_m'], 12, 4)}"
              + (f"{f['aav']:7.2f}" if f["aav"] is not None else f"{'-':>7}"))


def print_paths(found):
    for name, figures in found.items():
        print(f"\n{name}: time, s; the tip's place from the carriage's start, mm")
        for k in range(PATH_EVERY - 1, len(figures["path"]), PATH_EVERY):
            x, y, z = figures["path"][k]
            print(f"  {beam.SAG + (k + 1) * beam.TIMESTEP:.2f}  {1e3 * x:9.3f} {1e3 * y:8.3f} {1e3 * (z - beam.HEIGHT):8.3f}")


def main():
    args = parse_arguments()
    if not args.mujoco_only and not os.access(args.tenon, os.X_OK):
        fail(f"there is no program {os.path.relpath(args.tenon)}; build it first:\n"
             "  cmake -S . -B build && cmake --build build\n"
             "or use --mujoco-only for MuJoCo's figures alone")
    if not args.mujoco_only:
        ensure_bench(args.tenon)
    ensure_packages(__file__)
    import mujoco
    with tempfile.TemporaryDirectory() as folder:
        still = compare_still(args, folder)
        if not args.json:
            print(f"beam: {len(beam.NODES)} nodes, {len(beam.TETS)} tetrahedra, MuJoCo {mujoco.__version__}\n")
            print_still(still)
        found = {} if args.still else compare_push(args, folder)
    steps = beam.step_count() - beam.first_step()
    if args.json:
        print(json.dumps({"scene": "pushed beam", "mujoco": mujoco.__version__, "nodes": len(beam.NODES),
                          "tetrahedra": len(beam.TETS), "steps": steps, "timestep": beam.TIMESTEP,
                          "repeats": args.repeats, "threads": args.threads,
                          "still": {name: {"sag_m": sag, "end_m_per_N": give} for name, (sag, give) in still.items()},
                          "results": found}, indent=2))
    elif found:
        print(f"{steps} steps of {beam.TIMESTEP:g} s, least of {args.repeats}")
        print_push(found)
        if args.path:
            print_paths(found)


if __name__ == "__main__":
    main()
