"""What world.step() costs beyond the step in C, and how batches scale; needs the installed package (docs/python.md).

    bench/python_overhead.py [--batch N] [--threads N]

The step in C is what its own clock says (report.times["total"]); the rest of a call is Python's: the call itself, releasing
the GIL, comparing the arrays and copying the new state. Each figure is a minimum over rounds, each round from the same
state. --batch also times one step of N worlds of scenes/stir.xml on 1 and on --threads threads."""
import argparse
import pathlib
import time

import tenon

SCENES = pathlib.Path(__file__).resolve().parents[1] / "scenes"
PENDULUM = """<mujoco><worldbody><body><joint axis="0 1 0"/><geom size="0.1" pos="0.5 0 0"/></body></worldbody></mujoco>"""


def per_call(world, state, count):
    """Seconds of one world.step() as Python sees it."""
    world.restore(state)
    step = world.step
    start = time.perf_counter()
    for _ in range(count):
        step()
    return (time.perf_counter() - start) / count


def per_step(world, state, count):
    """Seconds of one step as C sees it."""
    world.restore(state)
    total = 0.0
    for _ in range(count):
        world.step()
        total += world.report.times["total"]
    return total / count


def overhead(name, model, count, rounds):
    world = tenon.World(model)
    world.step(10)
    state = world.save()
    calls = min(per_call(world, state, count) for _ in range(rounds))
    steps = min(per_step(world, state, count) for _ in range(rounds))
    print(f"{name:10} nq {model.nq:5}   call {1e6 * calls:9.2f} µs   step in C {1e6 * steps:9.2f} µs   "
          f"beyond it {1e6 * (calls - steps):6.2f} µs")


def batch_time(model, count, threads, rounds):
    batch = tenon.Batch(model, count, threads=threads)
    batch.step(5)
    best = float("inf")
    states = batch.save()
    for _ in range(rounds):
        batch.restore(states)
        start = time.perf_counter()
        batch.step()
        best = min(best, time.perf_counter() - start)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=0, help="worlds of a batch; default 0: no batch")
    parser.add_argument("--threads", type=int, default=2, help="threads of the batch; default 2")
    options = parser.parse_args()
    overhead("pendulum", tenon.Model.from_string(PENDULUM), 2000, 30)
    overhead("stir", tenon.Model.from_file(SCENES / "stir.xml"), 10, 10)
    if options.batch:
        model = tenon.Model.from_file(SCENES / "stir.xml")
        one = batch_time(model, options.batch, 1, 4)
        many = batch_time(model, options.batch, options.threads, 4)
        print(f"{options.batch} stirs: one step {1e3 * one:.1f} ms on 1 thread, {1e3 * many:.1f} ms on {options.threads}: "
              f"{one / many:.2f} times")


main()
