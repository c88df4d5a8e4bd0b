#!/usr/bin/env python3
"""Plans in closed loop: tasks with contact, from random starts, by DDP and by samplers.

  plan.py [--starts 20] [--tasks push,lift] [--methods "ddp;mppi"] [--threads 1]

The world and the roll-outs of plans are the same engine at the same step. A plan is made every 40 ms and its first two knots
are carried out. A row has how many runs were done at their end, the median of the costs along a run (its running costs, at
every knot, the same for all methods), steps of the engine per plan, those for derivatives included, and ms per plan (the
median of the runs' means). Needs the Python packages tenon and numpy.
"""
import argparse
import warnings

import numpy as np
import tenon
from plan_tasks import TASKS, running_cost

EVERY = 2
METHODS = {
    "ddp": dict(method="ddp", tolerance=0.03, derivative_every=4, compliance=1.0, smoothing=0.5),
    "ddp, exact derivatives": dict(method="ddp", tolerance=0.03, derivative_every=4, smoothing=0.0),
    "mppi": dict(method="mppi", samples=64),
    "cem": dict(method="cem", samples=64, iterations=3),
}


def run(task, seed, threads, options):
    """(done, cost along the run, steps per plan, s per plan)"""
    random = np.random.default_rng(seed)
    model = tenon.Model.from_string(task.xml)
    world = tenon.World(model, on_trouble="ignore")
    task.start(random, world)
    if options["method"] == "ddp":
        options = {**options, **task.options}
    plan = tenon.Plan(model, task.costs, horizon=task.horizon, threads=threads, seed=seed, **options)
    steps, seconds, cost = [], [], 0.0
    while world.time < task.seconds - 1e-9:
        found = plan.solve(world)
        steps.append(found.step_equivalents)
        seconds.append(found.seconds)
        for k in range(EVERY):
            world.ctrl[:] = found.ctrl[k]
            world.step()
            cost += running_cost(task, world)
        plan.shift(EVERY)
    return task.is_done(world), cost, np.mean(steps), np.mean(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--tasks", default="", help="names of classes in plan_tasks.py; default: all")
    parser.add_argument("--methods", default=";".join(METHODS), help="separated by semicolons; default: %(default)s")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    warnings.simplefilter("ignore", tenon.TroubleWarning)
    wanted = [m.strip() for m in args.methods.split(";")]
    unknown = [m for m in wanted if m not in METHODS]
    if unknown:
        parser.error(f"no method {unknown[0]!r}; there are {'; '.join(METHODS)}")
    print("| task | method | done | cost | steps per plan | ms per plan |\n|---|---|---|---|---|---|")
    for kind in TASKS:
        if args.tasks and kind.__name__.lower() not in args.tasks.lower().split(","):
            continue
        for name in wanted:
            runs = [run(kind(), seed, args.threads, METHODS[name]) for seed in range(args.starts)]
            print(f"| {kind.name} | {name} | {sum(r[0] for r in runs)}/{args.starts} | {np.median([r[1] for r in runs]):.4g} | "
                  f"{np.mean([r[2] for r in runs]):.0f} | {1e3 * np.median([r[3] for r in runs]):.1f} |", flush=True)


if __name__ == "__main__":
    main()
