#!/usr/bin/env python3
"""Cost of steps against their true error in time, with accuracy asked for and with fixed sub-steps.

    bench/accuracy.py [--only SCENE] [--json FILE] [MODEL.xml ...]

Needs the installed package (docs/python.md). Without models: a pendulum, scenes/stir, gripper and cable, and a quadruped that
trots (examples/python/quadruped.py). Models of tests/search are written by `search --write FOLDER --all`.

A simulation is run with 4 sub-steps. From some of its states one step is taken in every way: with 1, 2, 4, ... sub-steps, and
with accuracies of 1e-1, 1e-2, .... The true error is the distance from where very short steps lead from the same state: n
sub-steps (--reference, default 1000). So it is that of one step, as the estimate is: how errors grow later is a matter of the
motion (docs/time-stepping.md#accuracy-in-time). Distances are as there: RMS of the masses' displacements, m, with velocities
times the time step; turning counts by the mean radius of gyration. All errors are divided by the time step: m/s. Cost: steps solved, and seconds, per
simulated second."""
import argparse
import importlib.util
import json
import math
import pathlib
import sys

import numpy as np
import tenon

ROOT = pathlib.Path(__file__).resolve().parents[1]
FIXED = (1, 2, 4, 8, 16, 32)
ASKED = (1e-1, 1e-2, 1e-3, 1e-4)
PENDULUM = """<mujoco model="pendulum"><option timestep="0.02"/><worldbody><body euler="0 60 0"><joint axis="0 1 0"/>
  <geom size="0.05" pos="0.5 0 0"/></body></worldbody></mujoco>"""


class Masses:
    """Where the masses of a world are."""

    def __init__(self, model):
        self.links, self.softs, self.moment = [], [], model.timestep
        for body in range(1, model.nbody):
            info = model.body_info(body)
            if info["carrier"] in (None, body) and info["mass"] > 0:
                self.links.append((body, info["mass"], np.array(info["com"]), np.mean(info["inertia"])))
        soft = 0
        while True:
            try:
                info = model.soft_info(soft)
            except (IndexError, KeyError, ValueError, tenon.Error):
                break
            self.softs.append((info["qpos_start"], info["dof_start"], np.repeat(info["node_masses"], 3)))
            soft += 1
        self.total = sum(link[1] for link in self.links) + sum(s[2].sum() / 3 for s in self.softs)

    def look(self, world):
        out = []
        for body, _, com, _ in self.links:
            pose = np.concatenate(world.body_pose(body))
            linear, angular = world.body_velocity(body)
            out.append((pose[:3] + turned(pose[3:], com), pose[3:], np.array(linear), np.array(angular)))
        return out, world.qpos.copy(), world.qvel.copy()

    def distance(self, a, b):
        total = 0.0
        for (_, mass, _, inertia), x, y in zip(self.links, a[0], b[0]):
            total += mass * np.sum((x[0] - y[0]) ** 2) + inertia * angle(x[1], y[1]) ** 2
            total += self.moment ** 2 * (mass * np.sum((x[2] - y[2]) ** 2) + inertia * np.sum((x[3] - y[3]) ** 2))
        for q, v, masses in self.softs:
            n = len(masses)
            total += np.sum(masses * ((a[1] - b[1])[q:q + n] ** 2 + self.moment ** 2 * (a[2] - b[2])[v:v + n] ** 2))
        return math.sqrt(total / self.total)


def turned(quat, v):
    w, u = quat[0], np.array(quat[1:])
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


def angle(a, b):
    """Between two orientations, rad."""
    minus, plus = np.linalg.norm(a - b), np.linalg.norm(a + b)
    return 4 * math.asin(min(1.0, min(minus, plus) / 2))


def quadruped():
    path = ROOT / "examples" / "python" / "quadruped.py"
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("quadruped", path)
    robot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(robot)
    model = tenon.Model.from_string(robot.robot().replace('timestep="0.002"', 'timestep="0.01"'))
    start = list(robot.gait(0, 0))
    return model, 1.0, lambda t: list(robot.gait(t, robot.STRIDE * min(1, t))), start


def scenes():
    yield "pendulum", (tenon.Model.from_string(PENDULUM), 1.0, None, None)
    yield "quadruped", quadruped()
    for name, duration in (("gripper", 2.0), ("cable", 1.0), ("stir", 0.5)):
        yield name, (tenon.Model.from_file(str(ROOT / "scenes" / f"{name}.xml")), duration, None, None)


