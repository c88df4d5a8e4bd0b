#!/usr/bin/env python3
"""Steps per second of tenon's batches beside mujoco.rollout: same models, starts, controls, threads and machine.

    mujoco_rollout.py [MODEL.xml ... FOLDER ...] [--only arm,ant] [--threads LIST] [--worlds N] [--steps N]

Without arguments it runs the scenes of rollout_scenes.py and scenes/stir.xml. Of a folder it takes every physics.xml, or
scene.xml, below it. Every world starts at the first keyframe and gets random controls of its own, new ones every ten steps.
One call of each engine steps all worlds through all steps, and returns positions, velocities and sensors of each step.

The engines alternate; the shortest of the repeats counts. MuJoCo runs with Newton's method and with conjugate gradients,
and the faster of the two is compared (above 500 degrees of freedom only the latter, with an eighth of the worlds). tenon runs with its default tolerance of 1e-6 (of gravity × timestep), with 1e-3, and
with 60 iterations and no tolerance, as the paper does. A ratio above 1 means that tenon is faster. MuJoCo's contacts are
soft, tenon's are rigid: they do not solve the same problem, and `depth` tells the mean depth of contacts at the end.

tenon must be installed in the Python that runs this (pip install . in the project's folder); MuJoCo is installed into the
project's .venv if it is missing.
"""
import argparse
import importlib.util
import json
import os
import sys
import time
import xml.etree.ElementTree as ElementTree

import rollout_scenes
from mujoco_robots import Skipped, as_tree, geometric_mean, list_models, short_name
from mujoco_stir import ROOT, ensure_packages, fail, show

HOLD = 10  # steps of each control
LARGE = 500  # degrees of freedom
SETTINGS = {"default": {}, "1e-3": {"tolerance": 1e-3}, "60 iterations": {"tolerance": 0.0, "iterations": 60}}
WANDER = 0.05  # of a control's range (1 where it has none): deviation of random controls of other models


