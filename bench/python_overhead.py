"""What world.step() costs beyond the step in C, and how batches scale; needs the installed package (docs/python.md).

    bench/python_overhead.py [--batch N] [--threads N]

The step in C has a clock around it within the module; the rest of a call is Python's: the call itself, releasing the GIL, and,
if someone has arrays of the world, comparing and copying them. "read": qpos and qvel are asked for and dropped again after
each step; "held": they are kept all the time; "written": ctrl is written before each
step. --batch also times one step of N worlds of scenes/stir.xml on 1 and on --threads threads."""
import argparse
import pathlib
import statistics
import time

import tenon

SCENES = pathlib.Path(__file__).resolve().parents[1] / "scenes"
PENDULUM = """<mujoco><worldbody><body><joint axis="0 1 0"/><geom size="0.1" pos="0.5 0 0"/></body></worldbody></mujoco>"""


def overhead(name, model, count, rounds):
    """Calls from the same state, again and again; the first few steps warm up."""
    world = tenon.World(model)
    world.step(10)
    state = world.save()
    for how in ("alone", "read", "held", "written"):
        calls, beyond, kept = [], [], None
        for _ in range(rounds):
            world.restore(state)
            if how == "held":
                kept = (world.qpos, world.qvel)
            for _ in range(count):
                if how == "written" and model.nu:
                    world.ctrl[0] += 1e-9
                start = time.perf_counter()
                in_c = world._timed_step()
                call = time.perf_counter() - start
                calls.append(call)
                beyond.append(call - in_c)
                if how == "read":
                    world.qpos, world.qvel
        del kept
        print(f"{name:10} nq {model.nq:5}   arrays {how:7}   call {1e6 * min(calls):9.2f} µs   beyond the step in C: median "
              f"{1e6 * statistics.median(beyond):.2f} µs, least {1e6 * min(beyond):.2f} µs")


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
    overhead("stir", tenon.Model.from_file(SCENES / "stir.xml"), 10, 20)
    if options.batch:
        model = tenon.Model.from_file(SCENES / "stir.xml")
        one = batch_time(model, options.batch, 1, 4)
        many = batch_time(model, options.batch, options.threads, 4)
        print(f"{options.batch} stirs: one step {1e3 * one:.1f} ms on 1 thread, {1e3 * many:.1f} ms on {options.threads}: "
              f"{one / many:.2f} times")


main()