def measure(model, duration, control, start, samples, reference, fixed, asked):
    """Rows: way, steps solved and s per simulated second; true and estimated error, m/s, per sample."""
    quiet = dict(on_trouble="ignore")
    t, count = model.timestep, max(1, round(duration / model.timestep))
    first = count // 20 if count >= 40 else 0
    at = set(np.linspace(first, count - 1, min(samples, count - first)).astype(int))
    driver = tenon.World(model, substeps=4, accuracy=math.inf, **quiet)
    fine = tenon.World(model, substeps=100, accuracy=math.inf, **quiet)
    ways = [(f"{n}", tenon.World(model, substeps=n, accuracy=math.inf, **quiet)) for n in fixed]
    ways += [(f"{a:.0e}", tenon.World(model, accuracy=a, **quiet)) for a in asked]
    rows = {way: dict(solved=0, seconds=0.0, true=[], told=[], inaccurate=0) for way, _ in ways}
    masses = Masses(model)
    if start:
        driver.ctrl[:] = driver.qpos[7:] = start
    taken = 0
    for k in range(count):
        state = driver.save() if k in at else None
        if control:
            driver.ctrl[:] = control(driver.time)
        driver.step()
        if driver.report.diverged:
            break
        if state is None:
            continue
        ctrl = driver.ctrl.copy()
        pieces = max(1, reference // 100)
        fine.restore(state)
        fine.set_timestep(t / pieces)
        for _ in range(pieces):
            if len(ctrl):
                fine.ctrl[:] = ctrl
            fine.step()
        if fine.report.diverged:
            continue
        there = masses.look(fine)
        taken += 1
        for way, world in ways:
            world.restore(state)
            if len(ctrl):
                world.ctrl[:] = ctrl
            world.step()
            row, report = rows[way], world.report
            row["true"].append(masses.distance(masses.look(world), there) / t if not report.diverged else math.inf)
            row["told"].append(report.time_error)
            row["inaccurate"] += report.inaccurate
            row["seconds"] += report.times["total"]
            row["solved"] += report.tries
    for row in rows.values():
        row["solved"] /= max(1, taken) * t
        row["seconds"] /= max(1, taken) * t
    return rows


def ratio(row):
    """Of the estimate and the true error, in the mean; and the share of single steps within 3."""
    true, told = np.array(row["true"]), np.array(row["told"])
    single = told[true > 0] / true[true > 0]
    return told.mean() / true.mean() if true.mean() > 0 else math.nan, np.mean((single > 1 / 3) & (single < 3)) if len(single) else math.nan


def show(name, rows):
    print(f"{name}\n  way      steps/s   s/s      error m/s: mean  largest  | estimate  over true  within 3  missed")
    for way, row in rows.items():
        if not row["true"]:
            continue
        line = f"  {way:8} {row['solved']:8.0f}  {row['seconds']:7.4f}  {np.mean(row['true']):12.2e} {np.max(row['true']):9.1e}"
        if not math.isnan(row["told"][0]):
            mean, single = ratio(row)
            line += f"   {np.mean(row['told']):9.1e}  {mean:8.2f}  {100 * single:7.0f} %  {row['inaccurate']:4}"
        print(line, flush=True)


def sum_up(asked, rows):
    """Where an error matters: that is, or is told as, a tenth of what is asked for at least."""
    models = [np.mean(r["told"]) / np.mean(r["true"]) for r in rows if max(np.mean(r["told"]), np.mean(r["true"])) > 0.1 * asked]
    steps = [e / t for r in rows for t, e in zip(r["true"], r["told"]) if max(t, e) > 0.1 * asked]
    print(f"accuracy {asked:.0e}, errors of a tenth of it and more:")
    for name, ratios in (("models", np.array(models)), ("steps", np.array(steps))):
        if len(ratios):
            print(f"  {len(ratios)} {name}: estimate over true error within a factor of 3 in {100 * np.mean((ratios > 1 / 3) & (ratios < 3)):.0f} %, "
                  f"above in {100 * np.mean(ratios >= 3):.0f} %, below in {100 * np.mean(ratios <= 1 / 3):.0f} %, median {np.median(ratios):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--only", help="of the scenes, this one")
    parser.add_argument("--samples", type=int, default=30)
    parser.add_argument("--reference", type=int, default=1000)
    parser.add_argument("--duration", type=float, default=0.5, help="of models, s")
    parser.add_argument("--fixed", type=int, nargs="*", default=FIXED)
    parser.add_argument("--asked", type=float, nargs="*", default=ASKED)
    parser.add_argument("--json")
    args = parser.parse_args()
    found = {}
    if not args.models:
        for name, scene in scenes():
            if args.only and name != args.only:
                continue
            found[name] = measure(*scene, args.samples, args.reference, args.fixed, args.asked)
            show(name, found[name])
    for path in args.models:
        model = tenon.Model.from_file(path)
        found[pathlib.Path(path).stem] = rows = measure(model, args.duration, None, None, args.samples, args.reference, args.fixed, args.asked)
        show(pathlib.Path(path).stem, rows)
    if args.models:
        for a in args.asked:
            sum_up(a, [rows[f"{a:.0e}"] for rows in found.values() if rows[f"{a:.0e}"]["true"]])
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(found))


main()