class Case:
    """A model in both engines, its start, and how far controls wander."""

    def __init__(self, name, path=None, text=None, wander=WANDER):
        import mujoco
        import tenon
        self.name, self.wander = name, wander
        try:
            self.tenon = tenon.Model.from_string(text) if text else tenon.Model.from_file(path)
        except tenon.Error as error:
            raise Skipped(f"tenon: {str(error).splitlines()[0]}") from None
        try:
            self.mujoco = mujoco.MjModel.from_xml_string(text or without_tenon(path))
        except ValueError as error:
            raise Skipped(f"MuJoCo: {str(error).splitlines()[0]}") from None
        if (self.mujoco.nq, self.mujoco.nv, self.mujoco.nu) != (self.tenon.nq, self.tenon.nv, self.tenon.nu):
            raise Skipped("the engines do not agree on the sizes of the model")
        self.data = mujoco.MjData(self.mujoco)
        if self.mujoco.nkey:
            mujoco.mj_resetDataKeyframe(self.mujoco, self.data, 0)

    def controls(self, worlds, steps):
        import numpy
        model, ctrl = self.mujoco, self.data.ctrl.copy()
        limited = model.actuator_ctrllimited.astype(bool)
        low, high = model.actuator_ctrlrange.T
        span = numpy.where(limited, high - low, 1.0)
        chance = numpy.random.default_rng(1)
        blocks = -(-steps // HOLD)
        noise = chance.normal(size=(worlds, blocks, model.nu)) * self.wander * span
        values = numpy.where(limited, numpy.clip(ctrl + noise, low, high), ctrl + noise)
        return numpy.ascontiguousarray(numpy.repeat(values, HOLD, axis=1)[:, :steps])


def without_tenon(path):
    """The file as MuJoCo reads it, as text with whole paths."""
    root = as_tree(path)
    for own in root.findall("tenon"):
        root.remove(own)
    return ElementTree.tostring(root, encoding="unicode")


# ---- the two engines -----------------------------------------------------------------------------

def mean_depth(gaps):
    depths = [-gap for gap in gaps if gap < 0]
    return sum(depths) / len(depths) if depths else 0.0


class MujocoRun:
    def __init__(self, case, threads, controls, solver):
        import mujoco
        from mujoco import rollout
        import numpy
        self.model = case.mujoco.__copy__()
        self.model.opt.solver = solver
        self.data = [mujoco.MjData(self.model) for _ in range(threads)]
        self.controls, self.pool = controls, rollout.Rollout(nthread=threads if threads > 1 else 0)
        full = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = numpy.empty(mujoco.mj_stateSize(self.model, full))
        mujoco.mj_getState(self.model, case.data, state, full)
        worlds, steps = controls.shape[:2]
        self.start = numpy.tile(state, (worlds, 1))
        self.state = numpy.empty((worlds, steps, len(state)))
        self.sensors = numpy.empty((worlds, steps, self.model.nsensordata))

    def run(self):
        steps = self.controls.shape[1]
        controls = self.controls if self.controls.shape[2] else None
        self.pool.rollout(self.model, self.data, self.start, controls, nstep=steps, state=self.state, sensordata=self.sensors)
        return any(warning.number for data in self.data for warning in data.warning)

    def depth(self):
        return mean_depth([contact.dist for contact in self.data[0].contact])

    def close(self):
        self.pool.close()


class TenonRun:
    def __init__(self, case, threads, controls, options):
        import tenon
        self.batch = tenon.Batch(case.tenon, len(controls), threads=threads, **options)
        self.controls, self.key = controls, 0 if case.mujoco.nkey else None

    def run(self):
        self.batch.reset(key=self.key)
        self.batch.rollout(self.controls, want=("qpos", "qvel", "sensors"))
        return bool(self.batch.diverged.any())

    def judge(self):
        """The share of steps that missed the tolerance, and contacts and their mean depth at the end, of some worlds."""
        self.batch.reset(key=self.key)
        few, missed, steps = min(4, len(self.batch)), 0, self.controls.shape[1]
        for k in range(steps):
            self.batch.ctrl[:few] = self.controls[:few, k]
            for i in range(few):
                self.batch[i].step()
                missed += not self.batch[i].report.converged
        contacts = [contact for i in range(few) for contact in self.batch[i].contacts]
        return missed / (few * steps), len(contacts) / few, mean_depth([contact["gap"] for contact in contacts])

    def close(self):
        self.batch.close()


# ---- comparison ----------------------------------------------------------------------------------

def measure(args, case, threads):
    import mujoco
    worlds = args.worlds or 32 * threads
    large = case.mujoco.nv > LARGE
    if large:
        worlds = max(threads, worlds // 8)
    controls = case.controls(worlds, args.steps)
    solvers = mujoco.mjtSolver
    kinds = {"cg": solvers.mjSOL_CG} if large else {"newton": solvers.mjSOL_NEWTON, "cg": solvers.mjSOL_CG}
    runs = {name: MujocoRun(case, threads, controls, solver) for name, solver in kinds.items()}
    clock = time.process_time if args.cpu_time else time.perf_counter
    share = threads if args.cpu_time else 1  # of the threads' time that counts
    for name, options in SETTINGS.items():
        runs[name] = TenonRun(case, threads, controls, options)
    best, failed = dict.fromkeys(runs, float("inf")), set()
    for repeat in range(args.repeats):
        for name, run in runs.items():
            if name in kinds and best[name] > 3 * min(best[other] for other in kinds) and repeat:
                continue  # it will not be the faster one
            show(f"{case.name}: {name}, {repeat + 1} of {args.repeats}")
            start = clock()
            if run.run():
                failed.add(name)
            best[name] = min(best[name], (clock() - start) / share)
    faster = min(kinds, key=best.get)
    rate = {name: worlds * args.steps / seconds for name, seconds in best.items()}
    row = {"scene": case.name, "dof": case.mujoco.nv, "threads": threads, "worlds": worlds, "steps": args.steps,
           "timestep": case.mujoco.opt.timestep, "refused": sorted(failed),
           "mujoco": {"solver": faster, "steps_per_s": rate[faster], "depth": runs[faster].depth(),
                      "solvers": {name: rate[name] for name in kinds}}}
    for name in SETTINGS:
        show(f"{case.name}: accuracy, {name}")
        missed, contacts, depth = runs[name].judge()
        row[name] = {"steps_per_s": rate[name], "ratio": rate[name] / rate[faster], "missed": missed, "contacts": contacts,
                     "depth": depth}
    for run in runs.values():
        run.close()
    show("")
    return row


def cases(args):
    """(name, function that makes it)"""
    def own(scene):
        return lambda: Case(scene.name, text=scene.text, wander=scene.controls)

    def file(path):
        return lambda: Case(short_name(path), path=path)
    if args.models:
        return [(short_name(path), file(path)) for path in list_models(args.models)]
    stir = os.path.join(ROOT, "scenes", "stir.xml")
    known = [(scene.name, own(scene)) for scene in rollout_scenes.SCENES]
    known.append(("stir", lambda: Case("stir", path=stir, wander=0.01)))
    if not args.only:
        return known
    names = args.only.split(",")
    unknown = set(names) - {name for name, _ in known}
    if unknown:
        fail(f"--only: there is no scene {', '.join(sorted(unknown))}; there are {', '.join(name for name, _ in known)}")
    return [(name, make) for name, make in known if name in names]


def print_row(row):
    notes = [f"{100 * row[name]['missed']:.0f} % of steps missed {told}" for name, told in (("default", "1e-6"), ("1e-3", "1e-3"))
             if row[name]["missed"] >= 0.005]
    if row["refused"]:
        notes.append("refused steps or warnings: " + ", ".join(row["refused"]))
    mujoco = row["mujoco"]
    print(f"{row['scene'][:20]:20}{row['dof']:5}{row['default']['contacts']:9.0f}{row['threads']:8}{mujoco['steps_per_s']:11.0f} "
          f"{mujoco['solver']:6}" + "".join(f"{row[name]['steps_per_s']:10.0f}{row[name]['ratio']:6.2f}" for name in SETTINGS) +
          f"{1e3 * mujoco['depth']:9.3f}{1e3 * row['default']['depth']:9.3f}  {'; '.join(notes)}", flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="MJCF files and folders instead of the known scenes")
    parser.add_argument("--only", metavar="LIST", help="some of the known scenes")
    parser.add_argument("--threads", default=str(len(os.sched_getaffinity(0))), metavar="LIST",
                        help="numbers of threads, one row each (default: the number of cores)")
    parser.add_argument("--worlds", type=int, default=0, metavar="N", help="default: 32 per thread")
    parser.add_argument("--steps", type=int, default=200, metavar="N", help="of each world (default 200)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="default 3")
    parser.add_argument("--cpu-time", action="store_true",
                        help="count the processor's time instead of the clock's: for a machine that is busy with other work")
    parser.add_argument("--json", metavar="FILE", help="also write the figures to a file")
    args = parser.parse_args()
    try:
        args.threads = [int(x) for x in args.threads.split(",")]
    except ValueError:
        parser.error("--threads: expected numbers, as in 1,2,4")
    if min(args.steps, args.repeats, *args.threads) < 1 or args.worlds < 0:
        parser.error("--threads, --steps and --repeats must be positive")
    return args


def main():
    args = parse_arguments()
    ensure_packages(__file__)
    if not importlib.util.find_spec("tenon"):
        fail(f"the package tenon is not installed; run: {sys.executable} -m pip install {os.path.relpath(ROOT)}")
    import mujoco
    import tenon
    print(f"MuJoCo {mujoco.__version__}, tenon {tenon.__version__}; steps per second of all worlds, best of {args.repeats}" +
          (", by processor time" if args.cpu_time else ""))
    titles = "".join(f"{'tenon, ' + name if name != '60 iterations' else name:>16}" for name in SETTINGS)
    print(f"{'':60}{titles}{'depth, mm':>18}")
    print(f"{'':20}{'dof':>5}{'contacts':>9}{'threads':>8}{'MuJoCo':>11}{'':7}" + f"{'steps/s':>10}{'ratio':>6}" * len(SETTINGS) +
          f"{'MuJoCo':>9}{'tenon':>9}")
    rows = []
    for name, make in cases(args):
        try:
            case = make()
            for threads in args.threads:
                rows.append(measure(args, case, threads))
                print_row(rows[-1])
        except Skipped as reason:
            print(f"{name[:20]:20} left out: {reason}", flush=True)
    if rows:
        means = [f"{name} {geometric_mean([row[name]['ratio'] for row in rows]):.2f}" for name in SETTINGS]
        print("geometric means of the ratios: " + ", ".join(means))
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"mujoco": mujoco.__version__, "tenon": tenon.__version__, "cores": len(os.sched_getaffinity(0)),
                       "cpu_time": args.cpu_time, "rows": rows}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
