#!/usr/bin/env python3
"""Times of one linearization of a step, x⁺ by x and u, in tenon and in MuJoCo (mjd_transitionFD).

  mujoco_derivatives.py MODEL.xml ...

Both start from the first keyframe, or the reference pose, take --steps steps with its controls, and linearize there, on one
thread, in turns. A time is the least over --repeats. tenon's columns are implicit where it says so; it solves its
constraints to a tolerance for that, while MuJoCo's solver does what the file says. Both are given in times of one's own
step as well. --compare: how far tenon's A is from differences of its own steps. Needs the Python packages tenon, mujoco and
numpy.
"""

import argparse
import time

import numpy as np


def least(repeats, work):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


class Mujoco:
    """One model in MuJoCo."""

    def __init__(self, path, steps):
        import mujoco
        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_path(path)
        self.data = mujoco.MjData(self.model)
        if self.model.nkey:
            mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        mujoco.mj_step(self.model, self.data, steps)
        nx = 2 * self.model.nv + self.model.na
        self.A, self.B = np.zeros((nx, nx)), np.zeros((nx, self.model.nu))

    def step_time(self, repeats):
        state = np.empty(self.mujoco.mj_stateSize(self.model, self.mujoco.mjtState.mjSTATE_INTEGRATION))
        kind = self.mujoco.mjtState.mjSTATE_INTEGRATION
        self.mujoco.mj_getState(self.model, self.data, state, kind)
        found = least(repeats, lambda: self.mujoco.mj_step(self.model, self.data, 20)) / 20
        self.mujoco.mj_setState(self.model, self.data, state, kind)
        self.mujoco.mj_forward(self.model, self.data)
        return found

    def linear_time(self, repeats, centred):
        return least(repeats, lambda: self.mujoco.mjd_transitionFD(self.model, self.data, 1e-6, centred, self.A, self.B,
                                                                   None, None))


class Tenon:
    """The same in tenon."""

    def __init__(self, path, steps):
        import tenon
        model = tenon.Model.from_file(path)
        self.world = tenon.World(model, key=0 if model.names("key") else None, on_trouble="ignore")
        self.world.step(steps)

    def step_time(self, repeats):
        copy = self.world.copy()
        return least(repeats, lambda: copy.step(20)) / 20

    def linear_time(self, repeats, **options):
        self.world.derivatives(**options)
        return least(repeats, lambda: self.world.derivatives(**options))

    def off(self):
        """Of columns without a kink, the largest difference from whole steps, as a share of a column's size or of 1."""
        mine, whole = self.world.derivatives(), self.world.derivatives(method="differences")
        smooth = (np.maximum(mine.kinks, whole.kinks) <= 1e-3)[:mine.A.shape[1]]
        if not smooth.any():
            return float("nan")
        size = np.maximum(1.0, np.abs(whole.A).max(axis=0))
        return float((np.abs(mine.A - whole.A).max(axis=0) / size)[smooth].max())


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("models", nargs="+")
    options.add_argument("--steps", type=int, default=100)
    options.add_argument("--repeats", type=int, default=20)
    options.add_argument("--compare", action="store_true")
    args = options.parse_args()
    print(f"{'':32} {'tenon':>36} {'MuJoCo':>40}")
    print(f"{'model':24} {'columns':>7} {'step µs':>9} {'linear µs':>10} {'steps':>6} {'1 side':>8}"
          f" {'step µs':>9} {'1 side µs':>10} {'steps':>6} {'2 sides µs':>10} {'ratio':>6}")
    for path in args.models:
        ours, theirs = Tenon(path, args.steps), Mujoco(path, args.steps)
        found = ours.world.derivatives()
        step, linear = ours.step_time(args.repeats), ours.linear_time(args.repeats)
        quick = ours.linear_time(args.repeats, sides=1)
        their_step = theirs.step_time(args.repeats)
        one, two = theirs.linear_time(args.repeats, 0), theirs.linear_time(args.repeats, 1)
        name = "/".join(path.split("/")[-2:])
        print(f"{name[-24:]:24} {len(found.columns):7} {step * 1e6:9.1f} {linear * 1e6:10.1f} {linear / step:6.1f}"
              f" {quick * 1e6:8.1f} {their_step * 1e6:9.1f} {one * 1e6:10.1f} {one / their_step:6.1f} {two * 1e6:10.1f}"
              f" {one / quick:6.2f}" + (f"  off {ours.off():.1e}" if args.compare else "") +
              (f"  {found.why}" if found.why else ""))


if __name__ == "__main__":
    main()
